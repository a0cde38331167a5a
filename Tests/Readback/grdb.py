#!/usr/bin/env python3
"""Reads databases with GRDB through the classes that `schema show --format grdb` prints, and writes what it read into others.

    grdb.py FOLDER

FOLDER has NAME.sqlite and NAME.swift, the printed classes, for each realm. They are compiled as a module each, with GRDB, in
FOLDER/package. Its program reads all records of NAME.sqlite, and all with their relations, and inserts them into NAME.grdb, which
`readback.py grdb` compares with NAME.ndjson.
"""

import os
import pathlib
import re
import subprocess
import sys

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "readback", platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
  targets: [NAMES].map { name in
    .executableTarget(name: name, dependencies: [.product(name: "GRDB", package: "GRDB.swift")])
  })
"""

PROGRAM = """import Foundation
import GRDB

var configuration = GRDB.Configuration()
configuration.readonly = true
let source = try DatabaseQueue(path: CommandLine.arguments[1], configuration: configuration)
configuration.readonly = false
configuration.foreignKeysEnabled = false
let target = try DatabaseQueue(path: CommandLine.arguments[2], configuration: configuration)
let schema = try source.read { db in
  try String.fetchAll(
    db, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'")
}
try target.write { db in for sql in schema { try db.execute(sql: sql) } }

func copy<Record: ExportedRecord>(_ type: Record.Type) throws {
  let all = try source.read { db in try Record.order(Column.rowID).fetchAll(db) }
  try target.write { db in for var record in all { try record.insert(db) } }
}

func count<Related: FetchableRecord>(
  _ request: QueryInterfaceRequest<Related>, _ type: (some ExportedRecord).Type
) throws {
  try source.read { db in
    let (found, all) = (try request.fetchAll(db).count, try type.fetchCount(db))
    guard found == all else { fatalError("\\(type): \\(found) of \\(all) with their relations") }
  }
}

"""


def main(folder):
    package = folder / "package"
    modules = {}
    for classes in sorted(folder.glob("*.swift")):
        module = "Realm_" + re.sub(r"\W", "_", classes.stem)
        modules[module] = classes.stem
        text = classes.read_text()
        program = PROGRAM
        for record in re.findall(r"^struct (`?\w+`?): ExportedRecord", text, re.M):
            program += f"try copy({record}.self)\n"
        for extension in re.findall(r"^extension (`?\w+`?) \{\n((?:(?!\}).*\n)*)", text, re.M):
            if "static func withRelations" in extension[1]:
                program += f"try count({extension[0]}.withRelations(), {extension[0]}.self)\n"
        sources = package / "Sources" / module
        sources.mkdir(parents=True, exist_ok=True)
        (sources / "Records.swift").write_text(text)
        (sources / "main.swift").write_text(program)
    (package / "Package.swift").write_text(MANIFEST.replace("NAMES", ", ".join(f'"{m}"' for m in modules)))
    subprocess.run(["swift", "build", "--quiet", "--package-path", package], check=True)
    for module, name in modules.items():
        copied = folder / f"{name}.grdb"
        copied.unlink(missing_ok=True)
        program = package / ".build/debug" / module
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        subprocess.run([program, folder / f"{name}.sqlite", copied], check=True, env=environment)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
