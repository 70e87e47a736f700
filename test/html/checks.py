"""Checks of a page in the browser, form by form. A check raises AssertionError."""
import base64
import re

# Every piece of text: size, position, contrast with the background.
TEXTS = r'''(() => {
  const parse = (c) => (c.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility()) continue;
    if (e.closest('script, style, noscript, caption')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect(), style = getComputedStyle(e);
    if (!box.width) continue;
    const a = light(parse(style.color)), b = light(ground(e));
    const own = e.closest('td, th, .name, .value, h1, h2, h3, p, li, button') || e;
    const outer = own.getBoundingClientRect();
    found.push({
      text: node.data.trim().slice(0, 40), size: parseFloat(style.fontSize),
      contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05),
      right: box.right, left: box.left, over: box.right - outer.right,
      scrolls: !!e.closest('.wide'),
    });
  }
  return found;
})()'''

# Every chart: pixels by colour, pixels in the area of curves, axes and marks.
CHARTS = r'''[...document.querySelectorAll('.chart')].map((e) => {
  const c = e.querySelector('canvas');
  if (!c) return null;
  const u = page.charts.get(e);
  const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(c, 0, 0);
  const p = copy.getImageData(0, 0, c.width, c.height).data, seen = {};
  let drawn = 0, above = 0;
  for (let i = 0; i < p.length; i += 4) {
    if (p[i + 3] < 255) continue;
    const grey = Math.max(p[i], p[i + 1], p[i + 2]) - Math.min(p[i], p[i + 1], p[i + 2]) < 40;
    if (grey) continue;
    drawn++;
    if (i / 4 / c.width < u.bbox.top - 1) above++;
    const key = [p[i], p[i + 1], p[i + 2]].join();
    seen[key] = (seen[key] || 0) + 1;
  }
  const palette = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => page.style('app' + i)).map((hex) =>
    [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)).join());
  const cut = e.parentElement.querySelector('.cut'), top = u.scales.y.max;
  return {drawn, above, palette, colours: Object.keys(seen).filter((k) => seen[k] > 20),
    kind: e.dataset.kind, width: c.getBoundingClientRect().width,
    room: e.getBoundingClientRect().width, top, end: u.scales.x.max,
    labels: u.axes.map((a) => a.label), cut: cut && cut.textContent,
    most: Math.max(...u.data.slice(1).flat().filter((v) => v !== null))};
})'''

BARS = r'''[...document.querySelectorAll('.bars')].map((e) => [...e.querySelectorAll('.track')].map(
  (t) => ({filled: [...t.children].reduce((s, i) => s + i.getBoundingClientRect().width, 0)
    / t.getBoundingClientRect().width,
    share: t.getBoundingClientRect().width / e.getBoundingClientRect().width})))'''

# Every drawing colour of the style sheet, with the contrast to the paper.
COLOURS = r'''(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const light = (name) => {
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  };
  const names = ['app', 'cause'].flatMap((k) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `--${k}${i}`));
  return ['--paper', ...names].map((n) => [n, light(n),
    (Math.max(light(n), light('--paper')) + 0.05) / (Math.min(light(n), light('--paper')) + 0.05)]);
})()'''

TABLES = r'''[...document.querySelectorAll('.wide')].filter(
  (w) => w.checkVisibility()).map((w) => ({
  name: w.querySelector('caption').textContent, over: w.scrollWidth > w.clientWidth + 1,
  hint: w.previousElementSibling.checkVisibility() && w.previousElementSibling.textContent,
  more: w.classList.contains('more'), tab: w.tabIndex,
  heads: [...w.querySelectorAll('th')].every((h) => ['col', 'row'].includes(h.scope)),
}))'''

NUMBERS = r'''[...document.querySelectorAll('td:not(.word), .value, .tiles b, header p, h2')].map(
  (e) => e.textContent)'''

LEGENDS = r'''[...document.querySelectorAll('.legend')].map((l) => [...l.children].map((i) => [
  i.textContent.trim(), i.firstElementChild.getBoundingClientRect().width,
  i.querySelector('path') && i.querySelector('path').getAttribute('stroke-dasharray')]))'''


def silent(browser):
    said = list(browser.complaints())
    assert not said, said[:5]


def drawn(browser, charts_n, barred=True):
    charts = browser.value(CHARTS)
    assert len(charts) == charts_n, '%d charts' % len(charts)
    for c in charts:
        assert c, 'a chart without a canvas'
        assert c['drawn'] > 300 and c['colours'], c
        assert abs(c['width'] - c['room']) <= 2, c
        assert len(c['labels']) == 2 and all(c['labels']), c['labels']
    bars = browser.value(BARS)
    filled = all(any(b['filled'] > 0.02 for b in group) for group in bars)
    assert bool(bars) == barred and filled, bars


def readable(browser, width):
    inside = browser.value('[document.documentElement.scrollWidth, innerWidth]')
    assert inside[0] <= inside[1], 'the page is %d wide, the window %d' % tuple(inside)
    texts = browser.value(TEXTS)
    assert len(texts) > 40
    for t in texts:
        assert t['size'] >= 12, t
        assert t['contrast'] >= 4.5, t
        assert t['scrolls'] or t['left'] >= 0 and t['right'] <= width, t
        assert t['over'] <= 1, t
    shares = [b['share'] for group in browser.value(BARS) for b in group]
    assert min(shares, default=1) >= 0.4, 'bars have %.0f %% of the width' % (100 * min(shares))


def coloured(browser, scheme):
    """The page follows the setting, and drawings stand out from the paper."""
    for name, light, contrast in browser.value(COLOURS):
        if name == '--paper':
            assert light < 0.05 if scheme == 'dark' else light > 0.9, (scheme, light)
        else:
            assert contrast >= 3, (scheme, name, contrast)


def scrollable(browser, narrow):
    """A table wider than the available space says so, until the end is in sight."""
    tables = browser.value(TABLES)
    for t in tables:
        assert t['name'] and t['heads'], t
        assert t['over'] == bool(t['hint']) == t['more'] == (t['tab'] == 0), t
        assert not t['hint'] or 'scroll' in t['hint'], t
    assert not narrow or any(t['over'] for t in tables)
    browser.value("document.querySelectorAll('.wide').forEach((w) => w.scrollTo(9999, 0))")
    browser.value(browser.SETTLED)
    assert not any(t['more'] for t in browser.value(TABLES))
    if narrow:  # the first column stays
        left = browser.value("[...document.querySelectorAll('.wide.more, .wide')].filter((w) => "
                             "w.scrollLeft > 0).map((w) => w.querySelector('th')"
                             ".getBoundingClientRect().left - w.getBoundingClientRect().left)")
        assert left and all(abs(v) < 1 for v in left), left
    browser.value("document.querySelectorAll('.wide').forEach((w) => w.scrollTo(0, 0))")
    browser.value(browser.SETTLED)


def separated(browser):
    numbers = browser.value(NUMBERS)
    long = [n for n in numbers if re.search(r'\d{4}', n) and '.' not in n or
            re.search(r'\d{4}[\d,]*\.', n)]
    assert not long, long
    assert any(re.search(r'\d,\d{3}\b', n) for n in numbers), 'no number has a separator'


def legends(browser, wanted):
    """Every entry has a name and a sample; samples within a legend differ in more than colour."""
    found = browser.value(LEGENDS)
    curves = [[e[0] for e in l] for l in found if l and l[0][2] is not None]
    assert curves == wanted, curves
    for entries in found:
        assert entries and all(name and width > 5 for name, width, _ in entries), entries
        dashes = [dash for _, _, dash in entries if dash is not None]
        assert len(set(dashes)) == len(dashes), entries


def points_out(browser):
    """The readout below the chart describes the point under the pointer: no entry without a value,
    nothing after the pointer has left."""
    said = "[...document.querySelectorAll('.readout')].map((r) => [...r.children].map((s) => " \
           "s.textContent))"
    assert not any(browser.value(said)), 'a readout without a pointer'
    browser.value("document.querySelector('.u-over').scrollIntoView({block: 'center'})")
    x, y, w, h = browser.value("(({x, y, width, height}) => [x, y, width, height])("
                               "document.querySelector('.u-over').getBoundingClientRect())")
    browser.ask('Input.dispatchMouseEvent', type='mouseMoved', x=x + w / 2, y=y + h / 2)
    browser.value(browser.SETTLED)
    entries = browser.value(said)[0]
    assert len(entries) > 1, entries
    assert all(re.search(r'\d\.\d{3}$', e) for e in entries[1:]), entries
    browser.ask('Input.dispatchMouseEvent', type='mouseMoved', x=1, y=1)
    browser.value(browser.SETTLED)
    assert not any(browser.value(said)), 'a readout without a pointer'


def marked(browser, some):
    """A curve leaving the chart has a mark at the edge, and the caption gives the maximum."""
    charts = [c for c in browser.value(CHARTS) if c['kind'] == 'ipc']
    for c in charts:
        cut = c['most'] > c['top']
        assert bool(c['cut']) == cut == (c['above'] > 10), c
        assert not cut or abs(float(c['cut'].split()[-1].replace(',', '')) - c['most']) <= 0.5, c
    assert not some or any(c['cut'] for c in charts), 'no curve is cut'
    assert len({c['end'] for c in charts}) == 1, 'the charts have different scales'


def redrawn(browser):
    """Charts follow the setting while the page is open, and paper is light."""
    def look(scheme, media=''):
        browser.scheme(scheme, media)
        charts = browser.value(CHARTS)
        seen = [set(c['colours']) for c in charts]
        assert all(s & set(c['palette']) for s, c in zip(seen, charts)), charts
        return set(charts[0]['palette']), set.union(*seen)
    try:
        light, seen_light = look('light')
        dark, seen_dark = look('dark')
        paper, seen_paper = look('dark', 'print')
        assert light == paper and not light & dark
        assert not seen_light & dark and not seen_dark & light and not seen_paper & dark
    finally:
        browser.scheme('light')


def focused(browser, stops):
    """A keyboard user sees the focus, on so many elements."""
    browser.value("document.activeElement.blur()")
    for _ in range(stops):
        for kind in ('rawKeyDown', 'keyUp'):
            browser.ask('Input.dispatchKeyEvent', type=kind, key='Tab', code='Tab',
                        windowsVirtualKeyCode=9)
        outline = browser.value("(({tagName}, s) => [tagName, s.outlineStyle, "
                                "parseFloat(s.outlineWidth)])(document.activeElement, "
                                "getComputedStyle(document.activeElement))")
        assert outline[0] != 'BODY' and outline[1] == 'solid' and outline[2] >= 2, outline


def on_paper(browser, width, path):
    browser.scheme('dark', 'print')
    browser.size(width)
    try:
        over = browser.value("[...document.querySelectorAll('.wide, .bar .value')].filter((e) => "
                             "e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)")
        assert not over, 'cut off: ' + over[0][:200]
        tables = browser.value("[...document.querySelectorAll('table')].filter((t) => "
                               "!t.closest('details:not([open])')).map((t) => "
                               "t.getBoundingClientRect().height)")
        assert tables and all(h > 20 for h in tables), tables
        screen_only = browser.value("[...document.querySelectorAll('.hint, .readout, "
                                    "details:not([open])')].filter((e) => e.checkVisibility())"
                                    ".length")
        assert screen_only == 0, '%d things that paper has no use for' % screen_only
        assert all(t['contrast'] >= 4.5 for t in browser.value(TEXTS))
        pdf = base64.b64decode(browser.ask('Page.printToPDF', printBackground=True,
                                           preferCSSPageSize=True)['data'])
        assert pdf.startswith(b'%PDF') and len(pdf) > 20000, len(pdf)
        with open(path, 'wb') as f:
            f.write(pdf)
    finally:
        browser.scheme('light')


def sorts(browser):
    def click():
        browser.value("[...document.querySelectorAll('th button')].at(-2).click()")
        rows = browser.value("[...[...document.querySelectorAll('table')].at(-1).tBodies[0].rows]"
                             ".map((r) => r.cells[r.cells.length - 2].textContent)")
        return [float(v.replace(',', '')) for v in rows if re.match(r'[\d.,]+$', v)]
    said = "[...document.querySelectorAll('th')].filter((h) => h.ariaSort).map((h) => h.ariaSort)"
    numbers = click()
    assert len(numbers) > 10 and numbers == sorted(numbers), numbers
    assert browser.value(said) == ['ascending']
    assert click() == numbers[::-1] and browser.value(said) == ['descending']


def changes(browser, charts_n):
    browser.value("document.querySelector('select').selectedIndex = 1;"
                  "document.querySelector('select').dispatchEvent(new Event('change'))")
    drawn(browser, charts_n)
    label = browser.value("page.charts.get(document.querySelector('.chart')).axes[1].label")
    assert 'ANTT' in label, label
    silent(browser)


def picture(browser, path):
    height = browser.value('document.documentElement.scrollHeight')
    shot = browser.ask('Page.captureScreenshot', captureBeyondViewport=True, clip={
        'x': 0, 'y': 0, 'width': browser.value('innerWidth'), 'height': min(height, 12000),
        'scale': 1})
    with open(path, 'wb') as f:
        f.write(base64.b64decode(shot['data']))
