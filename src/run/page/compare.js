/* The compare page: curves of normalized IPC and resident blocks over time. */
{
  const {apps, runs, normalized} = page.data;
  const end = Math.max(...runs.map((r) => r.start[r.start.length - 1]));
  const most = (curves) => curves.reduce((m, c) => c.reduce((n, v) => Math.max(n, v || 0), m), 0);
  const sums = (r) => r.blocks.map((_, k) => r.start.slice(0, -1).map(
    (_, i) => r.blocks.slice(0, k + 1).reduce((s, c) => s + (c[i] || 0), 0)));
  /* Moving mean over five intervals, weighted by their lengths. */
  const smooth = (start, curve) => curve.map((_, i) => {
    let sum = 0, cycles = 0;
    for (let k = Math.max(0, i - 2); k <= Math.min(curve.length - 1, i + 2); k++) {
      if (curve[k] === null) continue;
      sum += curve[k] * (start[k + 1] - start[k]);
      cycles += start[k + 1] - start[k];
    }
    return cycles ? sum / cycles : null;
  });
  for (const r of runs) r.smooth = r.ipc.map((curve) => smooth(r.start, curve));
  /* The highest 2 % of the IPC values do not affect the scale: curves may leave the chart in short
   * bursts, and the other values stay distinguishable. */
  const values = runs.flatMap((r) => r.smooth.flat()).filter((v) => v > 0).sort((a, b) => a - b);
  const high = values.length ? values[Math.floor((values.length - 1) * 0.98)] : 0;
  const ipcTop = Math.max(normalized ? 1 : 1e-9, high) * 1.1;
  const blockTop = Math.max(1, ...runs.map((r) => most(sums(r)))) * 1.05;
  const text = (v) => (v === null || v === undefined ? '' : page.number(v, 3));

  /* Draws a tick at the bottom for each launch, a row per app. */
  function launches(u, run) {
    const {ctx, bbox} = u, {min, max} = u.scales.x, size = 5 * devicePixelRatio;
    runs[run].launched.forEach((cycles, a) => {
      ctx.fillStyle = page.style(page.colour(a));
      const y = bbox.top + bbox.height - (a + 1) * size * 1.2;
      for (const cycle of cycles.filter((c) => c >= min && c <= max)) {
        ctx.fillRect(u.valToPos(cycle, 'x', true), y, 1.5 * devicePixelRatio, size);
      }
    });
  }

  function options(run, label, top, series) {
    const {start} = runs[run];
    const range = (u, a, b) => (a === start[0] && b === start.at(-1) ? [0, end] : [a, b]);
    return {
      scales: {x: {time: false, range}, y: {range: [0, top]}},
      axes: [page.axis('time, SM cycles', {size: 34}), page.axis(label, {size: 52})],
      series: [{read: (i, u) => (u.posToVal(u.cursor.left, 'x') > start.at(-1) ? ''
        : `cycle ${page.number(start[i], 0)}`)}, ...series],
      cursor: {sync: {key: 'time'}, drag: {x: true, y: false}},
    };
  }

  /* Curves are steps: the value of an interval holds from its start to the next interval, and the
   * last value to the end of the run. */
  const stepped = uPlot.paths.stepped({align: 1});
  const closed = (curve) => [...curve, curve.length ? curve[curve.length - 1] : null];

  function drawIpc(element, run) {
    const r = runs[run], curves = r.smooth.map(closed), highest = most(r.smooth);
    const series = apps.map((name, a) => page.curve(name, a, (i) => text(curves[a][i]),
      {width: 1.5, dash: page.dash(a), paths: stepped, points: {show: false}}));
    const marks = {plugins: [{hooks: {draw: (u) => launches(u, run)}}]};
    const label = normalized ? 'normalized IPC' : 'IPC';
    page.draw(element, 220, {...options(run, label, ipcTop, series), ...marks},
      [r.start, ...curves]);
    if (highest > ipcTop) {
      page.add(element.previousElementSibling, 'span',
        `▲ cut here, goes on up to ${page.number(highest, highest < 10 ? 1 : 0)}`, {class: 'cut'});
    }
  }

  /* Draws stacked areas: the sum over all apps first, smaller partial sums over larger sums. */
  function drawBlocks(element, run) {
    const r = runs[run], stacked = sums(r), blocks = r.blocks.map(closed);
    const order = apps.map((_, a) => apps.length - 1 - a);
    const series = order.map((a) => page.curve(apps[a], a, (i) => text(blocks[a][i]),
      {fill: () => page.style(page.colour(a)), width: 0, paths: stepped, points: {show: false}}));
    page.draw(element, 220, options(run, 'blocks per SM', blockTop, series),
      [r.start, ...order.map((a) => closed(stacked[a]))]);
  }

  for (const element of document.querySelectorAll('.chart')) {
    const run = Number(element.dataset.run);
    if (element.dataset.kind === 'ipc') drawIpc(element, run);
    else drawBlocks(element, run);
  }
  page.legend(document.querySelector('.legend:empty'), apps.map((name, a) => [name, a]));
}
