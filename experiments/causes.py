"""Causes of deviations from a paper: runs of the same apps on machines with a limit removed."""
import lib

ALL = 'with all these limits removed'
OPTION = 'with `'  # begins the words of a policy's option, which many rows do not have
FEW_SETS = 20  # one set in so many may be left out of a mean as an exception


def by_limit(runs, without):
    """Returns {removed limit in words: runs}; '' is the unchanged machine, ALL a machine with
    several limits removed. without: [(option of the machine, words)]."""
    of = {}
    for r in runs:
        words = [w for option, w in without if option in r.row['options'].split()]
        of.setdefault(ALL if len(words) > 1 else ''.join(words), []).append(r)
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


def beyond(a, b):
    """Returns True if one of two verdicts is on a number above the paper's, the other below."""
    parts = [lib.part(v) for v in (a, b)]
    return None not in parts and (parts[0] < 1) != (parts[1] < 1)


def find(what, machines, measure, row='-'):
    """Returns the lib.Cause of a row: the removed limits without which measure(data) -> (measured
    value, verdict) is nearer to the paper; without such a limit, what was tried. machines:
    {removed limit in words: data}, with the unchanged machine under ''. what: words before the
    unchanged machine's value. row: the verdict of the row, over other sets or another window."""
    cells = {words: measure(data) for words, data in (machines or {}).items()}
    shipped, verdict = cells.pop('', ('-', '-'))
    if verdict == '-':
        return lib.UNKNOWN
    others = {words: cell for words, cell in cells.items() if cell[1] != '-'}
    if lib.word(verdict) == lib.HOLDS:
        return lib.Cause(lib.ISOLATED, '%s %s in the runs beside those without single limits: the '
                         'row depends on the choice of sets and window.' % (what, shipped))
    if row != '-' and beyond(row, verdict):
        return lib.Cause(lib.TRIED, "%s %s in the runs beside those without single limits, on the "
                         "other side of the paper's number." % (what, shipped))
    found = ['%s %s' % (words, said) for words, (said, its) in others.items()
             if nearer(its, verdict)]
    tried = ['%s %s' % (words, said) for words, (said, _) in others.items()
             if not words.startswith(OPTION) or said != shipped]
    if not found and not tried:
        return lib.UNKNOWN
    return lib.Cause(lib.ISOLATED if found else lib.TRIED,
                     '%s %s; %s.' % (what, shipped, ', '.join(found or tried)))


def one_app(said, without):
    """Returns the lib.Cause of a mean that would hold without the sets of a single app; None of
    another mean. without: {app: (mean without the app's sets, verdict)}."""
    holds = ['%s without %s' % (x, app) for app, (x, verdict) in without.items()
             if lib.word(verdict) == lib.HOLDS]
    return lib.Cause(lib.ISOLATED, '%s depends on the choice of programs: %s.' % (
        said, ', '.join(holds))) if holds else None


def few_sets(said, x, judged):
    """Returns the lib.Cause of a mean that would hold without the few sets, at most one in
    FEW_SETS, with the greatest values (of a pair of numbers the greater counts); None of another
    mean. judged(mean) -> (measured value, verdict)."""
    if x.average not in (lib.gmean, lib.mean, lib.ratio_of_means):
        return None

    def size(names):
        value = x.of[names]
        return max(value) if x.average is lib.ratio_of_means else value
    greatest = sorted(x.of, key=size, reverse=True)[:len(x.of) // FEW_SETS]
    for n in range(1, len(greatest) + 1):
        left = {names: v for names, v in x.of.items() if names not in greatest[:n]}
        mean, verdict = judged(lib.Mean(left, x.average))
        if lib.word(verdict) == lib.HOLDS:
            return lib.Cause(lib.ISOLATED, '%s depends on %d of %d sets: %s without %s.' % (
                said, n, len(x.of), mean, lib.listed(['+'.join(s) for s in greatest[:n]])))
    return None


def bound(measured, paper, limit, said, **rule):
    """Returns the lib.Cause of a number if the best of all choices, `limit`, does not hold either
    and lies on the same side of the paper's number; else None."""
    parts = [lib.part(lib.like(x, paper, **rule)) for x in (measured, limit)]
    if None in parts or abs(parts[1] - 1) <= lib.CLOSE or (parts[0] < 1) != (parts[1] < 1):
        return None
    return lib.Cause(lib.BOUNDED, said)


class Rows:
    """Rows computed from data of runs. Each verdict that does not hold has a cause."""

    def __init__(self, v, programs, machines, stand_ins=None, stand_in_machines=None):
        """programs, stand_ins: data of the columns. machines: as in find(), with data of the same
        form."""
        self.v, self.columns = v, [(stand_ins, stand_in_machines), (programs, machines)]

    def add(self, target, what, paper, measure, other=lambda data: None, known=None):
        """Adds a row. measure(data) -> (measured value, verdict). other(data) -> the cause if no
        removed limit is a cause, or None. known: the cause of both columns, found before."""
        cells, found = [], []
        for data, machines in self.columns:
            cells.append(measure(data) if data else None)
            cause = known or find(what + ':', machines, measure, cells[-1][1] if data else '-')
            if data and cause.kind == lib.TRIED:
                cause = other(data) or cause
            found.append(cause)
        if all(cells) and found[1].kind == lib.TRIED and (
                lib.word(cells[0][1]) == lib.HOLDS or nearer(cells[0][1], cells[1][1])):
            found[1] = lib.Cause(lib.ISOLATED, "%s: %s; with stand-ins, which have the paper's "
                                 'isolated rows, %s.' % (what, cells[1][0], cells[0][0]))
        self.v.add(target, what, paper, *cells, because=found)

    def number(self, target, what, paper, measure, show=lib.show, beside=lambda data: '',
               known=None, best=None, **rule):
        """Adds a row. measure(data) -> a number in the paper's unit; show(number) -> text;
        beside(data) -> text behind the number; known as in add(); best: (words, as measure) of the
        best of all choices in each set, a bound, or the cause if only the best choice holds; rule:
        options of lib.like."""
        def judged(x):
            return show(x), lib.like(x, paper, **rule)

        def cell(data):
            said, verdict = judged(measure(data))
            return said + beside(data), verdict

        def other(data):
            x = measure(data)
            found = one_app('%s: %s' % (what, show(x)), {
                app: judged(y) for app, y in getattr(x, 'without', {}).items()})
            if not found and hasattr(x, 'of'):
                found = few_sets('%s: %s' % (what, show(x)), x, judged)
            if found or not best:
                return found
            limit = best[1](data)
            text = '%s: %s reaches %s.' % (what, best[0], show(limit))
            if lib.word(judged(limit)[1]) == lib.HOLDS:
                return lib.Cause(lib.ISOLATED, text)
            return bound(x, paper, limit, text, **rule)
        self.add(target, what, show(paper), cell, other, known)

    def count(self, target, what, paper, measure):
        """Adds a row. measure(data) -> a whole number."""
        def cell(data):
            x = measure(data)
            return str(x), lib.like(x, paper, 0, one_way=True)
        self.add(target, what, str(paper), cell)
