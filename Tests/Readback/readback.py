#!/usr/bin/env python3
"""Reads exported databases back, and compares each value with the same realm in Realm JSON. It shares no code with the
exporter: the rules are those of docs/formats.md and docs/realm-json.md.

    readback.py sqlite --dates iso --ids text --for plain FOLDER
    readback.py sqlalchemy --dates iso --ids text FOLDER
    grdb.py PACKAGE FOLDER && readback.py grdb --dates iso --ids text FOLDER
    readback.py room FOLDER
    with-postgres readback.py postgres FOLDER

FOLDER has NAME.ndjson for each realm, beside it NAME.sqlite, NAME.grdb, NAME.py, NAME.kt or NAME.sql. Each problem is a line; the
last line has the number of realms and of values. The exit code is 1 if there was a problem.
"""

import argparse
import gc
import pathlib
import subprocess
import sys

import postgres_reader
import realm_json
import room
import sqlite_reader
import tables


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["sqlite", "sqlalchemy", "grdb", "room", "postgres"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--dates", default="iso")
    parser.add_argument("--ids", default="text")
    parser.add_argument("--for", dest="reader", default="plain")
    options = parser.parse_args()
    problems, realms, values = 0, 0, 0
    for path in sorted(options.folder.glob("*.ndjson")):
        found, count = check(options, path)
        realms, values = realms + 1, values + count
        for problem in found[:10]:
            print(f"{path.stem}: {problem}")
        problems += len(found)
    print(f"{realms} realms, {values} values, {problems} problems")
    return 1 if problems or not realms else 0


def check(options, path):
    if options.what == "room":
        return list(room.compare(path.with_suffix(".kt"), path.with_suffix(".sqlite"))), 1
    document = realm_json.Document(path)
    if options.what == "postgres":
        psql = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1"]
        loaded = subprocess.run(
            psql + ["-f", str(path.with_suffix(".sql"))], capture_output=True, text=True)
        if loaded.returncode != 0:
            return [f"psql says {loaded.stderr[:500]}"], 0
        reader = postgres_reader.PostgresReader(psql, "realm")
        reader.load()
        comparison = tables.Tables(document, reader)
        found = comparison.compare()
        subprocess.run(psql + ["-c", "SET client_min_messages = warning", "-c", "DROP SCHEMA realm CASCADE"], check=True)
        return found, comparison.compared
    ending = ".grdb" if options.what == "grdb" else ".sqlite"
    arguments = (path.with_suffix(ending), options.dates, options.ids, options.reader)
    if options.what == "grdb":
        reader = sqlite_reader.GRDBReader(*arguments)
        comparison = tables.Tables(document, reader)
    elif options.what == "sqlite":
        reader = sqlite_reader.SQLiteReader(*arguments)
        comparison = tables.Tables(document, reader)
    else:
        reader = sqlite_reader.SQLAlchemyReader(*arguments, path.with_suffix(".py"))
        comparison = sqlite_reader.MixedThroughSQLAlchemy(document, reader)
    found = list(reader.check()) + comparison.compare()
    return found, comparison.compared


if __name__ == "__main__":
    # The collector of cycles walks through all values again and again, and finds nothing in them.
    gc.set_threshold(500_000)
    # Some realms are nested as deeply as a file can be.
    sys.setrecursionlimit(50_000)
    sys.exit(main())
