"""Expected outputs of programs that do not check themselves: computed from their input, or by the
suite's CPU program (cpu_build). Each function returns (whether the output is right,
a description)."""
import itertools
import math
import os
import re
import shutil
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def numbers(path):
    with open(path) as f:
        return [float(x) for x in f.read().split()]


def bfs(said, folder):
    with open(os.path.join(folder, 'graph.txt')) as f:
        words = [int(x) for x in f.read().split()]
    n = words[0]
    nodes = [(words[1 + 2 * i], words[2 + 2 * i]) for i in range(n)]
    source, edges = words[1 + 2 * n], words[3 + 2 * n::2]
    cost = [-1] * n
    cost[source], queue = 0, [source]
    for at in queue:
        start, count = nodes[at]
        for to in edges[start:start + count]:
            if cost[to] < 0:
                cost[to] = cost[at] + 1
                queue.append(to)
    with open(os.path.join(folder, 'result.txt')) as f:
        got = [int(x) for x in re.findall(r'cost:(-?\d+)', f.read())]
    return got == cost, f'{sum(a == b for a, b in zip(got, cost))} of {n} costs as computed anew'


def hotspot(said, folder):
    side, steps = 64, 2
    temp = numbers(os.path.join(folder, 'temp.txt'))
    power = numbers(os.path.join(folder, 'power.txt'))
    # the constants of the program
    height = width = 0.016 / side
    cap = 0.5 * 1.75e6 * 0.0005 * width * height
    rx = width / (2.0 * 100 * 0.0005 * height)
    ry = height / (2.0 * 100 * 0.0005 * width)
    rz = 0.0005 / (100 * height * width)
    step = 0.001 / (3.0e6 / (0.5 * 0.0005 * 1.75e6))
    for _ in range(steps):
        new = []
        for y in range(side):
            for x in range(side):
                def at(yy, xx):
                    return temp[min(max(yy, 0), side - 1) * side + min(max(xx, 0), side - 1)]
                t = at(y, x)
                new.append(t + step / cap * (power[y * side + x] +
                                             (at(y + 1, x) + at(y - 1, x) - 2 * t) / ry +
                                             (at(y, x + 1) + at(y, x - 1) - 2 * t) / rx +
                                             (80.0 - t) / rz))
        temp = new
    got = numbers(os.path.join(folder, 'out.txt'))[1::2]
    worst = max((abs(a - b) for a, b in zip(got, temp)), default=1)
    return len(got) == len(temp) and worst < 0.01, f'differs by {worst:.2g} from its formula'


def nn(said, folder):
    found = []
    with open(os.path.join(folder, 'records.txt')) as f:
        for line in f:
            lat, lng = float(line[27:33]), float(line[33:39])
            found.append(((lat - 30) ** 2 + (lng - 90) ** 2) ** 0.5)
    want = sorted(found)[:5]
    got = [float(x) for x in re.findall(r'Distance=([\d.]+)', said)]
    near = len(got) == 5 and all(abs(a - b) < 1e-3 * max(b, 1) for a, b in zip(sorted(got), want))
    return near, 'the five nearest as computed anew' if near else f'{got} instead of {want}'


def pathfinder(said, folder):
    rows = [[int(x) for x in line.split()] for line in said.splitlines()
            if re.fullmatch(r'[\d ]+', line.strip() or 'x')]
    rows = [r for r in rows if len(r) == 1000]
    if len(rows) < 3:
        return None, 'no check of its own'
    wall, got = rows[:-2], rows[-1]
    best = wall[0]
    for row in wall[1:]:
        best = [row[i] + min(best[max(i - 1, 0):i + 2]) for i in range(len(row))]
    return got == best, 'its last row as computed anew'


# ---- copies recorded by watch.c ----

def copied(folder):
    """Returns [(1: to the device, 2: from the device; bytes)]."""
    with open(os.path.join(folder, 'copied'), 'rb') as f:
        seen = f.read()
    copies, at = [], 0
    while at < len(seen):
        kind, size = struct.unpack_from('<QQ', seen, at)
        copies.append((kind, seen[at + 16:at + 16 + size]))
        at += 16 + size
    return copies


def of(kind, data):
    return list(memoryview(data).cast(kind))


def worst_of(got, want):
    """The largest difference, relative where numbers are large. NaN counts as different."""
    if len(got) != len(want) or not got:
        return float('inf')
    worst = 0.0
    for a, b in zip(got, want):
        d = abs(a - b) / max(1.0, abs(b))
        worst = max(worst, d if d == d else float('inf'))
    return worst


def near(got, want, limit, whose):
    worst = worst_of(got, want)
    return worst <= limit, f'{len(got)} numbers differ by at most {worst:.2g} from {whose}'


def gaussian(said, folder):
    """The product of the triangular factors must be the original matrix."""
    n = 16
    (_, _), (_, begin), (_, rhs), (_, m), (_, a), (_, b) = copied(folder)
    begin, rhs, m, a, b = (of('f', x) for x in (begin, rhs, m, a, b))
    lower = [[1 if i == j else m[i * n + j] if j < i else 0 for j in range(n)] for i in range(n)]
    upper = [[a[i * n + j] if j >= i else 0 for j in range(n)] for i in range(n)]
    again = [sum(lower[i][k] * upper[k][j] for k in range(n)) for i in range(n) for j in range(n)]
    again += [sum(lower[i][k] * b[k] for k in range(n)) for i in range(n)]
    return near(again, begin + rhs, 1e-4, 'what it factored')


def backprop(said, folder):
    """Both kernels of backprop, from their inputs."""
    n, hidden = 1024, 16
    (_, units), (_, weights), (_, sums), (_, delta), (_, before), (_, again), _, (_, new) = \
        copied(folder)
    units, weights, sums, delta, before, again, new = (
        of('f', x) for x in (units, weights, sums, delta, before, again, new))
    width = hidden + 1
    want = [sum(units[b * 16 + y + 1] * weights[width * (b * 16 + y + 1) + x + 1]
                for y in range(16)) for b in range(n // 16) for x in range(hidden)]
    got = list(sums)
    for i in range(n + 1):
        for x in range(1, width):
            at = i * width + x
            unit = units[i] if i else 1.0
            want.append(again[at] + 0.3 * delta[x] * unit + 0.3 * before[at])
            got.append(new[at])
    return near(got, want, 1e-4, 'sums and weights computed anew')


# ---- the suite's programs for the CPU ----

def cpu_run(folder, where, build, command, inputs=()):
    """Builds and runs openmp/WHERE with inputs from the program's folder. Returns the folder and
    the output."""
    suite = folder[:folder.index('gpu-rodinia')] + 'gpu-rodinia/openmp'
    place = os.path.join(suite, where)
    for name in inputs:
        shutil.copy(os.path.join(folder, name), place)
    subprocess.run(f'{build} -w -O2 -fopenmp -fcommon -o cpu -lm', shell=True, cwd=place,
                   check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(command, shell=True, cwd=place, check=True, stdout=subprocess.PIPE)
    return place, done.stdout.decode(errors='replace')


def floats(text):
    return [float(x) for x in re.findall(r'[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)', text)]


def floats_of(folder, *names):
    found = []
    for name in names:
        with open(os.path.join(folder, name)) as f:
            found += floats(f.read())
    return found


def same_file(folder, place, name):
    with open(os.path.join(folder, name)) as a, open(os.path.join(place, name)) as b:
        got, want = (re.sub('GPU|CPU', '', f.read()).split() for f in (a, b))
    same = sum(x == y for x, y in zip(got, want))
    return got == want and len(got) > 9, f'{same} of {len(want)} words as the CPU\'s'


def nw(said, folder):
    place, _ = cpu_run(folder, 'nw', 'g++ -DTRACEBACK needle.cpp', './cpu 64 10 1')
    return same_file(folder, place, 'result.txt')


def srad_v1(said, folder):
    place, _ = cpu_run(folder, 'srad/srad_v1', 'gcc main.c', './cpu 2 0.5 64 64 1')
    got, want = (floats_of(p, 'image_out.pgm') for p in (folder, place))
    far = max(abs(a - b) for a, b in zip(got, want)) # they are cut to whole levels of grey
    return len(got) == len(want) > 4096 and far <= 1, f'{far:.0f} of 255 is the largest difference'


def srad_v2(said, folder):
    _, want = cpu_run(folder, 'srad/srad_v2', 'g++ -DOUTPUT srad.cpp',
                      './cpu 64 64 0 31 0 31 1 0.5 2')
    got, want = ([float(x) for x in re.findall(r'\d+\.\d{5}', text)] for text in (said, want))
    return near(got, want, 1e-4, 'the CPU\'s')


def lavaMD(said, folder):
    place, _ = cpu_run(folder, 'lavaMD', 'gcc -DOUTPUT main.c kernel/kernel_cpu.c util/*/*.c',
                       './cpu -cores 1 -boxes1d 2')
    return near(floats_of(folder, 'result.txt'), floats_of(place, 'result.txt'), 1e-4,
                'the CPU\'s')


def cfd(source, limit):
    def check(said, folder):
        place, _ = cpu_run(folder, 'cfd', f'g++ -Dblock_length=8 {source}', './cpu mesh.txt',
                           ['mesh.txt'])
        got, want = ([x for name in ('density', 'momentum', 'density_energy')
                      for x in floats_of(p, name)[2:]] # without the count and the padding
                     for p in (folder, place))
        return near(got, want, limit, 'the CPU\'s')
    return check


cfd_float = cfd('euler3d_cpu.cpp', 1e-4)
cfd_double = cfd('euler3d_cpu_double.cpp', 1e-5)
cfd_pre = cfd('pre_euler3d_cpu.cpp', 1e-4)
cfd_pre_double = cfd('pre_euler3d_cpu_double.cpp', 1e-5)


def btree(said, folder):
    place, _ = cpu_run(folder, 'b+tree', 'gcc main.c kernel/*.c util/*/*.c',
                       './cpu cores 1 file keys.txt command commands.txt',
                       ['keys.txt', 'commands.txt'])
    return same_file(folder, place, 'output.txt')


def streamcluster(said, folder):
    place, _ = cpu_run(folder, 'streamcluster', 'g++ streamcluster_omp.cpp',
                       './cpu 3 4 16 256 256 10 none out.txt 1')
    return near(floats_of(folder, 'out.txt'), floats_of(place, 'out.txt'), 1e-4, 'the CPU\'s')


def heartwall(said, folder):
    place, _ = cpu_run(folder, 'heartwall', 'gcc -DOUTPUT -IAVI main.c AVI/*.c',
                       './cpu test.avi 2 1', ['test.avi'])
    return same_file(folder, place, 'result.txt')


def myocyte(said, folder):
    """Compiles the same program for the CPU: the suite's CPU program has two parameters fewer and
    shows nothing."""
    def values():
        with open(os.path.join(folder, 'output.txt')) as f:
            return [float(x) for x in re.findall(r'=\s*(\S+)', f.read())]
    got = values()
    os.makedirs(os.path.join(folder, 'cpu'), exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(('.cu', '.c')):
            with open(os.path.join(folder, name), errors='replace') as f:
                text = re.sub(r'(\w+)\s*<<<[^;]*?>>>\s*\(', r'ON_CPU \1(', f.read())
            with open(os.path.join(folder, 'cpu', name), 'w', errors='replace') as f:
                f.write(text)
    subprocess.run(f'g++ -w -O2 -include {HERE}/on_cpu.h -x c++ cpu/main.cu -o cpu/cpu && '
                   './cpu/cpu 3 1 0', shell=True, cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return near(got, values(), 1e-5, 'the CPU\'s')


def particlefilter_naive(said, folder):
    """Resampling on the device: the first position at which the sum reaches u."""
    n = 128
    copies = [of('d', data) for _, data in copied(folder) if len(data) == 8 * n]
    same = every = 0
    for at in range(0, len(copies), 8):
        x, y, _, _, reached, u, new_y, new_x = copies[at:at + 8]
        for i in range(n):
            k = next((k for k in range(n) if reached[k] >= u[i]), n - 1)
            same += new_x[i] == x[k] and new_y[i] == y[k]
            every += 1
    return same == every > 0, f'{same} of {every} particles as computed anew'


def particlefilter_float(said, folder):
    """The particles and their weights, from the program's film and seeds."""
    n, frames, side, largest = 128, 4, 32, 2 ** 31 - 1
    film, disk, _, new_x, new_y, seed, x, y, weights = (data for _, data in copied(folder))
    disk, seed = of('i', disk), of('i', seed)
    new_x, new_y, x, y, weights = (of('d', data) for data in (new_x, new_y, x, y, weights))

    def uniform(i):
        number = (1103515245 * seed[i] + 12345 + 2 ** 31) % 2 ** 32 - 2 ** 31
        seed[i] = int(math.fmod(number, largest))
        return abs(seed[i] / largest)

    def normal(i):
        u, v = uniform(i), uniform(i)
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)

    def likelihood(px, py, frame):
        total = 0
        for down, right in zip(disk[0::2], disk[1::2]):
            at = abs(((px + right) * side + py + down) * frames + frame)
            seen = film[at if at < side * side * frames else 0]
            total += ((seen - 100) ** 2 - (seen - 228) ** 2) / 50
        return total / (len(disk) // 2)
    for frame in range(1, frames):
        now = [(new_x[i] + 1 + 5 * normal(i), new_y[i] - 2 + 2 * normal(i)) for i in range(n)]
        weight = [math.exp(likelihood(int(px), int(py), frame)) / n for px, py in now]
        weight = [w / sum(weight) for w in weight]
        reached = list(itertools.accumulate(weight))
        first = uniform(0) / n
        chosen = [next((k for k in range(n) if reached[k] >= first + i / n), n - 1)
                  for i in range(n)]
        new_x, new_y = [now[k][0] for k in chosen], [now[k][1] for k in chosen]
    want = [p[0] for p in now] + [p[1] for p in now] + weight
    return near(x + y + weights, want, 1e-9, 'those computed anew')


# ---- dwt2d ----

def lift(line):
    """5/3: odd elements less the mean of their neighbours, even elements plus a quarter of
    theirs."""
    n, x = len(line), list(line)

    def divided(a, b):
        return int(a / b)

    def at(i):
        return x[i if 0 <= i < n else -i if i < 0 else 2 * n - 2 - i]
    for i in range(1, n, 2):
        x[i] -= divided(at(i - 1) + at(i + 1), 2)
    for i in range(0, n, 2):
        x[i] += divided(at(i - 1) + at(i + 1) + 2, 4)
    return x


def dwt2d(said, folder):
    side = 64
    with open(os.path.join(folder, '../../data/dwt2d/image.bmp'), 'rb') as f:
        pixels = f.read()
    got, want = [], []
    for k, suffix in enumerate('rgb'):
        name = [n for n in os.listdir(folder) if n.endswith('.dwt.' + suffix)]
        if not name:
            return False, 'no output'
        with open(os.path.join(folder, name[0]), 'rb') as f:
            got += f.read()
        picture = [[pixels[3 * (side * y + x) + k] - 128 for x in range(side)] for y in range(side)]
        out, n = [0] * side * side, side
        for _ in range(3):
            columns = [lift(c) for c in zip(*picture)]
            rows = [lift(r) for r in zip(*columns)]
            bands = [[r[x::2] for r in rows[y::2]] for y in (0, 1) for x in (0, 1)]
            flat = [v for band in bands for r in band for v in r]
            out[:len(flat)] = flat
            picture, n = bands[0], n // 2
        want += [min(max(v + 128, 0), 255) for v in out]
    same = sum(a == b for a, b in zip(got, want))
    return got == want, f'{same} of {len(want)} bytes as computed anew'
