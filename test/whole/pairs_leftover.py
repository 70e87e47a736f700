#!/usr/bin/env python3
"""Every pair under leftover; see matrix.py."""
import sys

import matrix

matrix.main(sys.argv[1], 'leftover')
