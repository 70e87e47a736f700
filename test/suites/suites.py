#!/usr/bin/env python3
"""Counts kernels of public CUDA suites that corun runs: suites.py compile FOLDER, suites.py count
FOLDER.

FOLDER holds the unchanged suites, a folder each (gpu-rodinia, polybenchGpu, cuda-samples).
`compile` makes PTX of every .cu file with nvcc, for each architecture, in FOLDER/ptx, and keeps
files already there. `count` asks `corun ptx` about every kernel and prints
docs/reference/suites.md; drawn.py and hecbench.py of test/cuda-suites write the page's last
sections from stored results. Nothing of the suites is part of corun; no test needs the suites.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cuda-suites"))
import drawn  # pylint: disable=wrong-import-position
import hecbench  # pylint: disable=wrong-import-position
import today  # pylint: disable=wrong-import-position

SUITES = {"gpu-rodinia": "Rodinia", "polybenchGpu": "PolyBench-GPU", "cuda-samples": "cuda-samples"}
ARCHITECTURES = ("sm_75", "sm_90")
OLD_NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "old_names.h")
# Causes out of scope, by the text of the refusal.
OUTSIDE = (("device-side launch", r"calls '(?!cudaGraphSetConditional).*device-side launch"),
           ("tcgen05", r"'tcgen05"))


def sources(suite):
    for folder, folders, names in os.walk(suite):
        folders.sort()
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(".cu"))


def include_folders(folder, suite, source):
    """Returns the source's own folder, folders of headers in the program, and folders shared by
    programs."""
    own, root = os.path.dirname(source), os.path.join(folder, suite)
    depth = 3 if suite == "cuda-samples" else 2
    program = os.path.join(root, *os.path.relpath(own, root).split("/")[:depth])
    inside = [d for d, _, names in os.walk(program)
              if any(n.endswith((".h", ".cuh")) for n in names)]
    shared = [os.path.join(folder, "cuda-samples", "Common"),
              os.path.join(folder, "gpu-rodinia", "common"),
              os.path.join(folder, "polybenchGpu", "CUDA", "utilities")]
    return [own, program] + inside[:20] + [d for d in shared if os.path.isdir(d)]


def ptx_of(folder, suite, source, arch):
    name = os.path.relpath(source, os.path.join(folder, suite)).replace("/", "__")
    return os.path.join(folder, "ptx", arch, suite, name[:-3] + ".ptx")


def compile_one(job, options=()):
    nvcc, source, out, arch, includes = job
    if os.path.exists(out) or os.path.exists(out + ".log"):
        return
    os.makedirs(os.path.dirname(out), exist_ok=True)
    line = [nvcc, "-ptx", "-std=c++17", "-w", "-arch=" + arch, "-o", out + ".part", source,
            "-include", OLD_NAMES, *options] + ["-I" + d for d in includes]
    log = None
    for more in ([], ["-rdc=true"]):  # a launch from the device needs relocatable code
        try:
            done = subprocess.run(line + more, capture_output=True, text=True, timeout=1200,
                                  check=False)
            log = done.stderr if done.returncode else None
        except subprocess.TimeoutExpired:
            log = "timed out\n"
        if log is None or "separate comp" not in log:
            break
    if log is None:
        os.rename(out + ".part", out)
    else:
        with open(out + ".log", "w", encoding="utf-8") as f:
            f.write(log)


def compile_all(o):
    jobs = []
    for arch in ARCHITECTURES:
        for suite in SUITES:
            root = os.path.join(o.folder, suite)
            jobs += [(o.nvcc, s, ptx_of(o.folder, suite, s, arch), arch,
                      include_folders(o.folder, suite, s)) for s in sources(root)]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(compile_one, jobs))


ENTRY = re.compile(r"^(?:\.visible |\.weak )?\.entry\s+([\w$]+)", re.M)


def kernels_of(corun, path):
    """Returns (kernels, [reason for each refused kernel]) of a PTX file."""
    with open(path, encoding="utf-8", errors="replace") as f:
        n = len(ENTRY.findall(f.read()))
    done = subprocess.run([corun, "ptx", path], capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode == 0 or not n:
        return n, []
    # a cell of the table spans several lines; the first line starts with a name
    refused = re.findall(r"not supported, line \d+: (.*(?:\n {20,}.*)*)", done.stdout)
    refused = [re.sub(r"\s+", " ", r) for r in refused]
    if not refused:  # a single kernel has no table; neither has an unreadable module
        refused = [re.search(r"error: (.*)", done.stderr).group(1)] * n
    return n, refused


def cause(why):
    """Short, without the kernel's name: "instruction 'tex.2d'"."""
    for name, pattern in OUTSIDE:
        if re.search(pattern, why):
            return name, True
    if "needs more registers" in why:
        return "more registers than corun has room for", False
    for pattern in (r"instruction '([\w:]+(?:\.[\w:]+)?)", r"calls '(\w+)'"):
        found = re.search(pattern, why)
        if found:
            return found.group(1), False
    return why[:60], False


def count_suite(o, suite, arch):
    """files, compiled, kernels, outside, {cause: n}, {cause outside: n}"""
    all_files = list(sources(os.path.join(o.folder, suite)))
    paths = [ptx_of(o.folder, suite, s, arch) for s in all_files]
    made = [p for p in paths if os.path.exists(p)]
    kernels, refused, outside = 0, collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for n, whys in pool.map(lambda p: kernels_of(o.corun, p), made):
            kernels += n
            for why in whys:
                name, is_outside = cause(why)
                (outside if is_outside else refused)[name] += 1
    return len(all_files), len(made), kernels, refused, outside


def named(counter):
    return ", ".join(f"{name} {n}" for name, n in sorted(counter.items())) or "none"


PAGE = """# Kernels of public suites

Which kernels of three public suites corun supports, according to `corun ptx`. The suites are as in
their repositories; every .cu file is compiled with nvcc %s, for two architectures.

* Not compiled: files included by other files, files that need missing libraries, and files with
  names that CUDA has dropped. Dropped names of the run-time API are replaced
  (`test/suites/old_names.h`), without a change to any kernel.
* Named, but not counted: kernels that launch from the device or use tcgen05.

`test/suites/suites.py` prints the page from PTX of the suites, from `test/suites/today.csv` and, on
the answers of programs, from `test/cuda-suites/drawn.csv` and `hecbench.csv`.
"""


def count_all(o):
    rows = []
    done = subprocess.run([o.nvcc, "--version"], capture_output=True, text=True, check=True)
    print(PAGE % re.search(r"release ([\d.]+)", done.stdout).group(1))
    for arch in ARCHITECTURES:
        total = [0, 0, 0, collections.Counter(), collections.Counter()]
        for suite, shown in SUITES.items():
            one = count_suite(o, suite, arch)
            rows.append((arch, shown) + one)
            total = [a + b for a, b in zip(total, one)]
        rows.append((arch, "all") + tuple(total))
    print("| suite | for | files | compiled | kernels | supported | refused | not counted |")
    print("|---|---|---|---|---|---|---|---|")
    for arch, shown, files, made, kernels, refused, outside in rows:
        counted = kernels - sum(outside.values())
        good = counted - sum(refused.values())
        share = f"{good} of {counted} ({100 * good / counted:.1f} %)" if counted else "-"
        print(f"| {shown} | {arch} | {files} | {made} | {kernels} | {share} | {named(refused)} | "
              f"{named(outside)} |")
    print("\n" + today.section())
    print(drawn.section())
    print(hecbench.section(), end="")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("what", choices=("compile", "count"))
    p.add_argument("folder")
    p.add_argument("--corun", default="build/corun")
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--jobs", type=int, default=2)
    o = p.parse_args()
    o.folder = os.path.abspath(o.folder)
    (compile_all if o.what == "compile" else count_all)(o)


if __name__ == "__main__":
    main()
