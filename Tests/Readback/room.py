"""Room's own test of a database, from the printed entities: the facts of its class TableInfo."""

import re
import sqlite3

AFFINITIES = {
    "Long": "INTEGER", "Boolean": "INTEGER", "Int": "INTEGER", "Float": "REAL", "Double": "REAL",
    "String": "TEXT", "ByteArray": "BLOB",
}


def text(literal):
    """The value of a Kotlin string literal."""
    return re.sub(
        r"\\(.)", lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), literal[1:-1])


STRING = r'"(?:[^"\\]|\\.)*"'


def strings(list):
    return tuple(text(item) for item in re.findall(STRING, list))


def entities(source):
    """What Room computes from entities: columns, foreign keys and indexes of each table."""
    # What a converter makes of a type is what is stored.
    converted = dict(re.findall(r"fun from\w+\(value: (\w+)\?\): (\w+)\?", source))
    names = re.findall(
        r"tableName = (" + STRING + r"),\n(?:(?!@Entity).)*?data class (\w+)\(", source, re.S)
    classes = {name: text(literal) for literal, name in names}
    result = {}
    pattern = re.compile(
        r"@Entity\(\n    tableName = (" + STRING + r"),\n(.*?)\n?\)\ndata class \w+\(\n(.*?)\n\)\n", re.S)
    for match in pattern.finditer(source):
        table, head, body = match.groups()
        indices = {
            (text(m[1]), strings(m[2]), bool(m[3]))
            for m in re.finditer(
                r"Index\(name = (" + STRING + r"), value = \[((?:" + STRING + r"(?:, )?)+)\](, unique = true)?\)", head)
        }
        keys = {
            (m[1], strings(m[2]), strings(m[3]), m[4])
            for m in re.finditer(
                r"ForeignKey\(entity = (\w+)::class, parentColumns = \[(" + STRING + r")\], "
                r"childColumns = \[(" + STRING + r")\], onDelete = ForeignKey\.(\w+)\)", head)
        }
        keys = {(classes[c], p, k, d.replace("_", " ")) for c, p, k, d in keys}
        columns = {}
        for line in body.split("\n"):
            m = re.fullmatch(
                r"    (@PrimaryKey(?:\(autoGenerate = true\))? )?@ColumnInfo\(name = (" + STRING
                + r")\) val \w+: (\w+)(\?)?(?: = \w+)?,", line)
            assert m, line
            type = converted.get(m[3], m[3])
            columns[text(m[2])] = (AFFINITIES[type], m[4] is None, 1 if m[1] else 0, None)
        result[text(table)] = (columns, keys, indices)
    return result


def affinity(type):
    type = type.upper()
    if "INT" in type:
        return "INTEGER"
    if any(word in type for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in type:
        return "BLOB"
    if any(word in type for word in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "UNDEFINED"


def database(path):
    """What Room reads of a database."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    result = {}
    for (table,) in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall():
        columns = {
            name: (affinity(type), bool(not_null), key, default)
            for _, name, type, not_null, default, key in connection.execute(
                "SELECT * FROM pragma_table_info(?)", (table,))
        }
        keys = {
            (target, (to,), (column,), on_delete)
            for _, _, target, column, to, on_update, on_delete, _ in connection.execute(
                "SELECT * FROM pragma_foreign_key_list(?)", (table,))
            if on_update == "NO ACTION"
        }
        indices = set()
        for _, name, unique, origin, _ in connection.execute(
            "SELECT * FROM pragma_index_list(?)", (table,)).fetchall():
            if origin == "c":
                names = tuple(
                    row[0] for row in connection.execute(
                        "SELECT name FROM pragma_index_xinfo(?) WHERE key = 1 AND desc = 0 ORDER BY seqno",
                        (name,)))
                indices.add((name, names, bool(unique)))
        result[table] = (columns, keys, indices)
    return result, connection.execute("PRAGMA user_version").fetchone()[0]


def compare(kotlin, path):
    with open(kotlin, encoding="utf-8", newline="") as file:
        source = file.read()
    wanted = entities(source)
    found, version = database(path)
    if version != int(re.search(r"version = (\d+)", source)[1]):
        yield f"version {version}"
    if wanted.keys() != found.keys():
        yield f"tables {sorted(wanted.keys() ^ found.keys())} are in only one of both"
    for table in wanted.keys() & found.keys():
        for name, a, b in zip(("columns", "foreign keys", "indices"), wanted[table], found[table]):
            if a != b:
                yield f"{table}: Room expects the {name} {a}, found {b}"
    # Room's compiler: what a foreign key refers to is the primary key, or has a unique index.
    for table, (_, keys, _) in wanted.items():
        for target, columns, _, _ in keys:
            parents, _, indices = wanted[target]
            if parents[columns[0]][2] != 1 and (columns, True) not in {i[1:] for i in indices}:
                yield f"{table}: {target}.{columns[0]} is not unique"
    for table, (columns, _, _) in wanted.items():
        if [facts[2] for facts in columns.values()].count(1) != 1:
            yield f"{table}: not one primary key"
    if re.search("[`\"]", "".join(wanted) + "".join(c for w in wanted.values() for c in w[0])):
        yield "Room allows no quotation marks in names"
    statements = [row[0] or "" for row in sqlite3.connect(path).execute("SELECT sql FROM sqlite_schema")]
    if any("DEFERR" in re.sub(STRING, "", sql) or " DEFAULT " in re.sub(STRING, "", sql) for sql in statements):
        yield "a key is deferred, or a column has a default"
