"""Rows of a SQLite database, as the module sqlite3 reads them, and as SQLAlchemy does."""

import datetime
import decimal
import importlib.util
import math
import re
import sqlite3
import sys
import uuid

import tables


class SQLiteReader:
    """The values that `--dates` and `--ids` store."""

    has_arrays = False

    def __init__(self, path, dates, ids, reader):
        self.dates, self.ids = dates, ids
        self.has_types = reader == "plain"
        self.is_room = reader == "room"
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.database.text_factory = StoredText

    def table_names(self):
        if self.is_room:
            return tables.Names(True, None, "`\"", {"android_metadata", "room_master_table"})
        return tables.Names(True)

    def column_names(self):
        return tables.Names(True, None, "`\"" if self.is_room else "")

    def tables(self):
        query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        return [row[0].decode() for row in self.database.execute(query)]

    def is_unique(self, table, column):
        """Whether no two rows have the same value in a column."""
        queries = (
            "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2 AND pk",
            "SELECT 1 FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS part "
            "WHERE i.\"unique\" AND part.name = ?2")
        return any(self.database.execute(query, (table, column)).fetchone() for query in queries)

    def check(self):
        for pragma in ("integrity_check", "foreign_key_check"):
            found = [row for row in self.database.execute(f"PRAGMA {pragma}") if row != (b"ok",)]
            if found:
                yield f"PRAGMA {pragma}: {found[:3]}"

    def rows(self, table):
        cursor = self.database.execute(f"SELECT * FROM {quoted(table)} ORDER BY rowid")
        names = [description[0] for description in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def hashable(self, value):
        return value

    def value(self, type, value):
        """What the database stores for a value of Realm JSON."""
        if type == "bool":
            return int(value)
        if type in ("float", "double"):
            return None if math.isnan(value) else value + 0.0
        if type == "date":
            return self.date(*value)
        if type == "string":
            return stored(value) if isinstance(value, str) else value
        if type in ("objectId", "uuid"):
            return bytes.fromhex(value.replace("-", "")) if self.ids == "blob" else stored(value)
        if type == "decimal128":
            return stored(value)
        return value

    def date(self, seconds, nanoseconds):
        if self.dates == "iso":
            whole, rest = seconds, nanoseconds
            if abs(rest) >= 10**9 or whole and rest and (whole < 0) != (rest < 0):
                return None
            if rest < 0:
                whole, rest = whole - 1, rest + 10**9
            if not -62135596800 <= whole <= 253402300799:
                return None
            date = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)
            return stored(f"{date.isoformat()}.{rest:09d}Z")
        if self.dates == "unix-ms":
            number = seconds * 1000 + int(nanoseconds / 1_000_000)
            return number if -(2**63) <= number < 2**63 else None
        return float(seconds) + nanoseconds / 1e9

    def json(self, value):
        return value

    def same(self, expected, found):
        if isinstance(expected, str):
            expected = stored(expected)
        return type(expected) is type(found) and expected == found


class StoredText(bytes):
    """Text as the database has it; blobs are plain bytes."""


def stored(text):
    return StoredText(text.encode())


class GRDBReader(SQLiteReader):
    """Rows that GRDB read and wrote again (grdb.py)."""

    def same(self, expected, found):
        if super().same(expected, found):
            return True
        # `Date` has 53 bits of seconds since 2001, which are not enough for each millisecond of distant times.
        if self.dates == "unix-ms" and type(expected) is type(found) is int and abs(expected) > 2**52:
            since_2001 = float(expected) / 1000 - 978307200.0
            return found == round(1000 * (since_2001 + 978307200.0))
        # GRDB repairs a string that is not UTF-8.
        if type(expected) is bytes and isinstance(found, StoredText):
            repaired = stored(expected.decode("utf-8", "replace"))
            return repaired != expected and repaired == found
        if not isinstance(expected, StoredText) or not isinstance(found, StoredText):
            return False
        # GRDB reads a string up to a character 0.
        if b"\0" in expected:
            return expected.split(b"\0")[0] == found
        # The classes count 53 bits of seconds since 1970, and `Date` those since 2001.
        times = [nanoseconds(text) for text in (expected, found)]
        if None in times:
            return False
        return abs(times[0] - times[1]) <= 2 + max(abs(times[0]), abs(times[0] - 978307200 * 10**9)) // 2**51


def nanoseconds(text):
    """Nanoseconds since 1970 of a date in a database; None for another text. Years can have five digits."""
    match = re.fullmatch(rb"(\d{4,5})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{9})Z", text)
    if not match:
        return None
    year, month, day, hour, minute, second, rest = map(int, match.groups())
    # The calendar repeats after 400 years of 146,097 days.
    days = (datetime.date(year % 400 + 2000, month, day) - datetime.date(1970, 1, 1)).days
    days += (year - year % 400 - 2000) // 400 * 146097
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 10**9 + rest


class SQLAlchemyReader(SQLiteReader):
    """Reads through the classes that `schema show --format sqlalchemy` prints."""

    def __init__(self, path, dates, ids, reader, module):
        super().__init__(path, dates, ids, reader)
        import sqlalchemy
        from sqlalchemy import orm

        spec = importlib.util.spec_from_file_location("models", module)
        models = importlib.util.module_from_spec(spec)
        sys.modules["models"] = models
        spec.loader.exec_module(models)
        orm.configure_mappers()

        engine = sqlalchemy.create_engine(
            f"sqlite:///file:{path}?mode=ro&uri=true", poolclass=sqlalchemy.pool.StaticPool)

        def decoded(value):
            try:
                return value.decode()
            except UnicodeDecodeError:
                return value

        engine.raw_connection().driver_connection.text_factory = decoded
        self.session = orm.Session(engine)
        self.mappers = {m.local_table.name: m for m in models.Base.registry.mappers}
        # Objects that are linked are found among all of them, and those of collections come in a few queries.
        self.objects = {
            table: self.session.scalars(
                sqlalchemy.select(mapper.class_).order_by(mapper.primary_key[0]).options(
                    *(orm.selectinload(r.class_attribute) for r in mapper.relationships if r.uselist))
            ).all()
            for table, mapper in self.mappers.items()}

    def tables(self):
        return list(self.mappers)

    def rows(self, table):
        mapper = self.mappers[table]
        properties = {c.name: mapper.get_property_by_column(c).key for c in mapper.local_table.columns}
        rows = []
        for object in self.objects[table]:
            rows.append({name: getattr(object, attribute) for name, attribute in properties.items()})
            for relation in mapper.relationships:
                self.relation(table, object, relation)
        return rows

    def relation(self, table, object, relation):
        """An object that is linked must have the value of the column as its identity."""
        if relation.uselist:
            return [item.id for item in getattr(object, relation.key)]
        local, remote = relation.local_remote_pairs[0]
        value = getattr(object, relation.parent.get_property_by_column(local).key)
        target = getattr(object, relation.key)
        found = target and getattr(target, relation.mapper.get_property_by_column(remote).key)
        assert found == value, f"{table}.{relation.key}: {found} instead of {value}"

    def check(self):
        return []

    def value(self, type, value):
        if type == "bool":
            return value
        if type in ("float", "double"):
            return None if math.isnan(value) else value + 0.0
        if type == "date":
            return self.python_date(*value)
        if type == "decimal128":
            return decimal.Decimal(value)
        if type == "uuid":
            return uuid.UUID(value)
        if type == "objectId":
            return bytes.fromhex(value) if self.ids == "blob" else value
        return value

    def python_date(self, seconds, nanoseconds):
        stored = self.date(seconds, nanoseconds)
        if stored is None:
            return None
        start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        try:
            if self.dates == "unix-ms":
                return start + datetime.timedelta(milliseconds=stored)
            if self.dates == "unix":
                return start + datetime.timedelta(seconds=stored)
        except OverflowError:
            return stored
        # Rounded down to the microsecond, as the text is cut.
        return start + datetime.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)

    def same(self, expected, found):
        if isinstance(expected, decimal.Decimal) and isinstance(found, decimal.Decimal):
            return str(expected) == str(found)
        return type(expected) is type(found) and expected == found


class MixedThroughSQLAlchemy(tables.Tables):
    """Mixed values come as the database has them."""

    def single(self, p, value, found, type, place):
        if not p.is_mixed:
            return super().single(p, value, found, type, place)
        reader, self.reader = self.reader, RawValues(self.reader)
        try:
            super().single(p, value, found, type, place)
        finally:
            self.reader = reader


class RawValues:
    def __init__(self, reader):
        self.reader = reader

    def __getattr__(self, name):
        return getattr(self.reader, name)

    def value(self, type, value):
        stored = SQLiteReader.value(self.reader, type, value)
        return stored.decode() if isinstance(stored, StoredText) else stored

    def same(self, expected, found):
        return type(expected) is type(found) and expected == found


def quoted(name):
    return '"' + name.replace('"', '""') + '"'
