#!/usr/bin/env python3
"""Which kernels of public CUDA suites corun runs: suites.py compile FOLDER, suites.py count FOLDER.

FOLDER holds the suites as they come, a folder each (gpu-rodinia, polybenchGpu, cuda-samples).
`compile` makes PTX of every .cu file with nvcc, for each architecture, in FOLDER/ptx; what is there
already is kept. `count` asks `corun ptx` about every kernel and prints a table as docs/suites.md
has it. Nothing of the suites is part of corun; no test needs this.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import re
import subprocess
import sys

SUITES = {"gpu-rodinia": "Rodinia", "polybenchGpu": "PolyBench-GPU", "cuda-samples": "cuda-samples"}
ARCHITECTURES = ("sm_75", "sm_90")
OLD_NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "old_names.h")
# What is out of scope, by what the refusal names.
OUTSIDE = (("device-side launch", r"device-side launch"),
           ("bulk copy", r"'cp\.(async|reduce\.async)\.(bulk|reduce)"),
           ("wgmma", r"'wgmma"), ("red.async", r"'red\.async"), ("tcgen05", r"'tcgen05"),
           ("cluster of more than one block", r"clusters of more than one block"))


def sources(suite):
    for folder, folders, names in os.walk(suite):
        folders.sort()
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(".cu"))


def include_folders(folder, suite, source):
    """The source's own, those of headers in its program, and those that programs share."""
    own = os.path.dirname(source)
    program = own if suite == "cuda-samples" else os.path.dirname(own)
    inside = [d for d, _, names in os.walk(program) if any(n.endswith((".h", ".cuh")) for n in names)]
    shared = [os.path.join(folder, "cuda-samples", "Common"),
              os.path.join(folder, "gpu-rodinia", "common"),
              os.path.join(folder, "polybenchGpu", "CUDA", "utilities")]
    return [own, program] + inside[:20] + [d for d in shared if os.path.isdir(d)]


def ptx_of(folder, suite, source, arch):
    name = os.path.relpath(source, os.path.join(folder, suite)).replace("/", "__")
    return os.path.join(folder, "ptx", arch, suite, name[:-3] + ".ptx")


def compile_one(job):
    nvcc, source, out, arch, includes = job
    if os.path.exists(out) or os.path.exists(out + ".log"):
        return
    os.makedirs(os.path.dirname(out), exist_ok=True)
    line = [nvcc, "-ptx", "-std=c++17", "-w", "-arch=" + arch, "-o", out + ".part", source,
            "-include", OLD_NAMES] + ["-I" + d for d in includes]
    log = None
    for more in ([], ["-rdc=true"]):  # a launch from the device wants it
        try:
            done = subprocess.run(line + more, capture_output=True, text=True, timeout=900,
                                  check=False)
            log = done.stderr if done.returncode else None
        except subprocess.TimeoutExpired:
            log = "timed out\n"
        if log is None or "-rdc" not in log:
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


def kernels_of(corun, path):
    """[(kernel, None or why not)] of a PTX file."""
    with open(path, encoding="utf-8", errors="replace") as f:
        names = re.findall(r"^(?:\.visible |\.weak )?\.entry\s+([\w$]+)", f.read(), re.M)
    done = subprocess.run([corun, "ptx", path, "--csv", "-"], capture_output=True, text=True,
                          timeout=300, check=False)
    rows = list(csv.reader(done.stdout.splitlines()))
    if done.returncode in (0, 2) and len(rows) == len(names) + 1:
        return [(r[0], r[5] if r[1] == "-" else None) for r in rows[1:]]
    if done.returncode == 0:
        return [(n, None) for n in names]
    first = re.search(r"error: (.*)", done.stderr)
    why = "not supported: " + (first.group(1) if first else done.stderr[:200])
    return [(n, why) for n in names]
