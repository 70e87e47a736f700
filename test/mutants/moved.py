#!/usr/bin/env python3
"""Mutants apply to the code named by their rows in any file and any layout; a row whose text is
absent or occurs twice does not apply."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../whole'))
from common import Tap  # noqa: E402
from rows import ROOT, Edit, Mutant, Tree, all_mutants, parse, tables  # noqa: E402

EVERY = 30  # every 30th mutant is moved


def fresh():
    return Tree(ROOT)


def applies(tree, mutants):
    wrong = {m.name: tree.wrong(m) for m in mutants}
    assert not any(wrong.values()), {k: v for k, v in wrong.items() if v}


def moved(mutants):
    """Moves each function to the end of another file."""
    tree = fresh()
    for m in mutants:
        for e in m.edits:
            file, at, _ = tree.find(e)[0]
            scope = next(s for s in tree.scopes(e) if s[0] == file and s[1] <= at < s[2])
            if e.name in tree.texts or e.file:
                continue  # a file, or a function of one file
            text = tree.texts[file]
            other = next(f for f in tree.texts if f.endswith(file[-2:]) and f != file)
            tree.put(file, text[:scope[1]] + text[scope[2]:])
            tree.put(other, tree.texts[other] + text[scope[1]:scope[2]] + '\n')
    applies(tree, mutants)


def laid_out(mutants):
    """Puts comments between words, and an end of line at each blank."""
    tree = fresh()
    for file in {f for m in mutants for f in tree.files(m) if f.endswith('.c')}:
        lines = re.split(r'(?<!\\)\n', tree.plain[file])  # a macro's together
        tree.put(file, '\n'.join(
            line if re.search(r'["\'#\\]', line)
            else re.sub(r'(?<=\S) +(?=\S)', ' /* ; } */\n', line) for line in lines))
    applies(tree, mutants)


def refused():
    tree = fresh()
    tree.put('src/made_up.c', 'int made_up(int x)\n{\n    x++;\n    return x++;\n}\n')
    for old, want in ('return x++;', None), ('x--;', 'found 0 times'), ('x++;', 'found 2 times'):
        m, e = Mutant('made-up', ''), Edit('made_up')
        e.old, m.rule, m.edits = [old], 'none', [e]
        said = tree.wrong(m)
        assert want in said if want else said is None, (old, said)
    assert tree.wrong(Mutant('empty', ''))


def same():
    """What a table says is what is written for its rows."""
    for path in tables():
        with open(path) as f:
            assert f.read() == '\n'.join(m.text() for m in parse(path)), path


def main():
    tap, mutants = Tap(), list(all_mutants().values())
    some = mutants[::EVERY]
    tap.case('functions that move', moved, some)
    tap.case('comments and ends of lines', laid_out, mutants)
    tap.case('no text, or two', refused)
    tap.case('tables are in their form', same)
    tap.end()


if __name__ == '__main__':
    main()
