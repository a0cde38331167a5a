"""Reads Realm JSON, one object per line, by its specification (docs/realm-json.md)."""

import base64
import json
import math
import struct


class Text(str):
    """The digits of a number with a fraction or an exponent."""


class Property:
    def __init__(self, name, notation, classes):
        self.name = name
        self.is_indexed = False
        self.integer_keys = False
        if isinstance(notation, dict) and (
            "objectType" in notation or "collection" in notation or "optional" in notation
        ):
            self.type = notation["type"]
            self.target = member_name(notation["objectType"]) if "objectType" in notation else None
            self.optional = notation.get("optional", False)
            self.collection = notation.get("collection")
            self.integer_keys = notation.get("keyType") == "int"
            self.is_indexed = notation.get("indexed", False)
            return
        if isinstance(notation, dict):
            self.is_indexed = notation.get("indexed", False)
            notation = notation["type"]
        self.collection = None
        for ending, kind in (("[]", "list"), ("<>", "set"), ("{}", "dictionary")):
            if notation.endswith(ending):
                self.collection, notation = kind, notation[:-2]
        self.optional = notation.endswith("?")
        if self.optional:
            notation = notation[:-1]
        self.type, self.target = notation, None
        if notation not in SCALARS:
            self.type, self.target = "object", notation

    @property
    def is_mixed(self):
        return self.type in ("mixed", "typedLink")


SCALARS = {
    "bool", "int", "float", "double", "decimal128", "string", "data", "date", "objectId", "uuid",
    "mixed", "typedLink",
}


def member_name(name):
    """A name as a value or as a member, as text in which wrong bytes are replaced."""
    if isinstance(name, dict):
        return base64.b64decode(name["$string"]["base64"]).decode("utf-8", "replace")
    if name.startswith("$base64:"):
        return base64.b64decode(name[8:]).decode("utf-8", "replace")
    return name


class Class:
    def __init__(self, description):
        self.name = member_name(description["name"])
        self.embedded = description.get("embedded", False)
        self.key_member = description.get("keyMember")
        key = description.get("primaryKey")
        self.primary_key = None if key is None else member_name(key)
        self.member_names = list(description["properties"])
        self.properties = [
            Property(member_name(name), type, None)
            for name, type in description["properties"].items()
        ]

    def property(self, name):
        return next(p for p in self.properties if p.name == name)


class Document:
    def __init__(self, path):
        self.objects = {}
        counts = None
        with open(path, "rb") as file:
            for line in file:
                value = parse(line)
                if "realm" in value:
                    self.schema_version = value["realm"]["schemaVersion"]
                    self.classes = {}
                    for description in value["schema"]:
                        item = Class(description)
                        self.classes[item.name] = item
                        self.objects[item.name] = []
                elif "counts" in value:
                    counts = {member_name(name): count for name, count in value["counts"].items()}
                else:
                    self.objects[member_name(value["class"])].append(value["object"])
        assert counts is not None, "the export has no last line"
        for name, count in counts.items():
            assert len(self.objects[name]) == count


def parse(text):
    return json.loads(text, parse_float=Text)


def dictionary_items(value, is_mixed=False):
    """The entries of a dictionary: keys as str, or bytes if they are not UTF-8, or int."""
    if isinstance(value, dict) and list(value) == ["$dictionary"]:
        value = value["$dictionary"]
    if isinstance(value, dict):
        return list(value.items())
    return [(string(key) if not isinstance(key, int) else key, item) for key, item in value]


def string(value):
    """A str; bytes if they are not UTF-8."""
    if isinstance(value, dict):
        return base64.b64decode(value["$string"]["base64"])
    return value


def number(value):
    """A double."""
    if isinstance(value, dict):
        return float(value["$numberDouble"].replace("Infinity", "inf"))
    return float(value)


def single(value):
    """A float: the nearest one of 32 bits."""
    exact = number(value)
    if math.isnan(exact) or math.isinf(exact):
        return exact
    return struct.unpack("f", struct.pack("f", exact))[0]


def date(value):
    """Seconds and nanoseconds, of the same sign."""
    value = value["$date"]
    if isinstance(value, dict):
        return int(value["$seconds"]), int(value["$ns"])
    import datetime

    whole = datetime.datetime.strptime(value[:19], "%Y-%m-%dT%H:%M:%S")
    seconds = int((whole - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1))
    digits = value[20:-1]
    nanoseconds = int(digits.ljust(9, "0")) if digits else 0
    if seconds < 0 and nanoseconds:
        seconds, nanoseconds = seconds + 1, nanoseconds - 10**9
    return seconds, nanoseconds


def scalar(type, value):
    """A value as (type, Python value); None for null."""
    if value is None:
        return None
    if type == "int":
        return type, value
    if type == "bool":
        return type, value
    if type == "double":
        return type, number(value)
    if type == "float":
        return type, single(value)
    if type == "string":
        return type, string(value)
    if type == "data":
        return type, base64.b64decode(value["$binary"]["base64"])
    if type == "date":
        return type, date(value)
    if type == "decimal128":
        return type, value["$numberDecimal"]
    if type == "objectId":
        return type, value["$oid"]
    if type == "uuid":
        return type, value["$uuid"]
    raise ValueError(type)


def mixed(value):
    """A mixed value as (type, Python value), with `object:Class` for links; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, Text):
        return "double", float(value)
    if isinstance(value, int):
        return "int", value
    if isinstance(value, str):
        return "string", value
    if isinstance(value, list):
        return "list", value
    for name, type in (
        ("$numberDouble", "double"), ("$numberDecimal", "decimal128"), ("$date", "date"),
        ("$oid", "objectId"), ("$uuid", "uuid"), ("$binary", "data"), ("$string", "string"),
    ):
        if name in value:
            return scalar(type, value)
    if "$float" in value:
        return "float", single(value["$float"])
    if "$link" in value:
        return "object:" + member_name(value["$link"]["class"]), value["$link"]
    return "dictionary", value


def identity(value):
    """The identity of a link's target; None for no link, one to nothing, and one to the null primary key."""
    if isinstance(value, dict) and "$link" in value:
        link = value["$link"]
        return None if link.get("unresolved") else link["id"]
    return value


def same_json(a, b):
    """Whether two JSON values are the same, with numbers by their values."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, Text)) and isinstance(b, (int, Text)):
        return a == b if type(a) is type(b) is int else float(a) == float(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b
