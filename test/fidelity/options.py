"""Option files of GPGPU-Sim (`-name value`, `#` comments) and of its crossbar (`name = value;`)."""
import os
import re


class Options:
    """The options of a file; remembers which options were read. A value in quotes may span several
    lines. Older files leave out the `gpgpu_` before a name."""

    def __init__(self, path):
        self.path = path
        self.values = {}
        self.asked = set()
        with open(path) as f:
            text = ''.join(line.split('#')[0].rstrip() + '\n' for line in f)
        text = re.sub(r'"[^"]*"', lambda m: ''.join(m.group()[1:-1].split()), text)
        for line in text.splitlines():
            words = line.split(None, 1)
            if len(words) == 2 and words[0].startswith('-'):
                self.values[words[0][1:]] = words[1].strip()

    def name(self, name):
        """Returns the spelling used by the file."""
        short = name.replace('gpgpu_', '', 1)
        return short if name not in self.values and short in self.values else name

    def text(self, name, default=None):
        name = self.name(name)
        self.asked.add(name)
        value = self.values.get(name, default)
        if value is None:
            raise ValueError('%s: there is no option -%s' % (self.path, name))
        return value

    def number(self, name, default=None):
        return int(self.text(name, None if default is None else str(default)))

    def numbers(self, name, default=None):
        return [int(x) for x in self.text(name, default).split(',')]

    def source(self, *names):
        """Where a value came from, as a sentence for the machine file."""
        said = ['-%s %s' % (n, self.values[n]) if n in self.values else '-%s by default' % n
                for n in map(self.name, names)]
        return '; '.join(said)

    def left(self):
        """Options nobody asked for, in the order of the file."""
        return [n for n in self.values if n not in self.asked]


class Network:
    """The crossbar's own file."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        with open(path) as f:
            text = re.sub(r'//[^\n]*', '', f.read())
        self.values = dict(re.findall(r'(\w+)\s*=\s*([^;]+);', text))

    def number(self, name, default):
        return int(float(self.values.get(name, default)))

    def text(self, name, default):
        return self.values.get(name, default).strip()

    def source(self, *names):
        return '; '.join('%s: %s = %s' % (self.name, n, self.values.get(n, 'default'))
                         for n in names)


class Cache:
    """KIND:SETS:LINE:WAYS,REPLACE:WRITE:ALLOCATE:WRITE MISS:INDEX,MSHR:ENTRIES:MERGES,QUEUE,PORT"""

    def __init__(self, text):
        shape, policy, mshr, queue, *port = text.split(',')
        self.kind, self.sets, self.line, self.ways = numbers_after(shape, 1)
        self.replace, self.write, self.allocate, self.write_miss, self.index = policy.split(':')
        self.mshr_kind, self.entries, self.merges = numbers_after(mshr, 1)
        self.queue = int(queue.split(':')[0])
        self.port = int(port[0]) if port else self.line
        self.sector = 32 if self.kind == 'S' else self.line


def numbers_after(text, words):
    """`A:1:2` as ['A', 1, 2]."""
    parts = text.split(':')
    return parts[:words] + [int(x) for x in parts[words:]]
