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

  /* ---- requests ---- */

  /* Percentiles are drawn by the logarithm of the fraction of slower requests: from 0 % to 50 %,
   * 50 % to 75 % and so on are equally high. The slowest of n requests has half a request above. */
  const tail = (percent) => -Math.log2(1 - percent / 100);
  const marks = [50, 95, 99];

  function deadlineLine(u, value, horizontal) {
    if (value === null) return;
    const {ctx, bbox} = u, scale = u.scales[horizontal ? 'y' : 'x'];
    if (value < scale.min || value > scale.max) return;
    const at = u.valToPos(value, horizontal ? 'y' : 'x', true);
    ctx.save();
    ctx.strokeStyle = page.style('ink');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(horizontal ? bbox.left : at, horizontal ? at : bbox.top);
    ctx.lineTo(horizontal ? bbox.left + bbox.width : at, horizontal ? at : bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /* Returns how many of a run's measured requests take at most `us`, by the ranks in the data. */
  function answered({rank, latency}, us) {
    let low = 0, top = latency.length;
    while (low < top) {
      const middle = (low + top) >> 1;
      if (latency[middle] <= us) low = middle + 1;
      else top = middle;
    }
    return low ? rank[low - 1] : 0;
  }

  function drawLatency(element, app) {
    const {runs: measured, deadline} = page.data.requests[app];
    const shown = measured.map((m, r) => [m, r]).filter(([m]) => m && m.measured);
    const xs = [...new Set(shown.flatMap(([m]) => m.latency))].sort((a, b) => a - b);
    const wide = xs.length && xs[0] > 0 && xs.at(-1) / xs[0] > 50;
    const percent = (m, us) => Math.min(answered(m, us), m.measured - 0.5) / m.measured * 100;
    const top = tail(100 - 50 / Math.max(1, ...shown.map(([m]) => m.measured)));
    const series = shown.map(([m, r]) => page.curve(runs[r].policy, r,
      (i) => text(100 * answered(m, xs[i]) / m.measured),
      {width: 1.5, dash: page.dash(r), paths: stepped, points: {show: false}}));
    const dots = (u) => {
      for (const [m, r] of shown) {
        u.ctx.fillStyle = page.style(page.colour(r));
        for (const p of marks) {
          const k = m.rank.findIndex((rank) => rank >= Math.ceil(m.measured * p / 100));
          u.ctx.beginPath();
          u.ctx.arc(u.valToPos(m.latency[k], 'x', true), u.valToPos(tail(p), 'y', true),
            4 * devicePixelRatio, 0, 2 * Math.PI);
          u.ctx.fill();
        }
      }
      deadlineLine(u, deadline, false);
    };
    page.draw(element, 260, {
      scales: {x: {time: false, distr: wide ? 3 : 1}, y: {range: [0, top * 1.03]}},
      axes: [page.axis('latency, us', {size: 34}), page.axis('requests answered', {
        size: 62, splits: () => [0, 50, 75, 90, 95, 99, 99.9].filter((p) => tail(p) <= top)
          .map(tail),
        values: (u, splits) => splits.map((v) => `${+(100 - 100 / 2 ** v).toFixed(1)} %`)})],
      series: [{read: (i) => `per cent within ${page.number(xs[i], 3)} us`}, ...series],
      cursor: {drag: {x: true, y: false}}, plugins: [{hooks: {draw: dots}}],
    }, [xs, ...shown.map(([m]) => xs.map((us) => tail(percent(m, us))))]);
  }

  /* Charts of an app's requests over time have the same scales under all policies. */
  const largest = (app, of) => Math.max(0, ...page.data.requests[app].runs.map((r) => r && of(r)));
  function timed(app, xs, label, top) {
    const last = largest(app, (r) => r.end);
    const range = (u, a, b) => (a === xs[0] && b === xs.at(-1) ? [0, last] : [a, b]);
    return {
      scales: {x: {time: false, range}, y: {range: [0, 1.05 * top || 1]}},
      axes: [page.axis('time, us', {size: 34}), page.axis(label, {size: 52})],
      cursor: {drag: {x: true, y: false}},
    };
  }

  /* Draws a line per request: the wait in grey, the execution above in the colour of the app. */
  function drawRequests(element, app, run) {
    const {runs: all, deadline} = page.data.requests[app], {arrived, waited, took} = all[run];
    const lines = (u) => {
      const {ctx} = u, {min, max} = u.scales.x, base = u.valToPos(0, 'y', true);
      const width = devicePixelRatio * (arrived.length > 200 ? 1 : 2);
      arrived.forEach((at, i) => {
        if (at < min || at > max) return;
        const x = u.valToPos(at, 'x', true) - width / 2;
        const middle = u.valToPos(waited[i], 'y', true), y = u.valToPos(took[i], 'y', true);
        ctx.fillStyle = page.style('cause2');
        ctx.fillRect(x, middle, width, base - middle);
        ctx.fillStyle = page.style(page.colour(app));
        ctx.fillRect(x, y, width, Math.max(middle - y, devicePixelRatio));
      });
      deadlineLine(u, deadline, true);
    };
    const none = {paths: () => null, points: {show: false}};
    page.draw(element, 220, {
      ...timed(app, arrived, 'latency, us', largest(app, (r) => most([r.took]))),
      series: [{read: (i) => `arrival ${page.number(arrived[i], 3)} us`},
        page.curve('wait', app, (i) => text(waited[i]), none),
        page.curve('latency', app, (i) => text(took[i]), none)],
      plugins: [{hooks: {draw: lines}}],
    }, [arrived, waited, took]);
  }

  function drawQueue(element, app, run) {
    const {queue, end: last} = page.data.requests[app].runs[run];
    const xs = [...queue, 0].map((_, i) => last * i / queue.length);
    page.draw(element, 220, {
      ...timed(app, xs, 'requests', Math.max(1, largest(app, (r) => most([r.queue])))),
      series: [{read: (i) => `${page.number(xs[i], 3)} us`},
        page.curve('at most', app, (i) => (i < queue.length ? page.number(queue[i], 0) : ''),
          {fill: () => page.style(page.colour(app)), width: 0, paths: stepped,
            points: {show: false}})],
    }, [xs, closed(queue)]);
  }

  const draws = {ipc: (e, run) => drawIpc(e, run), blocks: (e, run) => drawBlocks(e, run),
    latency: (e, run, app) => drawLatency(e, app),
    requests: (e, run, app) => drawRequests(e, app, run),
    queue: (e, run, app) => drawQueue(e, app, run)};
  for (const element of document.querySelectorAll('.chart')) {
    const {kind, run, app} = element.dataset;
    draws[kind](element, Number(run), Number(app));
  }
  const names = {apps, policies: runs.map((r) => r.policy)};
  for (const list of document.querySelectorAll('.legend[data-of]'))
    page.legend(list, names[list.dataset.of].map((name, i) => [name, i]));
}
