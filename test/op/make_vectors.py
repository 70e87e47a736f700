#!/usr/bin/env python3
"""Writes the vector files of test/op: make_vectors.py [FOLDER [SCALE [SEED]]].

A line is `form operands = results` or, for approximations, `form operand ~ value error` with both
as f64. Operands and results are hexadecimal bits in PTX order; p0 p1 are predicates, !p a negated
predicate; k0 k1 is the carry before and after. Expected values come from exact.py and the manual's
definitions alone, never from the program under test.
"""
import os
import sys
import make_approx
import make_convert
import make_float
import make_forms
import make_int

SETS = {"int.txt": (make_int.make, 8), "float.txt": (make_float.make, 8),
        "compare.txt": (make_float.make_compare, 6), "convert.txt": (make_convert.make, 6),
        "approx.txt": (make_approx.make, 150), "forms.txt": (make_forms.make, 1)}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    scale = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for name, (make, n) in SETS.items():
        lines = make(n * scale, seed)
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write(f"# made by make_vectors.py\n" + "\n".join(lines) + "\n")


main()
