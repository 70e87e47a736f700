#!/usr/bin/env python3
"""Whether databases hold the same runs: tables meta, run, app and stat; the first difference is
shown.

    tables.py A.db B.db...
"""
import sqlite3
import sys


def tables(path):
    """Returns the results of the simulations, without the host's figures."""
    db = sqlite3.connect(path)
    try:
        return {name: sorted(map(repr, db.execute('select * from ' + name)))
                for name in ('meta', 'run', 'app', 'stat')}
    finally:
        db.close()


def main():
    first = tables(sys.argv[1])
    for path in sys.argv[2:]:
        other = tables(path)
        for name in first:
            apart = sorted(set(first[name]) ^ set(other[name]))
            if apart or first[name] != other[name]:
                sys.exit('table %s of %s differs: %s' % (name, path, (apart or ['order'])[0]))


if __name__ == '__main__':
    main()
