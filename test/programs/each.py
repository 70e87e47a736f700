"""The programs that the tests of moving blocks look at: with CORUN_PROGRAMS=all every one, without
it those that the day of the year chooses."""
import datetime
import os
import re
import subprocess

FAMILIES = 14
WHOLE = os.environ.get('CORUN_PROGRAMS') == 'all'


def programs(build):
    """Stand-ins compute nothing that could be right or wrong."""
    out = subprocess.run([os.path.join(build, 'corun'), 'list', 'workloads', '--markdown'],
                         capture_output=True, text=True, check=True).stdout
    names = re.findall(r'^\| ([\w.-]+) \|', out, re.M)[1:]  # without the column's head
    every = [w for w in names if not w.startswith(('clone', 'synth'))]
    day = datetime.date.today().timetuple().tm_yday
    return every if WHOLE else every[day % FAMILIES::FAMILIES]
