/* Common code for the curves of all pages: style, legend, values under the pointer, marks where a
 * curve leaves the chart. Colours come from page.css at the time of drawing. */
'use strict';
const page = {
  data: JSON.parse(document.getElementById('data').textContent),
  charts: new Map(), // from element to chart

  style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  },

  /* Colour and dashes of curve i: curves of equal colour have different dashes. */
  colour: (i) => `app${i % 8}`,
  dash: (i) => [[], [8, 4], [2, 3], [10, 4, 2, 4], [14, 5], [4, 2], [1, 4], [6, 2, 2, 2]][
    (i + (i >> 3)) % 8],

  /* 1500000 -> "1.5 M"; 1500000 -> "1,500,000" */
  short(v) {
    const steps = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']];
    for (const [unit, name] of steps) {
      if (Math.abs(v) >= unit) return String(+(v / unit).toPrecision(4)) + name;
    }
    return String(+v.toPrecision(4));
  },
  number: (v, digits) => v.toLocaleString('en-US',
    {minimumFractionDigits: digits, maximumFractionDigits: digits}),

  axis(label, more) {
    const lines = {stroke: () => page.style('line'), width: 1};
    return {
      stroke: () => page.style('soft'), font: '12px system-ui, sans-serif',
      labelFont: '12px system-ui, sans-serif', label, labelSize: 18, grid: lines, ticks: lines,
      values: (u, splits) => splits.map((v) => (v === null ? '' : page.short(v))), ...more,
    };
  },

  /* Returns curve i. `read` maps an index into the data to a text for the value; '': no value.
   * Without a text for the position, from series 0, the readout is empty. */
  curve(label, i, read, more) {
    return {label, curve: i, read, stroke: () => page.style(page.colour(i)), ...more};
  },

  add(parent, tag, text, set) {
    const e = document.createElement(tag);
    e.textContent = text;
    for (const [name, value] of Object.entries(set || {})) e.setAttribute(name, value);
    parent.append(e);
    return e;
  },

  /* Writes the legend: a sample of each curve with the curve's name. `look`: dashes and width other
   * than usual; a curve with a `stroke` has the colour of text. */
  legend(list, curves) {
    list.replaceChildren();
    for (const [name, i, look = {}] of curves) {
      const item = page.add(list, 'li', '');
      item.innerHTML = '<svg width="30" height="12" aria-hidden="true"><path d="M0 6h30" ' +
        `style="stroke:var(--${look.stroke ? 'ink' : page.colour(i)})" ` +
        `stroke-width="${look.width || 3}" stroke-dasharray="${look.dash || page.dash(i)}"/></svg>`;
      item.append(name);
    }
  },

  /* Shows below the chart the values of all curves under the pointer. */
  read(u, element) {
    element.replaceChildren();
    const at = u.cursor.idx;
    if (at === null || at === undefined) return;
    const position = u.series[0].read(at, u);
    if (position === '') return;
    page.add(element, 'span', position);
    for (const s of u.series.slice(1)) {
      const text = s.read(at);
      if (text === '') continue;
      page.add(page.add(element, 'span', s.label + ' '), 'b', text);
    }
  },

  /* Draws a triangle above the chart over each interval in which a curve of steps is above the
   * chart. */
  marks(u) {
    const {ctx, bbox, series, data} = u, size = 5 * devicePixelRatio;
    const top = u.scales.y.max, {min, max} = u.scales.x;
    series.forEach((s, k) => {
      if (k === 0) return;
      ctx.fillStyle = page.style(page.colour(s.curve));
      for (let i = 0, from = -1; i < data[k].length; i++) {
        if (!(data[k][i] > top)) continue;
        if (from < 0) from = i;
        if (data[k][i + 1] > top) continue;
        const start = Math.max(min, data[0][from]), end = Math.min(max, data[0][i + 1]);
        from = -1;
        if (!(start < end)) continue;
        const x = u.valToPos((start + end) / 2, 'x', true), y = bbox.top - size / 2;
        ctx.beginPath();
        ctx.moveTo(x - size, y);
        ctx.lineTo(x + size, y);
        ctx.lineTo(x, y - 1.6 * size);
        ctx.fill();
      }
    });
  },

  /* Draws a chart in an element and replaces the element's previous chart. The chart follows later
   * changes of the element's width. */
  draw(element, height, options, data) {
    if (page.charts.has(element)) page.charts.get(element).destroy();
    element.replaceChildren();
    const readout = document.createElement('p');
    readout.className = 'readout';
    page.charts.set(element, new uPlot({
      width: page.width(element), height, legend: {show: false}, padding: [14, 12, 0, 0],
      hooks: {draw: [page.marks], setCursor: [(u) => page.read(u, readout)]}, ...options,
    }, data, element));
    element.append(readout);
    page.sizes.observe(element);
  },
  width: (element) => Math.max(200, element.clientWidth),
  sizes: new ResizeObserver((entries) => {
    for (const {target} of entries) {
      const chart = page.charts.get(target), width = page.width(target);
      if (Math.abs(chart.width - width) > 1) chart.setSize({width, height: chart.height});
    }
  }),
};

/* Redraws all charts when the colour scheme changes. Printed pages are always light. */
matchMedia('screen and (prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const chart of page.charts.values()) chart.redraw(false);
});
