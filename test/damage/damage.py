#!/usr/bin/env python3
"""Copies of a sweep's database, each with a single damage: corun accepts no copy with changed
contents, --verify finds each damage, --repair leaves the original tables.

    damage.py BUILD      DAMAGED=N in the environment: number of copies, by default a copy of each
                         kind, with CORUN_TEST three
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cli'))
from tables import tables

SWEEP = '''pairs: [vecadd:size=test, mm:size=test, bfs:size=test]
policies: [leftover, "spatial[split=even]"]
rules: {until: window, cycles: 500}
'''
PAGE = 4096
HEAD = b'SQLite format 3\0'


# ---- ways to damage a database ----

def edit(path, change):
    with open(path, 'r+b') as f:
        data = bytearray(f.read())
        data = change(data) or data
        f.seek(0)
        f.write(data)
        f.truncate()


def bytes_changed(path, rng):
    def change(data):
        for _ in range(rng.choice((1, 1, 3, 20))):
            data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    edit(path, change)


def head_changed(path, rng):
    def change(data):
        data[rng.randrange(PAGE)] ^= 1 << rng.randrange(8)
    edit(path, change)


def page_of(data, rng):
    return rng.randrange(len(data) // PAGE) * PAGE


def page_zeroed(path, rng):
    def change(data):
        at = page_of(data, rng)
        data[at:at + PAGE] = bytes(PAGE)
    edit(path, change)


def page_of_another(path, rng):
    def change(data):
        to, of = page_of(data, rng), page_of(data, rng)
        data[to:to + PAGE] = data[of:of + PAGE]
    edit(path, change)


def cut_short(path, rng):
    edit(path, lambda data: data[:rng.randrange(len(data))])


def whole_page_cut(path, rng):
    edit(path, lambda data: data[:page_of(data, rng)])


def ask(path, sql, *values):
    db = sqlite3.connect(path)
    try:
        rows = db.execute(sql, values).fetchall()
        db.commit()
        return rows
    finally:
        db.close()


def number_changed(path, rng):
    rows = ask(path, 'select rowid from stat where value is not null')
    ask(path, 'update stat set value = value + 1 where rowid = ?', rng.choice(rows)[0])


def word_changed(path, rng):
    column = rng.choice(('apps', 'policy', 'gpu', 'options', 'until', 'status', 'reason', 'key',
                         'seed', 'cycles', 'program', 'input_hash', 'checksum', 'position'))
    row = rng.choice(ask(path, 'select id from run'))[0]
    ask(path, "update run set %s = '31' where id = ?" % column, row)


def statistics_gone(path, rng):
    row = rng.choice(ask(path, 'select id from run'))[0]
    ask(path, 'delete from stat where run = ? and random() %% %d = 0' % rng.choice((1, 2, 20)), row)
    ask(path, "delete from stat where run = ? and key = 'cycles'", row)


def run_gone(path, rng):
    ask(path, 'delete from run where id = ?', rng.choice(ask(path, 'select id from run'))[0])


def word_of_meta(path, rng):
    key, = rng.choice(ask(path, 'select key from meta'))
    way = rng.choice(("update meta set value = 2 where key = ?", 'delete from meta where key = ?',
                      "update meta set value = value || 'a' where key = ?",
                      "update meta set key = 'other' where key = ?"))
    ask(path, way, key)


def number_twice(path, rng):
    row = rng.choice(ask(path, 'select rowid from stat'))[0]
    ask(path, 'insert into stat select * from stat where rowid = ?', row)


def schema_changed(path, rng):
    db = sqlite3.connect(path)
    name, sql = rng.choice(db.execute('select name, sql from sqlite_master where sql is not null')
                           .fetchall())
    at = rng.randrange(len(sql))
    db.execute('pragma writable_schema = on')
    db.execute('update sqlite_master set sql = ? where name = ?',
               (sql[:at] + rng.choice('ax(, ') + sql[at + 1:], name))
    db.commit()
    db.close()


WAYS = [bytes_changed, head_changed, page_zeroed, page_of_another, cut_short, whole_page_cut,
        number_changed, word_changed, statistics_gone, run_gone, number_twice, schema_changed,
        word_of_meta]


# ---- corun's answers ----

class Case:
    def __init__(self, corun, path, sound):
        self.corun, self.path, self.sound = corun, path, sound

    def run(self, *args):
        p = subprocess.run([self.corun, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           errors='replace')
        self.said = p.stdout + p.stderr
        return p.returncode

    def right(self):
        try:
            whole = ask(self.path, 'pragma integrity_check') == [('ok',)]
            return whole and tables(self.path) == self.sound
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return False

    def expect(self, condition, what):
        assert condition, '%s\n%s' % (what, self.said)

    def copy(self, name):
        """Copies the database alone, without SQLite's files beside."""
        return Case(self.corun, shutil.copy(self.path, name), self.sound)

    def headless(self):
        """A file without the head of a database: for corun, some other file."""
        with open(self.path, 'rb') as f:
            head = f.read(16)
        return head != b'' and head != HEAD

    def refused(self):
        """Refused by name as a file other than a database, and left unchanged."""
        with open(self.path, 'rb') as f:
            before = f.read()
        for way in ['--verify'], ['--repair'], []:
            ended = self.run('sweep', 's.yaml', '-o', self.path, *way)
            self.expect(ended == 2 and self.path in self.said and 'not a database' in self.said,
                        '%s ended with %d' % (way, ended))
        with open(self.path, 'rb') as f:
            self.expect(f.read() == before, 'it was written to')
        return False

    def check(self):
        if self.headless():
            return self.refused()
        right = self.right()
        verified = self.run('sweep', 's.yaml', '-o', self.path, '--verify')
        self.expect(verified in (0, 1), '--verify ended with %d' % verified)
        self.expect(right or verified == 1, '--verify calls it sound')
        self.expect(verified == 0 or 'damaged' in self.said or 'database' in self.said
                    or 'empty' in self.said or 'schema' in self.said, '--verify names nothing')
        self.expect(self.path in self.said, '--verify does not name the file')

        plain = self.copy('plain.db')
        ended = plain.run('sweep', 's.yaml', '-o', plain.path)
        plain.expect(ended in (0, 2), 'a sweep ended with %d' % ended)
        plain.expect(ended == 2 or plain.right(), 'a sweep accepted it')
        plain.expect(ended == 0 or '--repair' in plain.said or 'schema' in plain.said
                     or 'not a database of corun' in plain.said, 'a sweep does not say what helps')

        table = self.copy('table.db')
        ended = table.run('export', table.path, '--csv', '-')
        table.expect(ended == 2 or right, 'export accepted it')

        page = self.copy('page.db')
        ended = page.run('report', page.path, '-o', 'page.html')
        page.expect(ended in (0, 2), 'report ended with %d' % ended)
        page.expect(ended == 2 or right or 'warning' in page.said or verified == 1
                    and 'rows without a run' in self.said, 'report accepted it')

        merged = self.copy('part.db')
        if os.path.exists('all.db'):
            os.unlink('all.db')
        ended = merged.run('merge', merged.path, '-o', 'all.db')
        merged.expect(ended in (0, 1, 2), 'merge ended with %d' % ended)
        if ended == 0:
            merged.path = 'all.db'
            merged.expect(merged.right(), 'merge accepted it')

        ended = self.run('sweep', 's.yaml', '-o', self.path, '--repair')
        self.expect(ended == 0, '--repair ended with %d' % ended)
        self.expect(self.right(), '--repair did not put it right')
        return right


def main():
    corun = os.path.join(os.path.abspath(sys.argv[1]), 'corun')
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ['CORUN_CACHE'] = os.path.join(folder, 'cache')
        with open('s.yaml', 'w') as f:
            f.write(SWEEP)
        subprocess.run([corun, 'sweep', 's.yaml', '-o', 'sound.db', '--quiet'], check=True)
        sound = tables('sound.db')
        few = len(WAYS) * (3 if 'CORUN_TEST' in os.environ else 1)
        copies = int(os.environ.get('DAMAGED', few))
        print('1..%d' % copies)
        for i in range(copies):
            rng, way = random.Random(i), WAYS[i % len(WAYS)]
            path = shutil.copy('sound.db', 'copy%d.db' % i)
            way(path, rng)
            try:
                harmless = Case(corun, path, sound).check()
                print('ok %d %s%s' % (i + 1, way.__name__, ', harmless' if harmless else ''))
            except AssertionError as e:
                failed += 1
                print('not ok %d %s\n# %s' % (i + 1, way.__name__, str(e).replace('\n', '\n# ')))
            for name in os.listdir('.'):
                if name.startswith('copy'):
                    os.unlink(name)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
