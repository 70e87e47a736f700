/* The advise page: slowdown of each app against its SMs. */
{
  const {apps} = page.data;
  const sms = apps[0].curve.map((_, i) => i + 1);
  const values = apps.flatMap((a) => [...a.curve, ...a.alone.map((p) => p[1]),
    ...a.shared.map((p) => p[1])]).filter((v) => v > 0);
  const low = 2 ** Math.floor(Math.log2(Math.min(1, ...values)));
  const high = 2 ** Math.ceil(Math.log2(Math.max(2, ...values)));
  const ticks = [];
  for (let v = low; v <= high; v *= 2) ticks.push(v);
  const text = (v) => (v === null || v === undefined ? '' : page.number(v, 3));

  const range = (u, a, b) => (a === 1 && b === sms.length ? [0, b] : [a, b]);

  /* Draws squares for isolated runs and dots for simulated splits, in the colour of the app. */
  function points(u) {
    const {ctx} = u, size = 4 * devicePixelRatio;
    apps.forEach((app, a) => {
      ctx.fillStyle = page.style(page.colour(a));
      for (const [x, y] of app.alone.filter((p) => p[1] > 0)) {
        ctx.fillRect(u.valToPos(x, 'x', true) - size, u.valToPos(y, 'y', true) - size, 2 * size,
          2 * size);
      }
      for (const [x, y] of app.shared.filter((p) => p[1] > 0)) {
        ctx.beginPath();
        ctx.arc(u.valToPos(x, 'x', true), u.valToPos(y, 'y', true), size, 0, 2 * Math.PI);
        ctx.fill();
      }
    });
  }

  for (const element of document.querySelectorAll('.chart')) {
    page.draw(element, 320, {
      scales: {x: {time: false, range}, y: {distr: 3, log: 2, range: [low, high]}},
      axes: [page.axis('SMs', {size: 34}),
        page.axis('slowdown', {size: 52, splits: () => ticks, filter: (u, splits) => splits})],
      series: [{read: (i) => `${sms[i]} SM${sms[i] > 1 ? 's' : ''}, alone`},
        ...apps.map((app, a) => page.curve(app.name, a, (i) => text(app.curve[i]),
          {width: 1.5, dash: page.dash(a), points: {show: false}}))],
      cursor: {drag: {x: true, y: false}}, plugins: [{hooks: {draw: points}}],
    }, [sms, ...apps.map((app) => app.curve)]);
  }
  for (const list of document.querySelectorAll('.legend'))
    page.legend(list, apps.map((app, a) => [app.name, a]));
}
