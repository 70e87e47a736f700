"""The version number of corun's timing model, for scripts that store or compare results."""
import os
import re

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      'src/base/version.h')


def present():
    with open(HEADER, encoding='utf-8') as f:
        return int(re.search(r'^#define CORUN_MODEL (\d+)$', f.read(), re.M).group(1))


def mark(number):
    """Returns the remark about a result of timing model `number`; empty for the current model."""
    return '' if int(number) == present() else ' (of model %d)' % int(number)
