/* What the curves of all pages share: colours from the style sheet, numbers, sizes. */
'use strict';
const page = {
  data: JSON.parse(document.getElementById('data').textContent),
  charts: [],

  colour(kind, i) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${kind}${i % 8}`).trim();
  },

  /* 1500000 -> "1.5 M" */
  short(v) {
    const steps = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']];
    for (const [unit, name] of steps) {
      if (Math.abs(v) >= unit) return String(+(v / unit).toPrecision(4)) + name;
    }
    return String(+v.toPrecision(4));
  },

  axis(label, more) {
    const soft = getComputedStyle(document.documentElement).getPropertyValue('--soft').trim();
    return {
      stroke: soft, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif',
      label, labelSize: 18,
      grid: {stroke: '#e6ebf0', width: 1}, ticks: {stroke: '#e6ebf0', width: 1},
      values: (u, splits) => splits.map((v) => (v === null ? '' : page.short(v))), ...more,
    };
  },

  /* A chart as wide as its element, now and later. */
  draw(element, height, options, data) {
    const size = () => ({width: Math.max(200, element.clientWidth), height});
    const chart = new uPlot({...size(), ...options}, data, element);
    new ResizeObserver(() => {
      if (Math.abs(chart.width - size().width) > 1) chart.setSize(size());
    }).observe(element);
    page.charts.push(chart);
    return chart;
  },
};
