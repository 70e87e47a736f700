"""Causes of deviations from a paper: runs of the same apps on machines with a limit removed."""
import lib


def by_limit(runs, without):
    """Returns {removed limit in words: runs}; '' is the unchanged machine. without: [(option of
    the machine, words)]."""
    of = {}
    for r in runs:
        words = [w for option, w in without if option in r.row['options'].split()]
        of.setdefault(words[0] if words else '', []).append(r)
    return of


def nearer(verdict, shipped):
    """Returns True if `verdict` is nearer to the paper than `shipped`: the gap between measured and
    printed change is at least a quarter smaller; for a statement in words, the statement holds only
    under `verdict`. False if the word of `verdict` is worse, or if `shipped` holds: then nothing is
    left to explain."""
    if lib.rank(verdict) > lib.rank(shipped) or lib.word(shipped) == lib.HOLDS:
        return False
    parts = [lib.part(v) for v in (verdict, shipped)]
    if None in parts:
        return lib.word(verdict) == lib.HOLDS
    return abs(parts[0] - 1) <= 0.75 * abs(parts[1] - 1)


def find(v, target, what, of, measure):
    """Sets the cause of the row of `target` to be added to v next: the removed limits without which
    measure(data) -> (measured value, verdict) is nearer to the paper; without such a limit, what
    was tried. of: {removed limit in words: data}, with the unchanged machine under ''. what: words
    before the unchanged machine's value."""
    forget(v, target)
    shipped, verdict = measure(of[''])
    others = {words: measure(data) for words, data in of.items() if words}
    found = ['%s %s' % (words, said) for words, (said, its) in others.items()
             if nearer(its, verdict)]
    if found:
        v.why[target] = '{what} {shipped}; {without}.'
        v.facts[target] = {'what': what, 'shipped': shipped, 'without': ', '.join(found)}
    else:
        v.tried[target] = '%s %s; %s' % (
            what, shipped, ', '.join('%s %s' % (words, said) for words, (said, _) in
                                     others.items()))


def forget(v, target):
    """Forgets a cause: another row of the same target has another."""
    for known in (v.why, v.facts, v.tried):
        known.pop(target, None)


class Rows:
    """Rows of programs computed from data of runs. Each row that does not hold names a cause."""

    def __init__(self, v, data, machines):
        """data: of the rows; machines: as find()'s `of`, with data of the same form."""
        self.v, self.data, self.machines = v, data, machines

    def add(self, target, what, paper, measure):
        """measure(data) -> (measured value, verdict)."""
        find(self.v, target, what + ':', self.machines, measure)
        self.v.add(target, what, paper, programs=measure(self.data))
        forget(self.v, target)

    def number(self, target, what, paper, measure, **rule):
        """measure(data) -> a number in the paper's unit; rule: options of lib.like."""
        def of(data):
            x = measure(data)
            return lib.show(x), lib.like(x, paper, **rule)
        self.add(target, what, lib.show(paper), of)

    def count(self, target, what, paper, measure):
        def of(data):
            x = measure(data)
            return str(x), lib.like(x, paper, 0, one_way=True)
        self.add(target, what, str(paper), of)
