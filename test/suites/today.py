#!/usr/bin/env python3
"""Counts kernels of recent CUDA projects that corun supports: today.py compile FOLDER, today.py
count FOLDER.

FOLDER holds the unchanged repositories (cuda-samples, llm.c, ggml, flash-attention, cutlass).
`compile` makes PTX of .cu files with nvcc in FOLDER/ptx, in an order drawn with SEED, and begins no
further file of a project and architecture after --minutes. `count` asks `corun ptx` about every
kernel and writes today.csv; suites.py prints the page that shows the sums. Nothing of the projects
is part of corun; no test needs the projects.
"""
import argparse
import collections
import csv
import os
import random
import re
import time

import suites  # pylint: disable=cyclic-import

SEED = 20450
HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "today.csv")
COLUMNS = ("project", "arch", "file", "seconds", "kernels", "refused")
# name in the table: repository, folders of sources, include folders, architectures
PROJECTS = {
    "cuda-samples": ("cuda-samples", ("Samples",), (), ("sm_80", "sm_90a", "sm_120")),
    "llm.c": ("llm.c", (".",), (".",), ("sm_80", "sm_90a", "sm_120")),
    "ggml": ("ggml", ("src/ggml-cuda",), ("include", "src", "src/ggml-cuda"),
             ("sm_80", "sm_90a", "sm_120")),
    "FlashAttention 2": ("flash-attention", ("csrc/flash_attn/src",),
                         ("csrc/flash_attn/src", "../cutlass/include"),
                         ("sm_80", "sm_90a", "sm_120")),
    "FlashAttention 3": ("flash-attention", ("hopper",), ("hopper", "../cutlass/include"),
                         ("sm_80", "sm_90a")),
    "CUTLASS": ("cutlass", ("examples",), ("include", "tools/util/include", "examples/common"),
                ("sm_80", "sm_90a", "sm_120")),
}
MORE = ("--expt-relaxed-constexpr", "--expt-extended-lambda",
        "-DCUTLASS_ENABLE_TENSOR_CORE_MMA=1")


def files_of(folder, project, arch):
    """Returns the sources in the drawn order. Files of FlashAttention 3 name an architecture: those
    of others would make empty kernels."""
    repository, folders, _, _ = PROJECTS[project]
    root = os.path.join(folder, repository)
    every = sorted({s for f in folders for s in suites.sources(os.path.join(root, f))})
    if project == "FlashAttention 3":
        other = "_sm90" if arch == "sm_80" else "_sm80"
        every = [s for s in every if other not in s]
    random.Random(f"{SEED} {project} {arch}").shuffle(every)
    return every


def ptx_of(folder, project, source, arch):
    name = os.path.relpath(source, os.path.join(folder, PROJECTS[project][0])).replace("/", "__")
    return os.path.join(folder, "ptx", arch, project.replace(" ", "-"), name[:-3] + ".ptx")


def includes_of(folder, project, source):
    repository, _, includes, _ = PROJECTS[project]
    root = os.path.join(folder, repository)
    if project == "cuda-samples":
        return suites.include_folders(folder, "cuda-samples", source)
    return [os.path.dirname(source), os.path.join(HERE, "torch")] + [
        os.path.normpath(os.path.join(root, d)) for d in includes]


def compile_all(o):
    for project, (_, _, _, archs) in PROJECTS.items():
        for arch in archs:
            begin = time.monotonic()
            for source in files_of(o.folder, project, arch):
                if time.monotonic() - begin > 60 * o.minutes:
                    break
                out = ptx_of(o.folder, project, source, arch)
                start = time.monotonic()
                suites.compile_one((o.nvcc, source, out, arch,
                                    includes_of(o.folder, project, source)), MORE)
                if os.path.exists(out) and not os.path.exists(out + ".seconds"):
                    with open(out + ".seconds", "w", encoding="utf-8") as f:
                        f.write(f"{time.monotonic() - start:.0f}\n")


def count_one(o, project, arch, source):
    out = ptx_of(o.folder, project, source, arch)
    if not os.path.exists(out):
        return None
    with open(out + ".seconds", encoding="utf-8") as f:
        seconds = f.read().strip()
    n, whys = suites.kernels_of(o.corun, out)
    causes = collections.Counter(suites.cause(why)[0] for why in whys)
    root = os.path.join(o.folder, PROJECTS[project][0])
    return {"project": project, "arch": arch, "file": os.path.relpath(source, root),
            "seconds": seconds, "kernels": n,
            "refused": "; ".join(f"{name} {k}" for name, k in sorted(causes.items()))}


def count_all(o):
    rows = []
    for project, (_, _, _, archs) in PROJECTS.items():
        for arch in archs:
            rows += filter(None, (count_one(o, project, arch, s)
                                  for s in files_of(o.folder, project, arch)))
    with open(TABLE, "w", encoding="utf-8", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        w.writeheader()
        w.writerows(rows)


SECTION = """## Recent projects

Kernels of recent projects that corun supports, according to `corun ptx`: files drawn with seed %d
and compiled with nvcc 13.0 for an architecture in the drawn order, as many as a busy machine
compiled in a few minutes for a project and architecture, and in a quarter of an hour for
FlashAttention, whose files take about ten minutes each. The second file of FlashAttention 2 for
sm_80 did not end within 20 minutes. `test/suites/today.csv` lists the files;
`test/suites/today.py` makes the list. [cuda.md](cuda.md) has programs of FlashAttention 3 and
CUTLASS that give right answers.

| project | for | files | kernels | supported | refused |
|---|---|---|---|---|---|
"""


def section():
    """The section of docs/reference/suites.md, from today.csv."""
    sums = {}
    with open(TABLE, encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            one = sums.setdefault((row["project"], row["arch"]), [0, 0, collections.Counter()])
            one[0] += 1
            one[1] += int(row["kernels"])
            for name, n in re.findall(r"([^;]+?) (\d+)(?:; |$)", row["refused"]):
                one[2][name] += int(n)
    text = SECTION % SEED
    for (project, arch), (files, kernels, refused) in sums.items():
        good = kernels - sum(refused.values())
        share = f"{good} of {kernels} ({100 * good / kernels:.1f} %)" if kernels else "-"
        text += (f"| {project} | {arch} | {files} | {kernels} | {share} "
                 f"| {suites.named(refused)} |\n")
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("what", choices=("compile", "count"))
    p.add_argument("folder")
    p.add_argument("--corun", default="build/corun")
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--minutes", type=float, default=60)
    o = p.parse_args()
    o.folder = os.path.abspath(o.folder)
    (compile_all if o.what == "compile" else count_all)(o)


if __name__ == "__main__":
    main()
