"""Tags the wheel with the platform of the binary that it carries."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        # A static binary runs with any C library.
        machine = os.environ["REALM_CLI_MACHINE"]
        platforms = f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platforms}"
