"""Writes one case of a case file (cases.h)."""

LANES = range(32)


def words_of(data):
    return [int.from_bytes(data[k:k + 4], "little") for k in range(0, len(data), 4)]


def text(words):
    return " ".join(f"{w & 0xffffffff:x}" for w in words)


def split(values, bits):
    """Values as u32 words."""
    return [v >> s & 0xffffffff for v in values for s in range(0, bits, 32)]


class Case:
    def __init__(self, out, name, threads=32, module=""):
        self.out = out
        out.append(f"case {name} {threads}")
        if module:
            out.append(module)
        out.append("kernel")

    def code(self, *lines):
        self.out.extend(lines)
        return self

    def data(self, words):
        self.out.append(f"in: {text(words)}")
        return self

    def expect(self, first, words):
        self.out.append(f"out {first}: {text(words)}")
        return self

    def end(self):
        self.out.append("end")
