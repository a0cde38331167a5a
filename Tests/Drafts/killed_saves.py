#!/usr/bin/env python3
"""Kills `browse --edit` while it saves a draft, and looks at what is left.

    killed_saves.py TOOL REALM CLASS PROPERTY [--count N]

Each time, a server edits an integer property of all objects of a class in a copy of REALM, is asked to save, and is killed (SIGKILL) after a
random time. The realm has to be the old or the new one, without errors of `verify`; and if it is the old one, the next server has to have
the draft.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from random_drafts import Server


def content(tool, realm):
    return subprocess.run([tool, "hash", "-q", realm], check=True, capture_output=True, text=True).stdout.split()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("realm")
    parser.add_argument("owner")
    parser.add_argument("property")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--limit", type=int, default=1000, help="number of objects to edit")
    options = parser.parse_args()
    tool, ends = options.tool, {"old": 0, "new": 0}
    edit = {
        "do": "setFound", "class": options.owner, "q": f"TRUEPREDICATE LIMIT({options.limit})",
        "set": f"{options.property} = {options.property} + 1"}
    with tempfile.TemporaryDirectory() as folder:
        old, new = options.realm, os.path.join(folder, "new.realm")
        shutil.copy(old, new)
        os.chmod(new, 0o600)
        server = Server(tool, new, folder)
        assert server.edit(**edit)[0] == 200
        start = time.monotonic()
        assert server.post("/0/draft/save", '{"to":"realm"}', "application/json")[0] == 200
        duration = time.monotonic() - start
        server.close()
        contents = {content(tool, old): "old", content(tool, new): "new"}
        for number in range(options.count):
            path = os.path.join(folder, f"killed-{number}.realm")
            shutil.copy(old, path)
            os.chmod(path, 0o600)
            server = Server(tool, path, folder)
            status, answer = server.edit(**edit)
            assert status == 200, answer

            def save():
                try:
                    server.post("/0/draft/save", '{"to":"realm"}', "application/json")
                except (OSError, ValueError, server.errors):
                    pass

            saving = threading.Thread(target=save)
            saving.start()
            time.sleep(random.uniform(0, 1.2 * duration))
            server.process.kill()
            server.process.wait()
            saving.join()
            end = contents.get(content(tool, path), "neither")
            assert end != "neither", path
            ends[end] += 1
            assert subprocess.run([tool, "verify", "-q", path], stdout=subprocess.DEVNULL).returncode == 0, path
            server = Server(tool, path, folder)
            changes = server.get("/0/draft.json")
            server.close()
            assert end == "new" or f'{{"changes":{answer["changes"]},' in changes, changes
            left = [name for name in os.listdir(folder) if name.startswith(f"killed-{number}.realm") and "lock" not in name]
            assert left == [f"killed-{number}.realm"], left
            for name in os.listdir(folder):
                if name.startswith(f"killed-{number}."):
                    os.remove(os.path.join(folder, name))
    print(f"{options.count} saves killed: {ends['old']} left the old realm and the draft, {ends['new']} the new realm")


if __name__ == "__main__":
    sys.exit(main())
