"""The programs for the tests of moving blocks: with CORUN_PROGRAMS=all every program, otherwise
some, chosen by name."""
import os
import re
import subprocess
import zlib

FAMILIES = 14
WHOLE = os.environ.get('CORUN_PROGRAMS') == 'all'


def programs(build):
    """Excludes stand-ins, whose output cannot be right or wrong, and programs for tensor units."""
    out = subprocess.run([os.path.join(build, 'corun'), 'list', 'workloads', '--markdown'],
                         capture_output=True, text=True, check=True).stdout
    names = re.findall(r'^\| ([\w.-]+) \|', out, re.M)[1:]  # without the column's head
    every = [w for w in names if not w.startswith(('clone', 'synth', 'gemm-', 'llm-'))]
    return [w for w in every if WHOLE or zlib.crc32(w.encode()) % FAMILIES == 0]
