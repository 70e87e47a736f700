"""Reads cubins of ptxas: the machine instructions of each kernel with their source lines."""
import struct
import subprocess

INSTRUCTION_BYTES = 16  # from sm_70 on
OPCODE_BITS = 12        # the low bits of an instruction; the upper three name the operand form


def assemble(ptxas, arch, ptx, cubin):
    """Runs ptxas with line information; raises RuntimeError with its messages."""
    done = subprocess.run([ptxas, '-lineinfo', '-arch=' + arch, ptx, '-o', cubin],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)


class Cubin:
    """An ELF file with a section .text.NAME for each kernel."""
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = file.read()
        at, = struct.unpack_from('<Q', self.data, 40)
        size, n, names = struct.unpack_from('<3H', self.data, 58)
        self.rows = [struct.unpack_from('<IIQQQQIIQQ', self.data, at + k * size) for k in range(n)]
        shown = self.bytes_of(self.rows[names])
        self.names = [text(shown, row[0]) for row in self.rows]

    def bytes_of(self, row):
        """Returns the bytes of a section."""
        return self.data[row[4]:row[4] + row[5]]

    def section(self, name):
        """Returns the bytes of a section by name; b'' if absent."""
        return self.bytes_of(self.rows[self.names.index(name)]) if name in self.names else b''

    def registers(self, kernel):
        """Returns the registers per thread: the upper byte of the section's info."""
        return self.rows[self.names.index('.text.' + kernel)][7] >> 24

    def sections_of_lines(self):
        """Returns the section that each relocated address in .debug_line belongs to."""
        symbols = self.section('.symtab')
        rel, rela = self.section('.rel.debug_line'), self.section('.rela.debug_line')
        found = {}
        for data, size in ((rel, 16), (rela, 24)):
            for at in range(0, len(data), size):
                offset, info = struct.unpack_from('<QQ', data, at)
                found[offset], = struct.unpack_from('<H', symbols, (info >> 32) * 24 + 6)
        return found

    def lines(self):
        """Returns {kernel: [(opcode, line) of each instruction]}, without the padding."""
        starts = {}
        for section, address, line in line_rows(self.section('.debug_line'),
                                                self.sections_of_lines()):
            starts.setdefault(self.names[section][len('.text.'):], []).append((address, line))
        return {kernel: instructions(self.section('.text.' + kernel), sorted(rows))
                for kernel, rows in starts.items()}


def basic_blocks(code, n, arch):
    """Returns the ranges of the basic blocks in the first n instructions of a kernel's code."""
    starts = {0}
    for k in range(n):
        low, high = struct.unpack_from('<QQ', code, k * INSTRUCTION_BYTES)
        opcode = low & ((1 << OPCODE_BITS) - 1)
        if opcode in ENDS:
            starts.add(k + 1)
        if opcode in BRANCHES:
            by = (low >> 34 | high << 30) & ((1 << 48) - 1)
            by -= by >> 47 << 48
            if arch >= BYTE_AT_16:
                by = by << 8 | low >> 16 & 255
            starts.add(k + 1 + by * 4 // INSTRUCTION_BYTES)
    starts = sorted(k for k in starts if 0 <= k < n)
    return [range(*pair) for pair in zip(starts, starts[1:] + [n])]


def text(data, at):
    """Returns the string at `at`."""
    return data[at:data.index(b'\0', at)].decode()


def instructions(code, rows):
    """Returns (opcode, line) of each instruction up to the padding: a branch to itself, no-ops."""
    found, at, line = [], 0, None
    for pc in range(0, len(code), INSTRUCTION_BYTES):
        while at < len(rows) and rows[at][0] <= pc:
            line = rows[at][1]
            at += 1
        low, = struct.unpack_from('<Q', code, pc)
        found.append((low & ((1 << OPCODE_BITS) - 1), line))
    while found and found[-1][0] == NOP:
        found.pop()
    return found[:-1] if found and found[-1][0] == BRANCH else found


NOP, BRANCH, EXIT = 0x918, 0x947, 0x94d
BRANCHES = (BRANCH, 0x547)  # by predicate, by uniform predicate
ENDS = BRANCHES + (EXIT, 0x949, 0x94a, 0x94b, 0x950)  # last of a basic block: jumps, returns
BYTE_AT_16 = 90  # from this architecture on, a branch has the low byte of the distance at bit 16


def leb(data, at, signed):
    """Returns a number in LEB128 and the place behind."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    return (value - (1 << shift) if signed and byte & 64 else value), at


def line_rows(data, sections):
    """Yields (section, address, line) of each row of the DWARF line programs."""
    at = 0
    while at < len(data):
        size, version, header = struct.unpack_from('<IHI', data, at)
        end, p = at + 4 + size, at + 10
        least = data[p]
        p += 1 + (version >= 4)
        base, span, first = struct.unpack_from('<bBB', data, p + 1)
        lengths = data[p + 4:p + 3 + first]
        yield from program_rows(data, at + 10 + header, end, sections,
                                (least, base, span, first, lengths))
        at = end


def program_rows(data, at, end, sections, head):
    """Yields the rows of one line program."""
    least, base, span, first, lengths = head
    section, address, line = None, 0, 1
    while at < end:
        op = data[at]
        at += 1
        if op >= first:
            address += (op - first) // span * least
            line += base + (op - first) % span
            yield section, address, line
        elif op == 0:
            size, at = leb(data, at, False)
            if data[at] == 2:
                section = sections[at + 1]
                address, = struct.unpack_from('<Q', data, at + 1)
            elif data[at] == 1:
                address, line = 0, 1
            at += size
        elif op == 1:
            yield section, address, line
        elif op == 2:
            by, at = leb(data, at, False)
            address += by * least
        elif op == 3:
            by, at = leb(data, at, True)
            line += by
        elif op == 8:
            address += (255 - first) // span * least
        elif op == 9:
            by, = struct.unpack_from('<H', data, at)
            address, at = address + by, at + 2
        else:
            for _ in range(lengths[op - 1]):
                _, at = leb(data, at, False)
