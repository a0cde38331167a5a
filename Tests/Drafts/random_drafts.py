#!/usr/bin/env python3
"""Edits realms at random in `browse --edit`, saves them, and compares them with the same edits of their exports.

    random_drafts.py TOOL [--edits N] [--seed N] [--keep FOLDER] REALM…

For each realm, a server is started on a copy. Forms and lines of a patch edit the draft; the same edits are made here, in the objects of
the NDJSON export, by code that shares nothing with the tool. After saving, the export of the realm has to have these objects, and `verify`
must find no error. With --keep, the saved realms stay in FOLDER, for another program to open.
"""

import argparse
import copy
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

SCALARS = ["int", "bool", "float", "double", "decimal128", "string", "data", "date", "objectId", "uuid"]


class Type:
    """The type of a property in the notation of schemas."""

    def __init__(self, notation, classes):
        self.collection, self.optional = None, False
        words = notation if isinstance(notation, dict) else {"type": notation}
        kind = words["type"]
        if kind in ("list", "set", "dictionary"):
            self.collection = {"list": "[]", "set": "<>", "dictionary": "{}"}[kind]
            kind = words["objectType"]
        elif kind == "object":
            kind = words["objectType"]
        match = re.fullmatch(r"(.*?)(\?)?(\[\]|<>|\{\})?", kind)
        self.name, self.optional = match[1], match[2] is not None or words.get("optional", False)
        self.collection = self.collection or match[3]
        if "collection" in words:
            self.collection = {"list": "[]", "set": "<>", "dictionary": "{}"}[words["collection"]]
        self.target = None if self.name in SCALARS + ["mixed"] else classes.get(self.name)


class Server:
    """A server of `browse --edit`, and a client that it trusts."""

    errors = http.client.HTTPException

    def __init__(self, tool, realm, state):
        environment = dict(os.environ, XDG_STATE_HOME=str(state), NO_COLOR="1")
        self.process = subprocess.Popen(
            [tool, "browse", "--edit", "--no-open", "--json", "-q", realm], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        start = json.loads(self.process.stdout.readline())
        url = urllib.parse.urlsplit(start["url"])
        self.origin = f"http://{url.netloc}"
        self.connection = http.client.HTTPConnection(url.netloc, timeout=120)
        answer = self.ask("GET", f"{url.path}?{url.query}", {})
        self.cookie = answer[1].getheader("Set-Cookie").split(";")[0]
        self.token = re.search(r'name="realm-token" content="(\w+)"', self.get("/0/"))[1]

    def ask(self, method, path, headers, body=None):
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        return response.read().decode(), response

    def get(self, path):
        text, response = self.ask("GET", path, {"Cookie": self.cookie})
        assert response.status == 200, (path, response.status, text[:500])
        return text

    def post(self, path, body, kind):
        headers = {
            "Cookie": self.cookie, "Origin": self.origin, "X-Realm-Token": self.token, "Content-Type": kind,
            "Accept": "application/json"}
        text, response = self.ask("POST", path, headers, body)
        return response.status, json.loads(text)

    def edit(self, **fields):
        body = urllib.parse.urlencode({k: v for k, v in fields.items() if v is not None}, doseq=True)
        return self.post("/0/draft/edit", body, "application/x-www-form-urlencoded")

    def close(self):
        # Not terminated: a parent that blocks the signal passes this on.
        self.process.kill()
        self.process.wait()


class Export:
    """The objects of a realm by class and identity, from its NDJSON export."""

    def __init__(self, tool, realm):
        text = subprocess.run(
            [tool, "export", realm, "-q", "--format", "ndjson", "-o", "-"], check=True, capture_output=True).stdout
        lines = [json.loads(line) for line in text.decode().split("\n") if line]
        self.schema = {c["name"]: c for c in lines[0]["schema"] if isinstance(c["name"], str)}
        self.types = {
            name: [(p, Type(t, self.schema)) for p, t in c["properties"].items()] for name, c in self.schema.items()}
        self.objects = {name: {} for name, c in self.schema.items() if not c.get("embedded")}
        for line in lines[1:-1]:
            self.objects[line["class"]][self.identity(line["class"], line["object"])] = line["object"]

    def member(self, name):
        return self.schema[name].get("primaryKey") or self.schema[name]["keyMember"]

    def identity(self, name, item):
        return json.dumps(item[self.member(name)], sort_keys=True)

    def compared(self):
        """The objects with sets without an order."""
        def value(kind, item):
            if kind.collection == "<>":
                return sorted(json.dumps(e, sort_keys=True) for e in item)
            if kind.target and kind.target.get("embedded"):
                if kind.collection == "[]":
                    return [whole(kind.name, e) for e in item]
                if kind.collection == "{}":
                    return item
                return whole(kind.name, item) if item is not None else None
            return item

        def whole(name, item):
            if item is None:
                return None
            types = dict(self.types[name])
            return {k: value(types[k], v) if k in types else v for k, v in item.items()}

        return {n: {i: whole(n, o) for i, o in objects.items()} for n, objects in self.objects.items()}


class Draft:
    """Random edits of a realm, in its server and in its export."""

    def __init__(self, server, export, rng):
        self.server, self.export, self.rng = server, export, rng
        self.keys = {}
        self.done, self.undone = [], []
        for name in self.classes():
            self.keys[name] = self.stored_keys(name)
            assert len(self.keys[name]) == len(export.objects[name]), name
        self.log = []
        # Collections with links to objects that the draft deletes: pages still show these elements.
        self.shifted = set()

    def classes(self):
        return [n for n, c in self.export.schema.items() if not c.get("embedded") and not c.get("asymmetric")]

    def stored_keys(self, name):
        keys, ids = {}, list(self.export.objects[name])
        for start in range(0, len(ids), 50):
            page = self.server.get(f"/0/class/{urllib.parse.quote(name)}/?from={start}")
            found = re.findall(r'<th scope="row"[^>]*>(?:<input[^>]*>)?<a href="/0/class/[^/"]*/(\d+)"', page)
            for identity, key in zip(ids[start:start + 50], found):
                keys[identity] = key
        return keys

    # Values: the fields of a form, and what they mean in the export.

    def scalar(self, name):
        r = self.rng
        match name:
            case "int":
                n = r.choice([0, -1, 7, 2**53 + 1, -(2**63), 2**63 - 1, r.randrange(-10**6, 10**6)])
                return str(n), n
            case "bool":
                b = r.random() < 0.5
                return ("true", True) if b else ("false", False)
            case "float":
                n = r.choice([0.5, -1.25, 1024.0, 3.0])
                return str(n), n
            case "double":
                n = r.choice([0.1, -2.5e-300, 1.7976931348623157e308, 42.0, r.random()])
                return repr(n), n
            case "decimal128":
                t = r.choice(["1.50", "-0.00", "12345678901234567890.1234", "1E+3"])
                return t, {"$numberDecimal": t}
            case "string":
                t = r.choice(["", "née", "a\nb", '"quoted" <b>&amp;', "日本語 🙂", " spaces "])
                return t, t
            case "data":
                b = r.randbytes(r.randrange(0, 6))
                import base64
                return b.hex(), {"$binary": {"base64": base64.b64encode(b).decode(), "subType": "00"}}
            case "date":
                t = r.choice(["2026-01-31T12:00:00Z", "1969-12-31T23:59:59.5Z", "2001-02-03T04:05:06.789012345Z"])
                return t, {"$date": t}
            case "objectId":
                h = r.randbytes(12).hex()
                return h, {"$oid": h}
            case "uuid":
                h = r.randbytes(16).hex()
                t = f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
                return t, {"$uuid": t}
        raise KeyError(name)

    def target(self, name):
        """An object to link to: its identity as a form and as the export has it; None if there is none."""
        ids = list(self.export.objects.get(name, {}))
        ids = [i for i in ids if i != "null"]
        if not ids:
            return None
        identity = json.loads(self.rng.choice(ids))
        text = identity
        if isinstance(identity, dict):
            if len(identity) != 1 or not isinstance(next(iter(identity.values())), str):
                return None
            text = next(iter(identity.values()))
        if isinstance(identity, str) and "\r" in identity:
            return None
        return str(text), identity

    def value(self, kind):
        """The fields of a value and its meaning; None if there is no such value."""
        if kind.optional and self.rng.random() < 0.15 and not (kind.collection == "[]" and kind.target):
            return {"null": "1"}, None
        if kind.name == "mixed":
            name = self.rng.choice(["null", "int", "bool", "float", "double", "string", "date", "uuid", "decimal", "link"])
            if name == "null":
                return {"type": "null"}, None
            if name == "link":
                candidates = [n for n in self.classes() if self.export.objects[n]]
                if not candidates:
                    return None
                owner = self.rng.choice(candidates)
                found = self.target(owner)
                return found and ({"type": "link", "link": owner, "value": found[0]},
                                  {"$link": {"class": owner, "id": found[1]}})
            text, meaning = self.scalar({"decimal": "decimal128"}.get(name, name))
            return {"type": name, "value": text}, {"$float": meaning} if name == "float" else meaning
        if kind.target:
            if kind.target.get("embedded"):
                return None
            found = self.target(kind.name)
            return found and ({"value": found[0]}, found[1])
        text, meaning = self.scalar(kind.name)
        return {"value": text}, meaning

    def default(self, kind):
        if kind.collection:
            return {"[]": [], "<>": [], "{}": {}}[kind.collection]
        if kind.optional or kind.name == "mixed" or kind.target:
            return None
        return {
            "int": 0, "bool": False, "float": 0.0, "double": 0.0, "string": "", "decimal128": {"$numberDecimal": "0"},
            "data": {"$binary": {"base64": "", "subType": "00"}}, "date": {"$date": "1970-01-01T00:00:00Z"},
            "objectId": {"$oid": "0" * 24}, "uuid": {"$uuid": "00000000-0000-0000-0000-000000000000"}}[kind.name]

    # Edits

    def some_object(self):
        names = [n for n in self.classes() if self.export.objects[n]]
        if not names:
            return None
        name = self.rng.choice(names)
        identity = self.rng.choice(list(self.export.objects[name]))
        return name, identity

    def edit(self):
        r = self.rng.random()
        if r < 0.08 and self.done:
            return self.undo()
        if r < 0.12 and self.undone:
            return self.redo()
        before = copy.deepcopy((self.export.objects, self.keys))
        made = self.create() if r < 0.2 else self.duplicate() if r < 0.25 else self.delete() if r < 0.33 else self.change()
        # As texts: Python takes 1 and 1.0 for equal.
        if made and json.dumps(before[0], sort_keys=True) != json.dumps(self.export.objects, sort_keys=True):
            self.done.append(before)
            self.undone = []

    def ok(self, answer, what):
        self.log.append(what)
        assert answer[0] == 200, (what, answer)
        return answer[1]

    def change(self):
        found = self.some_object()
        if not found:
            return False
        name, identity = found
        item = self.export.objects[name][identity]
        properties = [
            (i, p, t) for i, (p, t) in enumerate(self.export.types[name]) if p != self.export.schema[name].get("primaryKey")]
        if not properties:
            return False
        position, prop, kind = self.rng.choice(properties)
        if (name, identity, prop) in self.shifted:
            return False
        where = {"class": self.address(name), "key": self.keys[name][identity]}
        new = copy.deepcopy(item)
        fields = self.part(new, prop, kind, [position])
        if fields is None:
            return False
        if self.rng.random() < 0.2 and new[prop] != item[prop] and self.is_patchable(name):
            line = {"class": name, "old": {self.export.member(name): json.loads(identity), prop: item[prop]},
                    "new": {self.export.member(name): json.loads(identity), prop: new[prop]}}
            answer = self.server.post("/0/draft", json.dumps(line) + "\n", "application/x-ndjson")
        else:
            answer = self.server.edit(**where, **fields)
        self.ok(answer, (name, identity, prop, fields, new[prop]))
        self.export.objects[name][identity] = new
        return True

    def is_patchable(self, name):
        return isinstance(name, str)

    def part(self, owner, prop, kind, path):
        """Changes a part of a value, and returns the fields of the form that does it; None if nothing can be done."""
        r, item = self.rng, owner[prop]
        at = ".".join(map(str, path))
        embedded = kind.target and kind.target.get("embedded")
        if kind.collection in ("[]", "<>"):
            count = len(item)
            choice = r.choice(["insert", "insert", "remove", "move", "set"])
            if choice in ("remove", "move", "set") and not count:
                choice = "insert"
            if choice == "move" and kind.collection == "<>":
                choice = "remove"
            i = r.randrange(count) if count else 0
            if choice == "remove":
                item.pop(i)
                return {"do": "remove", "at": f"{at}.{i}"}
            if choice == "move":
                j = r.randrange(count)
                item.insert(j, item.pop(i))
                return {"do": "move", "at": f"{at}.{i}", "position": j}
            if embedded:
                if choice == "set" and item[i] is not None:
                    return self.inside(item[i], kind, path + [i])
                i = r.randrange(count + 1)
                item.insert(i, {p: self.default(t) for p, t in self.export.types[kind.name]})
                return {"do": "make", "at": f"{at}.{i}"}
            made = self.value(kind)
            if not made:
                return None
            if kind.collection == "<>" and any(
                    json.dumps(made[1], sort_keys=True) == json.dumps(e, sort_keys=True) or made[1] == e for e in item):
                return None
            if kind.name == "mixed" and kind.collection == "<>" and isinstance(made[1], (int, float, bool, dict)):
                # Equal numbers of all types are one member.
                return None
            if choice == "set":
                item[i] = made[1]
                return {"do": "set", "at": f"{at}.{i}", **made[0]}
            i = r.randrange(count + 1)
            item.insert(i, made[1])
            return {"do": "insert", "at": f"{at}.{i}", **made[0]}
        if kind.collection == "{}":
            if not isinstance(item, dict) or any(k.startswith("$") for k in item):
                return None
            names = list(item)
            choice = r.choice(["entry", "remove", "rename", "set"])
            if choice != "entry" and not names:
                choice = "entry"
            i = r.randrange(len(names)) if names else 0
            if choice == "remove":
                del item[names[i]]
                return {"do": "remove", "at": f"{at}.{i}"}
            fresh = r.choice(["a", "key", "née", "with space", "k%d" % r.randrange(1000)])
            if choice in ("entry", "rename") and fresh in item:
                return None
            if choice == "rename":
                value = item.pop(names[i])
                item[fresh] = value
                return {"do": "rename", "at": f"{at}.{i}", "name": fresh}
            if embedded:
                return None
            made = self.value(kind)
            if not made:
                return None
            if choice == "set":
                item[names[i]] = made[1]
                return {"do": "set", "at": f"{at}.{i}", **made[0]}
            item[fresh] = made[1]
            return {"do": "entry", "at": at, "name": fresh, **made[0]}
        if embedded:
            if item is None:
                owner[prop] = {p: self.default(t) for p, t in self.export.types[kind.name]}
                return {"do": "make", "at": at}
            if r.random() < 0.2:
                owner[prop] = None
                return {"do": "set", "at": at, "null": "1"}
            return self.inside(item, kind, path)
        made = self.value(kind)
        if not made:
            return None
        owner[prop] = made[1]
        return {"do": "set", "at": at, **made[0]}

    def inside(self, item, kind, path):
        if not self.export.types[kind.name]:
            return None
        position, (prop, inner) = self.rng.choice(list(enumerate(self.export.types[kind.name])))
        return self.part(item, prop, inner, path + [position])

    def address(self, name):
        return name

    def create(self):
        name = self.rng.choice(self.classes())
        schema = self.export.schema[name]
        if schema.get("asymmetric"):
            return False
        item, fields = {}, {}
        for position, (prop, kind) in enumerate(self.export.types[name]):
            is_key = prop == schema.get("primaryKey")
            item[prop] = self.default(kind)
            if kind.collection or (kind.target and kind.target.get("embedded")):
                continue
            if not is_key and self.rng.random() < 0.5:
                continue
            made = self.value(kind)
            if made is None or (is_key and made[1] is None):
                if is_key:
                    return False
                continue
            if made[0].get("value") == "" and kind.name != "string":
                continue
            item[prop] = made[1]
            fields.update({f"{k}{position}": v for k, v in made[0].items()})
        if schema.get("primaryKey"):
            identity = self.export.identity(name, item)
            if identity in self.export.objects[name]:
                return False
        answer = self.ok(self.server.edit(do="create", **{"class": self.address(name)}, **fields), ("create", name, fields))
        return self.added(name, item, answer)

    def added(self, name, item, answer):
        key = answer["to"].rsplit("/", 1)[1]
        if not self.export.schema[name].get("primaryKey"):
            item[self.export.member(name)] = int(key)
        identity = self.export.identity(name, item)
        self.export.objects[name][identity] = item
        self.keys[name][identity] = key
        return True

    def duplicate(self):
        found = self.some_object()
        if not found:
            return False
        name, identity = found
        item, fields = copy.deepcopy(self.export.objects[name][identity]), {}
        primary = self.export.schema[name].get("primaryKey")
        if primary:
            made = self.value(dict(self.export.types[name])[primary])
            if made is None or made[1] is None:
                return False
            item[primary] = made[1]
            if self.export.identity(name, item) in self.export.objects[name] or made[0].get("value") == "":
                return False
            fields = made[0]
        answer = self.ok(
            self.server.edit(do="duplicate", **{"class": self.address(name)}, key=self.keys[name][identity], **fields),
            ("duplicate", name, identity))
        return self.added(name, item, answer)

    def delete(self):
        found = self.some_object()
        if not found:
            return False
        name, identity = found
        self.ok(
            self.server.edit(do="delete", **{"class": self.address(name)}, key=self.keys[name][identity]),
            ("delete", name, identity))
        del self.export.objects[name][identity]
        del self.keys[name][identity]
        self.drop_links(name, json.loads(identity))
        return True

    def drop_links(self, name, identity):
        """Links to a deleted object become null, and lists and sets lose them."""
        typed = {"$link": {"class": name, "id": identity}}

        def mixed(value):
            if value == typed:
                return None
            if isinstance(value, list):
                return [mixed(v) for v in value if v != typed]
            if isinstance(value, dict) and not any(k.startswith("$") for k in value):
                return {k: mixed(v) for k, v in value.items()}
            return value

        def whole(owner, item):
            if item is None:
                return
            for prop, kind in self.export.types[owner]:
                value = item[prop]
                if kind.target and not kind.target.get("embedded") and kind.name == name:
                    if kind.collection in ("[]", "<>"):
                        item[prop] = [v for v in value if v != identity]
                    elif kind.collection == "{}":
                        item[prop] = {k: None if v == identity else v for k, v in value.items()}
                    elif value == identity:
                        item[prop] = None
                elif kind.target and kind.target.get("embedded"):
                    inner = value if kind.collection == "[]" else value.values() if kind.collection else [value]
                    for v in inner:
                        if isinstance(v, dict):
                            whole(kind.name, v)
                elif kind.name == "mixed":
                    if kind.collection in ("[]", "<>"):
                        item[prop] = [mixed(v) for v in value if v != typed]
                    elif kind.collection == "{}" and isinstance(value, dict) and "$dictionary" not in value:
                        item[prop] = {k: mixed(v) for k, v in value.items()}
                    else:
                        item[prop] = mixed(value)

        for owner, objects in self.export.objects.items():
            for own, item in objects.items():
                before = copy.deepcopy(item)
                whole(owner, item)
                self.shifted |= {(owner, own, prop) for prop in item if item[prop] != before[prop]}

    def undo(self):
        self.ok(self.server.post("/0/draft/undo", "", "application/json"), "undo")
        self.undone.append(copy.deepcopy((self.export.objects, self.keys)))
        self.export.objects, self.keys = self.done.pop()

    def redo(self):
        self.ok(self.server.post("/0/draft/redo", "", "application/json"), "redo")
        self.done.append(copy.deepcopy((self.export.objects, self.keys)))
        self.export.objects, self.keys = self.undone.pop()


def first_difference(wanted, found):
    for name in wanted:
        for identity in wanted[name].keys() | found[name].keys():
            a, b = wanted[name].get(identity), found[name].get(identity)
            if a != b:
                if a and b:
                    return name, identity, {k: (a[k], b.get(k)) for k in a if a[k] != b.get(k)}
                return name, identity, a, b
    return None


def run(tool, realm, edits, seed, keep):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "edited.realm")
        shutil.copy(realm, path)
        os.chmod(path, 0o600)
        before = subprocess.run([tool, "verify", "-q", path], capture_output=True).returncode
        server = Server(tool, path, folder)
        try:
            export = Export(tool, path)
            draft = Draft(server, export, random.Random(seed))
            for _ in range(edits):
                draft.edit()
            status, report = server.post("/0/draft/save", '{"to":"realm"}', "application/json")
            if status != 200:
                return f"not saved: {status} {report}"
            if os.environ.get("LOG"):
                print(*draft.log, sep="\n")
        except AssertionError as error:
            return f"refused: {error}"
        finally:
            server.close()
        found = Export(tool, path).compared()
        wanted = export.compared()
        if found != wanted:
            return f"differs: {first_difference(wanted, found)}"
        checked = subprocess.run([tool, "verify", "-q", path], capture_output=True, text=True)
        if checked.returncode > before:
            return f"verify: {checked.stdout[:500]}"
        if keep:
            shutil.copy(path, os.path.join(keep, f"{pathlib.Path(realm).parent.name}-{pathlib.Path(realm).stem}-{seed}.realm"))
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("realms", nargs="+")
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    bad = 0
    for number, realm in enumerate(options.realms):
        problem = run(options.tool, realm, options.edits, options.seed + number, options.keep)
        if problem:
            bad += 1
            print(f"{realm}, seed {options.seed + number}: {problem}", flush=True)
    print(f"{len(options.realms)} drafts, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
