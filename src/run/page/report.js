/* The report page: curves, and sorting of tables. */
{
  const {metrics, settings} = page.data;

  /* Returns the columns of a chart: positions 1 to n, then each policy's values, padded with null
   * to n. */
  function columns(curves) {
    const n = Math.max(...curves.map((c) => c.length));
    const place = Array.from({length: n}, (_, i) => i + 1);
    return [place, ...curves.map((c) => place.map((_, i) => (i < c.length ? c[i] : null)))];
  }

  /* Returns [name, index, values in ascending order] of each policy with values. */
  const known = (setting, metric) => setting.policies.map((name, p) => [name, p,
    setting.values[metric][p].filter((v) => v !== null).sort((a, b) => a - b)]).filter(
    ([, , values]) => values.length);

  /* The oracle's curve is a reference in the colour of text; the best policy's curve is bold. */
  const look = (setting, metric, p) => (p === setting.oracle
    ? {stroke: () => page.style('ink'), width: 1.5, dash: [3, 3]}
    : {width: p === setting.best[metric] ? 3.5 : 1.5, dash: page.dash(p)});

  function draw(element, setting, metric) {
    const curves = known(setting, metric), data = columns(curves.map((c) => c[2]));
    const {name, unit} = metrics[metric], label = `${name} (${unit})`, n = data[0].length;
    const top = Math.max(1e-9, ...data.slice(1).flat()) * 1.05;
    const read = (k) => (i) => (data[k + 1][i] === null ? '' : page.number(data[k + 1][i], 3));
    page.legend(element.previousElementSibling, curves.map(([name, p]) => [name, p,
      look(setting, metric, p)]));
    page.draw(element, 320, {
      scales: {x: {time: false, range: (u, a, b) => (a === 1 && b === n ? [0.5, n + 0.5] : [a, b])},
        y: {range: [0, top]}},
      axes: [
        page.axis('sets of apps, sorted for each policy',
          {size: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000]}),
        page.axis(label.length < 42 ? label : unit, {size: 56})],
      series: [{read: (i) => `${name}, set ${i + 1} of ${n}`}, ...curves.map(([label, p], k) =>
        page.curve(label, p, read(k), {...look(setting, metric, p),
          points: {show: n <= 60, size: 6, fill: () => page.style('paper')}}))],
    }, data);
  }

  for (const element of document.querySelectorAll('.chart')) {
    const setting = settings[Number(element.dataset.setting)];
    const place = element.parentElement.querySelector('figcaption');
    const choose = page.add(place, 'select', '', {'aria-label': 'metric'});
    metrics.forEach(({name}, m) => {
      if (known(setting, m).length) choose.add(new Option(name, m));
    });
    if (!choose.options.length) choose.remove();
    else draw(element, setting, choose.value);
    choose.addEventListener('change', () => draw(element, setting, choose.value));
  }

  const value = (row, i) => {
    const text = row.cells[i].textContent.trim(), number = Number(text.replaceAll(',', ''));
    return {text, number: text === '' || Number.isNaN(number) ? null : number};
  };
  const compare = (a, b) => (a.number !== null && b.number !== null ? a.number - b.number
    : (a.number === null) - (b.number === null) || a.text.localeCompare(b.text));

  function sort(table, i) {
    const cells = table.tHead.rows[0].cells, down = cells[i].ariaSort === 'ascending';
    for (const cell of cells) cell.removeAttribute('aria-sort');
    cells[i].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => compare(value(a, i), value(b, i)) * (down ? -1 : 1));
    table.tBodies[0].append(...rows);
  }

  for (const table of document.querySelectorAll('table')) {
    if (table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((cell, i) => {
      const name = cell.textContent;
      cell.replaceChildren();
      page.add(cell, 'button', name, {type: 'button'}).addEventListener('click',
        () => sort(table, i));
    });
  }
}
