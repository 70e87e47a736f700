#!/usr/bin/env python3
"""Puts the table of results.csv into docs/reference/cuda.md, between two marks."""
import collections
import csv
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, '../../docs/reference/cuda.md')
BEGIN, END = '<!-- table -->\n', '<!-- end -->\n'
WORDS = {'right': 'right', 'ran': 'ran to its end',
         'waived': 'waived', 'wrong': 'wrong', 'failed': 'failed',
         'too long': 'too long', 'does not compile': 'does not compile', 'out': 'left out',
         'no input': 'no input', 'compiles': 'not run'}


def table(rows):
    suites = sorted({r['suite'] for r in rows})
    lines = ['| suite | programs | ' + ' | '.join(WORDS.values()) + ' |',
             '|---' * (len(WORDS) + 2) + '|']
    for suite in suites:
        count = collections.Counter(r['result'] for r in rows if r['suite'] == suite)
        cells = [str(count[w] or '') for w in WORDS]
        lines.append(f'| {suite} | {sum(count.values())} | ' + ' | '.join(cells) + ' |')
    for suite in suites:
        lines += ['', f'### {suite}', '', '| program | what happened | why |', '|---|---|---|']
        for r in rows:
            if r['suite'] == suite:
                why = r['why'].replace('|', '\\|')
                lines.append(f"| {(r['program'] + ' ' + r['arguments']).strip()} | "
                             f"{WORDS[r['result']]} | {why} |")
    return '\n'.join(lines) + '\n'


def main():
    with open(os.path.join(HERE, 'results.csv'), newline='') as f:
        rows = list(csv.DictReader(f))
    with open(PAGE) as f:
        page = f.read()
    head, rest = page.split(BEGIN)
    with open(PAGE + '.new', 'w') as f:
        f.write(head + BEGIN + '\n' + table(rows) + '\n' + END + rest.split(END)[1])
    os.replace(PAGE + '.new', PAGE)


if __name__ == '__main__':
    main()
