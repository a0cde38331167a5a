#!/usr/bin/env python3
"""Reads databases with GRDB through the classes that `schema show --format grdb` prints, and writes what it read into others.

    grdb.py PACKAGE FOLDER…

Each FOLDER has NAME.sqlite and NAME.swift, the printed classes, for each realm. Different classes are compiled as a module each,
with GRDB, in PACKAGE. Its program reads all records of NAME.sqlite, and all with their relations, and inserts them into NAME.grdb,
which `readback.py grdb` compares with NAME.ndjson.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let modules = [MODULES]

let package = Package(
  name: "readback", platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
  targets: [.executableTarget(name: "readback", dependencies: modules.map { .target(name: $0) })]
    + modules.map { name in
      .target(name: name, dependencies: [.product(name: "GRDB", package: "GRDB.swift")])
    })
"""

# One process compiles a module in a release build, where it would load GRDB's interface three times in a debug build.
OPTIONS = ["-c", "release"]
for option in ("-Onone", "-gnone", "-no-emit-module-separately-wmo"):
    OPTIONS += ["-Xswiftc", option]

COPY = """import Foundation
import GRDB

public func copyRecords(from: String, to: String) throws {
  var configuration = GRDB.Configuration()
  configuration.readonly = true
  let source = try DatabaseQueue(path: from, configuration: configuration)
  configuration.readonly = false
  configuration.foreignKeysEnabled = false
  let target = try DatabaseQueue(path: to, configuration: configuration)
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

CALLS}
"""


def module(text):
    """The sources of a module with printed classes, by the names of their files."""
    calls = ""
    for record in re.findall(r"^struct (`?\w+`?): ExportedRecord", text, re.M):
        calls += f"  try copy({record}.self)\n"
    for extension in re.findall(r"^extension (`?\w+`?) \{\n((?:(?!\}).*\n)*)", text, re.M):
        if "static func withRelations" in extension[1]:
            calls += f"  try count({extension[0]}.withRelations(), {extension[0]}.self)\n"
    return {"Records.swift": text, "Copy.swift": COPY.replace("CALLS", calls)}


def write(path, text):
    """Writes a file unless it has the text."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def build(package, modules):
    for name, text in modules.items():
        for file, content in module(text).items():
            write(package / "Sources" / name / file, content)
    program = "import Foundation\n" + "".join(f"import {name}\n" for name in modules)
    program += "\nlet (from, to) = (CommandLine.arguments[2], CommandLine.arguments[3])\nswitch CommandLine.arguments[1] {\n"
    for name in modules:
        program += f'case "{name}": try {name}.copyRecords(from: from, to: to)\n'
    write(package / "Sources/readback/main.swift", program + 'default: fatalError("no such module")\n}\n')
    names = ", ".join(f'"{name}"' for name in modules)
    write(package / "Package.swift", MANIFEST.replace("MODULES", names))
    subprocess.run(["swift", "build", "--quiet", "--package-path", package] + OPTIONS, check=True)
    return package / ".build/release/readback"


def main(package, folders):
    modules, realms = {}, []
    for folder in folders:
        for classes in sorted(folder.glob("*.swift")):
            text = classes.read_text()
            name = "Realm_" + hashlib.sha256(text.encode()).hexdigest()[:16]
            modules[name] = text
            realms.append((name, classes))
    program = build(package, modules)
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    failed = 0
    for name, classes in realms:
        copied = classes.with_suffix(".grdb")
        copied.unlink(missing_ok=True)
        result = subprocess.run(
            [program, name, classes.with_suffix(".sqlite"), copied], env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            failed += 1
            print(f"{classes.stem}: GRDB says {result.stderr[-500:].strip()}")
    print(f"{len(realms)} databases read by {len(modules)} modules, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    package, *folders = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    sys.exit(main(package, folders))
