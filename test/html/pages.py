#!/usr/bin/env python3
"""The pages of compare, advise and report in a headless Chromium, in four forms (wide and narrow,
light and dark) and on paper: no message in the console, nothing loaded, charts drawn, text
readable. `make test-html` runs it; BUILD/screenshots then has a picture of each page in each form,
to be looked at.

    pages.py BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test/whole'))
import checks                # noqa: E402
from browser import Browser  # noqa: E402
from common import Tap       # noqa: E402

SWEEPS = {
    'report.html': ('''sweep: <b>every</b> pair & more
pairs: [vecadd:size=test, mm:size=test, bfs:size=test, gups:size=test]
policies: [leftover, spatial, "spatial[split=12/4]", "spatial[split=8/4/4]"]
rules: [{until: window, cycles: 4000}, {until: all-complete}]
''', 1),
    'machines.html': ('''sweep: pairs of four programs on two machines
pairs: [mm:size=test, bfs:size=test, vecadd:size=test, kmeans:size=test]
policies: [leftover, spatial, warped-slicer]
gpus: [maxwell16, fermi30]
''', 0)}
COMPARES = {
    'two.html': ['mm:size=test', 'bfs:size=test', '--policies', 'leftover,spatial,sequential',
                 '--until', 'window', '--cycles', '60000'],
    'three.html': ['mm:size=test', 'bfs:size=test', 'kmeans:size=test',
                   '--policies', 'leftover,spatial,warped-slicer', '--blame', 'online'],
    'four.html': ['mm:size=test', 'bfs:size=test', 'kmeans:size=test', 'mm:size=test',
                  '--policies', 'leftover,spatial,spatial[split=9/3/3/1]'],
    'bare.html': ['vecadd:size=test', 'gups:size=test', '--policies', 'spatial', '--alone', 'skip'],
    'requests.html': ['vecadd:n=4096,arrivals=poisson:1M,warmup=20,deadline_us=1', 'mm:size=test',
                      '--policies', 'leftover,spatial', '--until', 'window', '--cycles', '800000'],
}
ADVICES = {
    'advice.html': ['bfs:size=test', 'mm:size=test', '--goal', 'bfs<=1.6, max ws',
                    '--under', 'all'],
    'advice3.html': ['stencil:size=test', 'vecadd:size=test', 'mm:size=test', '--step', '2'],
}
LEGENDS = {  # of curves, in each page
    'two.html': [['mm', 'bfs']], 'three.html': [['mm', 'bfs', 'kmeans']],
    'four.html': [['mm', 'bfs', 'kmeans', 'mm.2']], 'bare.html': [['vecadd', 'gups']],
    'requests.html': [['leftover', 'spatial'], ['vecadd', 'mm']],
    'advice.html': [['bfs', 'mm']], 'advice3.html': [['stencil', 'vecadd', 'mm']],
    'report.html': [['leftover', 'spatial', 'spatial[split=12/4]']] * 2,  # one always failed
    'machines.html': [['leftover', 'spatial', 'warped-slicer']] * 2,
}
CHARTS_N = {'two.html': 6, 'three.html': 6, 'four.html': 6, 'bare.html': 2, 'requests.html': 9,
            'advice.html': 1, 'advice3.html': 1, 'report.html': 2, 'machines.html': 2}
FORMS = [(width, scheme) for width in (1300, 400) for scheme in ('light', 'dark')]
PAPER = 1017  # A4 across with margins of 14 mm, at 96 pixels to the inch


def corun(build, folder, *args, wanted=0):
    p = subprocess.run([os.path.join(build, 'corun'), *args], cwd=folder, capture_output=True,
                       text=True,
                       env=dict(os.environ, CORUN_CACHE=os.path.join(folder, 'cache')))
    assert p.returncode == wanted, 'exit status %d: %s' % (p.returncode, p.stderr)


def make(build, folder):
    for name, args in COMPARES.items():
        corun(build, folder, 'compare', *args, '--quiet', '--html', name)
    for name, args in ADVICES.items():
        corun(build, folder, 'advise', *args, '--quiet', '--html', name)
    for name, (sweep, status) in SWEEPS.items():
        with open(os.path.join(folder, 'sweep.yaml'), 'w') as f:
            f.write(sweep)
        corun(build, folder, 'sweep', 'sweep.yaml', '-o', name + '.db', '--quiet', wanted=status)
        corun(build, folder, 'report', name + '.db', '-o', name)


def self_contained(path):
    with open(path) as f:
        page = f.read()
    page = re.sub(r'<script type="application/json".*?</script>', '', page, flags=re.S)
    for what in (r'<link\b', r'<script[^>]*\bsrc', r'@import', r'url\(', r'<img\b', r'<iframe\b'):
        assert not re.search(what, page), 'the page has ' + what
    assert len(page) < 1000000, '%d bytes' % len(page)


def titled(browser):
    assert browser.value("document.querySelector('h1').textContent") == '<b>every</b> pair & more'


def form(tap, browser, path, shots, width, scheme):
    name, said = os.path.basename(path), '%s at %d, %s, ' % (os.path.basename(path), width, scheme)
    browser.size(width)
    browser.scheme(scheme)
    tap.case(said + 'opens', browser.open, path)
    tap.case(said + 'has its charts', checks.drawn, browser, CHARTS_N[name],
             name not in ADVICES)
    tap.case(said + 'is readable', checks.readable, browser, width)
    tap.case(said + 'has the colours for it', checks.coloured, browser, scheme)
    tap.case(said + 'has tables that scroll', checks.scrollable, browser, width == 400)
    tap.case(said + 'says nothing in the console', checks.silent, browser)
    checks.picture(browser, os.path.join(shots, '%s-%d-%s.png' % (name[:-5], width, scheme)))


def page(tap, browser, path, shots):
    name = os.path.basename(path)
    tap.case(name + ' needs nothing else', self_contained, path)
    for width, scheme in FORMS:
        form(tap, browser, path, shots, width, scheme)
    browser.size(1010)  # just above the switch from two columns to one
    browser.scheme('light')
    tap.case(name + ' has wide bars in narrow columns', checks.readable, browser, 1010)
    tap.case(name + ' has separators in its numbers', checks.separated, browser)
    tap.case(name + ' has legends without empty entries', checks.legends, browser, LEGENDS[name])
    tap.case(name + ' says what is under the pointer', checks.points_out, browser)
    tap.case(name + ' is redrawn when the setting changes', checks.redrawn, browser)
    tap.case(name + ' shows the focus', checks.focused, browser,
             1 if name in ADVICES else 3)
    if name in COMPARES:
        tap.case(name + ' marks cut curves', checks.marked, browser, name == 'three.html')
    tap.case(name + ' prints', checks.on_paper, browser, PAPER,
             os.path.join(shots, name[:-5] + '.pdf'))


def main(build):
    tap = Tap()
    program = shutil.which('chromium') or shutil.which('chromium-browser')
    assert program, 'no chromium: make test-html installs it'
    build = os.path.abspath(build)
    shots = os.path.join(build, 'screenshots')
    os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='corun-pages-') as folder:
        tap.case('pages are made', make, build, folder)
        browser = Browser(program)
        try:
            for name in [*COMPARES, *ADVICES, *SWEEPS]:
                page(tap, browser, os.path.join(folder, name), shots)
            browser.size(1300)
            tap.case('report.html opens', browser.open, os.path.join(folder, 'report.html'))
            tap.case('a title is text', titled, browser)
            tap.case('a click sorts', checks.sorts, browser)
            tap.case('another metric', checks.changes, browser, 2)
        finally:
            browser.close()
    tap.end()


if __name__ == '__main__':
    main(*sys.argv[1:])
