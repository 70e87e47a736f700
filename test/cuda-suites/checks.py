"""What the output of programs without a check of their own should be, computed anew from their
input. Each answers (is it right, what was seen)."""
import re

def todo(said, folder):
    return None, 'no check'

bfs = gaussian = hotspot = nn = pathfinder = todo
