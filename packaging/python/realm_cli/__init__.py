"""Calls the realm-cli that comes with this package: objects of Realm database files as dicts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, Union

from ._binary import binary
from ._values import decoded, encoded

__all__ = ["RealmError", "binary", "objects", "run"]

Path = Union[str, "PathLike[str]"]


class RealmError(Exception):
    """What realm-cli refused or could not do.

    ``code`` is a stable name such as ``damaged``, ``wrongKey`` or ``usage``, ``status`` the exit code; ``path`` and
    ``offset`` tell where, ``hint`` what can be done, as far as realm-cli knows.
    """

    def __init__(self, status: int, details: dict[str, Any]) -> None:
        self.status = status
        self.code: str = details.get("code", "unknown")
        self.message: str = details.get("message", f"realm-cli ended with {status}")
        self.path: str | None = details.get("path")
        self.offset: int | None = details.get("offset")
        self.hint: str | None = details.get("hint")
        self.details = details
        super().__init__(self.message if self.hint is None else f"{self.message} ({self.hint})")


def run(arguments: Sequence[Path], *, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Runs realm-cli, and returns what it printed.

    Raises RealmError if it ends with another exit code than 0 and 1 (an answer "no", such as that of ``diff``);
    never with ``check=False``.
    """
    result = subprocess.run([binary(), *arguments], capture_output=True, check=False)
    if check and result.returncode not in (0, 1):
        raise _error(result.returncode, result.stderr)
    return result


def objects(
    realm: Path,
    class_name: str,
    where: str | None = None,
    *,
    args: Sequence[Any] = (),
    columns: Sequence[str] = (),
    sort: Sequence[str] = (),
    limit: int | None = None,
    key_file: Path | None = None,
    previous: bool = False,
    decode: bool = True,
) -> Iterator[dict[str, Any]]:
    """Yields the objects of a class that a query of the Realm Query Language finds, or all, one dict each.

    ``args`` are the values of ``$0``, ``$1``, …: of JSON, ``datetime``, ``UUID``, ``bytes``, ``Decimal``, or dicts as Realm
    JSON has them. ``columns`` and ``sort`` are key paths, those of ``sort`` may end with
    ``:desc``. With ``decode=False`` the values stay as Realm JSON has them. Raises RealmError, also after the first
    objects if the realm turns out to be damaged.
    """
    command: list[Path] = [binary(), "query", "--format", "ndjson", "--json"]
    for value in args:
        command += ["--arg", json.dumps(value, default=encoded)]
    if columns:
        command += ["-c", ",".join(columns)]
    for path in sort:
        command += ["--sort", path]
    if limit is not None:
        command += ["--limit", str(limit)]
    if key_file is not None:
        command += ["--key-file", key_file]
    if previous:
        command += ["--previous"]
    command += ["--", realm, class_name]
    if where is not None:
        command.append(where)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            for line in process.stdout:
                value = json.loads(line)
                yield {name: decoded(member) for name, member in value.items()} if decode else value
        finally:
            # Ends realm-cli if the caller does not want the rest.
            process.stdout.close()
        errors = process.stderr.read()
        status = process.wait()
    if status != 0:
        raise _error(status, errors)


def _error(status: int, errors: bytes) -> RealmError:
    for line in reversed(errors.decode("utf-8", "replace").splitlines()):
        try:
            details = json.loads(line)["error"]
        except (ValueError, KeyError, TypeError):
            continue
        return RealmError(status, details)
    lines = errors.decode("utf-8", "replace").splitlines()
    return RealmError(status, {"message": lines[0].removeprefix("realm-cli: ")} if lines else {})
