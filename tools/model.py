"""The number of corun's timing model, for the scripts that keep results or hold them against it."""
import os
import re

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      'src/base/version.h')


def present():
    with open(HEADER, encoding='utf-8') as f:
        return int(re.search(r'^#define CORUN_MODEL (\d+)$', f.read(), re.M).group(1))


def mark(number):
    """What a page says of a result of that model: nothing of the present one's."""
    return '' if int(number) == present() else ' (of model %d)' % int(number)
