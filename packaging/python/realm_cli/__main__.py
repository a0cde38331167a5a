"""`python -m realm_cli`: the command line itself."""

import os
import sys

from ._binary import binary

path = binary()
os.execv(path, [path, *sys.argv[1:]])
