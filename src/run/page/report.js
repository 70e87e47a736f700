/* The curves of the page of report, and its sorted tables. */
{
  const dashes = [[], [8, 4], [2, 3], [10, 4, 2, 4], [14, 5], [4, 2], [1, 4], [6, 2, 2, 2]];
  const number = (u, v) => (v === null || v === undefined ? '' : v.toFixed(3));

  /* Each policy's values in rising order, side by side; null where it has fewer. */
  function columns(curves) {
    const rising = curves.map((c) => c.filter((v) => v !== null).sort((a, b) => a - b));
    const n = Math.max(1, ...rising.map((c) => c.length));
    const place = Array.from({length: n}, (_, i) => i + 1);
    return [place, ...rising.map((c) => place.map((_, i) => (i < c.length ? c[i] : null)))];
  }

  function draw(element, setting, metric) {
    const data = columns(setting.metrics[metric]);
    const top = Math.max(1e-9, ...data.slice(1).flat()) * 1.05, n = data[0].length;
    element.replaceChildren();
    page.draw(element, 320, {
      scales: {x: {time: false, range: (u, a, b) => (a === null || a === b ? [0, n + 1] : [a, b])},
        y: {range: [0, top]}},
      axes: [
        page.axis('point', {size: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000]}),
        page.axis(metric.replaceAll('_', ' '), {size: 56})],
      series: [{label: 'point'}, ...setting.policies.map((name, p) => ({
        label: name, stroke: page.colour('app', p), width: 1.75, dash: dashes[(p >> 3) % 8],
        points: {show: n <= 60, size: 6}, value: number,
      }))],
    }, data);
  }

  for (const element of document.querySelectorAll('.chart')) {
    const setting = page.data.settings[Number(element.dataset.setting)];
    const choose = document.createElement('select');
    choose.setAttribute('aria-label', 'metric');
    for (const metric of Object.keys(setting.metrics)) {
      if (!setting.metrics[metric].flat().some((v) => v !== null)) continue;
      choose.add(new Option(metric.replaceAll('_', ' '), metric));
    }
    if (!choose.options.length) continue;
    choose.addEventListener('change', () => draw(element, setting, choose.value));
    element.previousElementSibling.append(choose);
    draw(element, setting, choose.value);
  }

  const value = (row, i) => {
    const text = row.cells[i].textContent.trim();
    return {text, number: text === '' || Number.isNaN(Number(text)) ? null : Number(text)};
  };
  const compare = (a, b) => (a.number !== null && b.number !== null ? a.number - b.number
    : (a.number === null) - (b.number === null) || a.text.localeCompare(b.text));

  function sort(table, i, button) {
    const down = button.dataset.order === 'up';
    for (const other of table.querySelectorAll('th button')) delete other.dataset.order;
    button.dataset.order = down ? 'down' : 'up';
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => compare(value(a, i), value(b, i)) * (down ? -1 : 1));
    table.tBodies[0].append(...rows);
  }

  for (const table of document.querySelectorAll('table')) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((cell, i) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = cell.textContent;
      button.addEventListener('click', () => sort(table, i, button));
      cell.replaceChildren(button);
    });
  }
}
