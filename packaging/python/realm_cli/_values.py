"""The values of Realm JSON as Python has them (docs/realm-json.md)."""

from __future__ import annotations

import base64
import re
import uuid
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

_DATE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")


def decoded(value: Any) -> Any:
    """A value of Realm JSON as Python has it.

    Dates are cut to microseconds, and stay as they are outside the years 1 to 9999. Object ids are strings of 24
    hexadecimal digits. Links and everything without a type in Python stay as they are.
    """
    if isinstance(value, list):
        return [decoded(element) for element in value]
    if not isinstance(value, dict):
        return value
    names = value.keys() - {"$bits"}
    if len(names) == 1:
        (name,) = names
        content = value[name]
        if name == "$date" and isinstance(content, str) and (match := _DATE.fullmatch(content)):
            microseconds = int((match[2] or "").ljust(6, "0")[:6])
            return datetime.fromisoformat(match[1]).replace(microsecond=microseconds, tzinfo=timezone.utc)
        if name == "$uuid":
            return uuid.UUID(content)
        if name == "$oid":
            return content
        if name == "$binary" and isinstance(content, dict):
            return base64.b64decode(content["base64"])
        if name == "$numberDecimal":
            return Decimal(content)
        if name == "$numberDouble":
            return float(content)
        if name == "$float":
            return decoded(content) if isinstance(content, dict) else float(content)
        if name == "$dictionary" and isinstance(content, dict):
            return {key: decoded(member) for key, member in content.items()}
    if any(name.startswith("$") for name in value):
        return value
    return {name: decoded(member) for name, member in value.items()}


def encoded(value: Any) -> Any:
    """The Realm JSON of a value that JSON does not have, for ``json.dumps(default=)``."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError(f"a date needs a time zone: {value!r}")
        return {"$date": value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    if isinstance(value, uuid.UUID):
        return {"$uuid": str(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"$binary": {"base64": base64.b64encode(value).decode(), "subType": "00"}}
    if isinstance(value, Decimal):
        return {"$numberDecimal": str(value)}
    raise TypeError(f"no Realm type for {type(value).__name__}")
