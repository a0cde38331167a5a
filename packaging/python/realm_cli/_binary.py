"""Finds the binary that the wheel installs."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path


def binary() -> str:
    """The path of realm-cli: the one of this package, or else one on PATH. Raises FileNotFoundError."""
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        installed = Path(sysconfig.get_path("scripts", scheme)) / "realm-cli"
        if installed.is_file():
            return str(installed)
    found = shutil.which("realm-cli")
    if found is None:
        raise FileNotFoundError("realm-cli is neither installed with this package nor on PATH")
    return found
