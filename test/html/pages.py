#!/usr/bin/env python3
"""The pages of compare and report in a headless Chromium: no message in the console, nothing
loaded, charts drawn, text readable at 1280 and 800 pixels and on paper. `make test-html` runs it.

    pages.py BUILD [FOLDER]     FOLDER: the pages and pictures of them are left there
"""
import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test/whole'))
from browser import Browser  # noqa: E402
from common import Tap       # noqa: E402

SWEEP = '''sweep: <b>every</b> pair & more
pairs: [vecadd:size=test, mm:size=test, bfs:size=test, gups:size=test]
policies: [leftover, spatial, "spatial[split=12/4]", "spatial[split=8/4/4]"]
rules: [{until: window, cycles: 4000}, {until: all-complete}]
'''
COMPARES = {
    'two.html': ['mm:size=test', 'bfs:size=test', '--policies', 'leftover,spatial,sequential',
                 '--until', 'window', '--cycles', '60000'],
    'four.html': ['mm:size=test', 'bfs:size=test', 'kmeans:size=test', 'mm:size=test',
                  '--policies', 'leftover,spatial,spatial[split=9/3/3/1]'],
    'bare.html': ['vecadd:size=test', 'gups:size=test', '--policies', 'spatial', '--alone', 'skip'],
}
PAGES = [*COMPARES, 'report.html']
WIDTHS = 1280, 800
PAPER = 1017  # A4 across with margins of 14 mm, at 96 pixels to the inch

# Every piece of text: its size, its place, its contrast with what lies under it.
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
    if (!node.data.trim() || !e.checkVisibility() || e.closest('script, style, noscript')) continue;
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

# Every chart: its pixels by colour.
CHARTS = r'''[...document.querySelectorAll('.chart')].map((e) => {
  const c = e.querySelector('canvas');
  if (!c) return null;
  const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(c, 0, 0);
  const p = copy.getImageData(0, 0, c.width, c.height).data, seen = {};
  let drawn = 0;
  for (let i = 0; i < p.length; i += 4) {
    if (p[i + 3] < 255) continue;
    const grey = Math.max(p[i], p[i + 1], p[i + 2]) - Math.min(p[i], p[i + 1], p[i + 2]) < 40;
    if (grey) continue;
    drawn++;
    const key = [p[i], p[i + 1], p[i + 2]].join();
    seen[key] = (seen[key] || 0) + 1;
  }
  const box = e.getBoundingClientRect();
  return {drawn, colours: Object.values(seen).filter((n) => n > 20).length, kind: e.dataset.kind,
    width: c.getBoundingClientRect().width, room: box.width};
})'''

BARS = r'''[...document.querySelectorAll('.bars')].map((e) => [...e.querySelectorAll('.track')].map(
  (t) => [...t.children].reduce((s, i) => s + i.getBoundingClientRect().width, 0)
    / t.getBoundingClientRect().width))'''


def corun(build, folder, *args, wanted=(0,)):
    p = subprocess.run([os.path.join(build, 'corun'), *args], cwd=folder, capture_output=True,
                       text=True, timeout=300,
                       env=dict(os.environ, CORUN_CACHE=os.path.join(folder, 'cache')))
    assert p.returncode in wanted, 'exit status %d: %s' % (p.returncode, p.stderr)


def make(build, folder):
    for name, args in COMPARES.items():
        corun(build, folder, 'compare', *args, '--quiet', '--html', name)
    with open(os.path.join(folder, 'sweep.yaml'), 'w') as f:
        f.write(SWEEP)
    corun(build, folder, 'sweep', 'sweep.yaml', '-o', 'results.db', '--quiet', wanted=(1,))
    corun(build, folder, 'report', 'results.db', '-o', 'report.html')


def self_contained(path):
    with open(path) as f:
        page = f.read()
    page = re.sub(r'<script type="application/json".*?</script>', '', page, flags=re.S)
    for what in (r'<link\b', r'<script[^>]*\bsrc', r'@import', r'url\(', r'<img\b', r'<iframe\b'):
        assert not re.search(what, page), 'the page has ' + what
    assert len(page) < 1000000, '%d bytes' % len(page)


def silent(browser):
    said = list(browser.complaints())
    assert not said, said[:5]


def drawn(browser, charts_n):
    charts = browser.value(CHARTS)
    assert len(charts) == charts_n, '%d charts' % len(charts)
    for c in charts:
        assert c, 'a chart without a canvas'
        assert c['drawn'] > 300 and c['colours'] >= 1, c
        assert abs(c['width'] - c['room']) <= 2, c
    bars = browser.value(BARS)
    assert bars and all(any(v > 0.02 for v in group) for group in bars), bars


def readable(browser, width):
    inside = browser.value('[document.documentElement.scrollWidth, innerWidth]')
    assert inside[0] <= inside[1], 'the page is %d wide, the window %d' % tuple(inside)
    texts = browser.value(TEXTS)
    assert len(texts) > 40
    for t in texts:
        assert t['size'] >= 12, t
        assert t['contrast'] >= 4.5, t
        assert t['left'] >= 0 and (t['right'] <= width or t['scrolls']), t
        assert t['over'] <= 1, t


def on_paper(browser, path):
    browser.ask('Emulation.setEmulatedMedia', media='print')
    browser.size(PAPER)
    try:
        over = browser.value("[...document.querySelectorAll('.wide, .bar .value')].filter((e) => "
                             "e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)")
        assert not over, 'cut off: ' + over[0][:200]
        tables = browser.value("[...document.querySelectorAll('table')].filter((t) => "
                               "!t.closest('details:not([open]), .uplot')).map((t) => "
                               "t.getBoundingClientRect().height)")
        assert tables and all(h > 20 for h in tables), tables
        pdf = base64.b64decode(browser.ask('Page.printToPDF', printBackground=True)['data'])
        assert pdf.startswith(b'%PDF') and len(pdf) > 20000, len(pdf)
        with open(path, 'wb') as f:
            f.write(pdf)
    finally:
        browser.ask('Emulation.setEmulatedMedia', media='')


def sorts(browser):
    browser.value("[...document.querySelectorAll('th button')].at(-2).click()")
    rows = browser.value("[...[...document.querySelectorAll('table')].at(-1).tBodies[0].rows].map("
                         "(r) => r.cells[r.cells.length - 2].textContent)")
    numbers = [float(v) for v in rows if re.match(r'[\d.]+$', v)]
    assert len(numbers) > 10 and numbers == sorted(numbers), rows


def changes(browser):
    browser.value("document.querySelector('select').selectedIndex = 1;"
                  "document.querySelector('select').dispatchEvent(new Event('change'))")
    drawn(browser, 2)
    silent(browser)


def titled(browser):
    assert browser.value("document.querySelector('h1').textContent") == '<b>every</b> pair & more'


def picture(browser, path):
    height = browser.value('document.documentElement.scrollHeight')
    shot = browser.ask('Page.captureScreenshot', captureBeyondViewport=True, clip={
        'x': 0, 'y': 0, 'width': browser.value('innerWidth'), 'height': min(height, 6000),
        'scale': 1})
    with open(path, 'wb') as f:
        f.write(base64.b64decode(shot['data']))


def main(build, folder=None):
    tap = Tap()
    program = shutil.which('chromium') or shutil.which('chromium-browser')
    assert program, 'no chromium: make test-html installs it'
    folder = os.path.abspath(folder or tempfile.mkdtemp(prefix='corun-pages-'))
    os.makedirs(folder, exist_ok=True)
    tap.case('pages are made', make, os.path.abspath(build), folder)
    browser = Browser(program)
    try:
        for name in PAGES:
            path = os.path.join(folder, name)
            tap.case(name + ' needs nothing else', self_contained, path)
            runs = {'two.html': 6, 'four.html': 6, 'bare.html': 2, 'report.html': 2}[name]
            for width in WIDTHS:
                browser.size(width)
                tap.case('%s opens at %d' % (name, width), browser.open, path)
                tap.case('%s draws its charts at %d' % (name, width), drawn, browser, runs)
                tap.case('%s is readable at %d' % (name, width), readable, browser, width)
                tap.case('%s says nothing in the console at %d' % (name, width), silent, browser)
                picture(browser, '%s.%d.png' % (path, width))
            tap.case(name + ' prints', on_paper, browser, path + '.pdf')
        browser.size(1280)
        tap.case('a title is text', titled, browser)
        tap.case('a click sorts', sorts, browser)
        tap.case('another metric', changes, browser)
    finally:
        browser.close()
    tap.end()


if __name__ == '__main__':
    main(*sys.argv[1:])
