"""Rows of PostgreSQL, as psql prints them with COPY."""

import decimal
import json
import math
import re
import subprocess

import realm_json
import tables


# A line between results, which no data has.
END = "end of result 5b1c1a37-6d0e-4c6e-9d62-6f3b8d0a2f51"


class PostgresReader:
    has_arrays = True
    has_types = False

    def __init__(self, psql, schema):
        self.psql, self.schema = psql, schema

    def query(self, *statements):
        """The lines of each statement's COPY, as lists of text and None."""
        settings = ("timezone = 'UTC'", "datestyle = 'ISO'", "bytea_output = 'hex'", "extra_float_digits = 3")
        commands = [f"SET {setting}" for setting in settings]
        for statement in statements:
            commands += [f"COPY ({statement}) TO STDOUT", f"\\echo {END}"]
        output = subprocess.run(
            self.psql + [part for command in commands for part in ("-c", command)],
            check=True, capture_output=True).stdout
        results = [[]]
        for line in output.split(b"\n")[:-1]:
            if line == END.encode():
                results.append([])
            else:
                results[-1].append([field(part) for part in line.split(b"\t")])
        return results[:-1]

    def table_names(self):
        return tables.Names(False, 63)

    def column_names(self):
        return tables.Names(
            False, 63, reserved={"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"})

    def load(self):
        """Reads all tables at once."""
        (columns,) = self.query(
            "SELECT table_name, column_name, CASE data_type WHEN 'ARRAY' THEN udt_name ELSE data_type END "
            f"FROM information_schema.columns WHERE table_schema = '{self.schema}' ORDER BY 1, ordinal_position")
        (unique,) = self.query(
            "SELECT tables.relname, columns.attname FROM pg_index AS indexes "
            "JOIN pg_class AS tables ON tables.oid = indexes.indrelid "
            "JOIN pg_namespace AS schemas ON schemas.oid = tables.relnamespace "
            "JOIN pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum = indexes.indkey[0] "
            f"WHERE indexes.indisunique AND schemas.nspname = '{self.schema}'")
        self.unique = {tuple(row) for row in unique}
        self.types = {}
        for table, name, type in columns:
            self.types.setdefault(table, []).append((name, type))
        contents = self.query(
            *(f'SELECT * FROM "{self.schema}".{quoted(table)}' for table in self.types))
        self.contents = {
            table: [
                {name: value(type, text) for (name, type), text in zip(self.types[table], row)}
                for row in rows]
            for table, rows in zip(self.types, contents)
        }

    def tables(self):
        return list(self.contents)

    def is_unique(self, table, column):
        """Whether no two rows have the same value in a column."""
        return (table, column) in self.unique

    def check(self):
        return []

    def rows(self, table):
        return self.contents.get(table, [])

    def hashable(self, value):
        return value

    def value(self, type, value):
        if type in ("float", "double", "int", "bool", "data"):
            return value
        if type == "date":
            return self.date(*value)
        if type == "string":
            text = value if isinstance(value, str) else value.decode("utf-8", "replace")
            return text.replace("\0", "\ufffd")
        if type == "decimal128":
            return decimal.Decimal(value)
        return value

    def date(self, seconds, nanoseconds):
        # Cut towards 1970, then as microseconds since then.
        whole = abs(nanoseconds) // 1000 * (1 if nanoseconds >= 0 else -1)
        microseconds = seconds * 10**6 + whole
        return microseconds if -210866803200 * 10**6 <= microseconds < 9224318016000 * 10**6 else None

    def json(self, value):
        text = json.dumps(value, cls=Numbers).replace("\\\\", "\\\\\0")
        text = text.replace("\\u0000", "\\ufffd").replace("\\\\\0", "\\\\")
        return realm_json.parse(text)

    def same(self, expected, found):
        if isinstance(expected, list):
            return isinstance(found, list) and len(expected) == len(found) and all(
                map(self.same, expected, found))
        if isinstance(expected, float) and isinstance(found, float):
            return (
                math.isnan(expected) and math.isnan(found)
                or expected == found and math.copysign(1, expected) == math.copysign(1, found))
        if isinstance(expected, decimal.Decimal) and isinstance(found, decimal.Decimal):
            return expected.is_nan() and found.is_nan() or expected == found
        return type(expected) is type(found) and expected == found


class Numbers(json.JSONEncoder):
    """Numbers whose digits are kept are floats."""

    def iterencode(self, value, _one_shot=False):
        return super().iterencode(plain(value), _one_shot)

    def encode(self, value):
        return super().encode(plain(value))


def plain(value):
    if isinstance(value, realm_json.Text):
        return float(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


ESCAPES = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def field(part):
    if part == b"\\N":
        return None
    return re.sub(rb"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), part, flags=re.S).decode()


def value(type, text):
    if text is None:
        return None
    if type.startswith("_"):
        return [value(type[1:], item) for item in array(text)]
    if type in ("bigint", "int8"):
        return int(text)
    if type in ("boolean", "bool"):
        return text == "t"
    if type in ("real", "float4"):
        return realm_json.single(realm_json.Text(text.replace("Infinity", "inf")))
    if type in ("double precision", "float8"):
        return float(text.replace("Infinity", "inf"))
    if type == "numeric":
        return decimal.Decimal(text)
    if type == "bytea":
        return bytes.fromhex(text[2:])
    if type in ("timestamp with time zone", "timestamptz"):
        return microseconds(text)
    return text


def microseconds(text):
    """Since 1970, of a date of any year."""
    match = re.fullmatch(r"(\d+)-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?\+00( BC)?", text)
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if match[8]:
        year = 1 - year
    # Whole cycles of 400 years, which have 146,097 days each, lead to a year that datetime has.
    import datetime

    cycles = (year - 2000) // 400
    days = datetime.date(year - 400 * cycles, month, day).toordinal() - 719163 + cycles * 146097
    seconds = days * 86400 + hour * 3600 + minute * 60 + second
    return seconds * 10**6 + int((match[7] or "0").ljust(6, "0"))


def array(text):
    """The elements of a literal such as {1,NULL,"a"}."""
    items, position = [], 1
    while text[position] != "}":
        if text[position] == '"':
            item, position = "", position + 1
            while text[position] != '"':
                if text[position] == "\\":
                    position += 1
                item += text[position]
                position += 1
            position += 1
        else:
            end = re.compile("[,}]").search(text, position).start()
            item, position = text[position:end], end
            item = None if item == "NULL" else item
        items.append(item)
        if text[position] == ",":
            position += 1
    return items


def quoted(name):
    return '"' + name.replace('"', '""') + '"'
