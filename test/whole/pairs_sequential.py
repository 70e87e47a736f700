#!/usr/bin/env python3
"""Every pair under sequential; see matrix.py."""
import sys

import matrix

matrix.main(sys.argv[1], 'sequential')
