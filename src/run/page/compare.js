/* The curves of the page of compare: normalized IPC and resident blocks over time. */
{
  const {apps, runs, normalized} = page.data;
  const dashes = [[], [8, 4], [2, 3], [10, 4, 2, 4], [14, 5], [4, 2], [1, 4], [6, 2, 2, 2]];
  const end = Math.max(...runs.map((r) => r.start[r.start.length - 1]));
  const most = (curves) => curves.reduce((m, c) => c.reduce((n, v) => Math.max(n, v || 0), m), 0);
  const sums = (r) => r.blocks.map((_, k) => r.start.slice(0, -1).map(
    (_, i) => r.blocks.slice(0, k + 1).reduce((s, c) => s + (c[i] || 0), 0)));
  /* Short bursts far above the rest may leave the chart, so that the rest can be told apart. */
  const values = runs.flatMap((r) => r.ipc.flat()).filter((v) => v > 0).sort((a, b) => a - b);
  const high = values.length ? values[Math.floor((values.length - 1) * 0.98)] : 0;
  const ipcTop = Math.max(normalized ? 1 : 1e-9, high) * 1.1;
  const blockTop = Math.max(1, ...runs.map((r) => most(sums(r)))) * 1.05;
  const cycles = {label: 'cycles', value: (u, v) => (v === null ? '' : page.short(v))};
  const number = (v) => (v === null || v === undefined ? '' : v.toFixed(3));

  function options(run, label, top, series, more) {
    return {
      scales: {x: {time: false, range: (u, a, b) => (a === null ? [0, end] : [a, b])},
        y: {range: [0, top]}},
      axes: [page.axis('SM cycles', {size: 34}), page.axis(label, {size: 52})],
      series: [cycles, ...series],
      cursor: {sync: {key: 'run' + run}, drag: {x: true, y: false}},
      legend: {live: true, markers: {width: 2}},
      ...more,
    };
  }

  /* Every interval as a step: its value from its start on, the last one up to the end. */
  const stepped = uPlot.paths.stepped({align: 1});
  const closed = (curve) => [...curve, curve.length ? curve[curve.length - 1] : null];

  function drawIpc(element, run) {
    const r = runs[run];
    const series = apps.map((name, a) => ({
      label: name, stroke: page.colour('app', a), width: 1.5, dash: dashes[a % 8], paths: stepped,
      points: {show: false}, value: (u, v) => number(v),
    }));
    page.draw(element, 220, options(run, normalized ? 'of alone' : 'IPC', ipcTop, series),
      [r.start, ...r.ipc.map(closed)]);
  }

  /* One app on the other: the sum of all is drawn first, the others cover it. */
  function drawBlocks(element, run) {
    const r = runs[run], stacked = sums(r);
    const order = apps.map((_, a) => apps.length - 1 - a);
    const series = order.map((a) => ({
      label: apps[a], stroke: page.colour('app', a), fill: page.colour('app', a), width: 0,
      paths: stepped, points: {show: false},
      value: (u, v, s, i) => (i === null ? '' : number(closed(r.blocks[a])[i])),
    }));
    page.draw(element, 220, options(run, 'blocks', blockTop, series),
      [r.start, ...order.map((a) => closed(stacked[a]))]);
  }

  for (const element of document.querySelectorAll('.chart')) {
    const run = Number(element.dataset.run);
    if (element.dataset.kind === 'ipc') drawIpc(element, run);
    else drawBlocks(element, run);
  }
}
