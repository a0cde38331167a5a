"""Compares tables with Realm JSON, by the rules of docs/formats.md. It knows nothing of a database: a reader gives the
rows of tables, and says which Python value a value of Realm JSON must be."""

import realm_json


class Names:
    """Names of tables or columns."""

    def __init__(self, fold, limit=None, forbidden="", reserved=()):
        self.fold, self.limit, self.forbidden, self.reserved = fold, limit, forbidden, reserved
        self.taken = set()

    def key(self, name):
        if not self.fold:
            return name
        return "".join(chr(ord(c) | 32) if "A" <= c <= "Z" else c for c in name)

    def cut(self, name, room):
        if room is None:
            return name
        while len(name.encode()) > room:
            name = name[:-1]
        return name

    def free(self, wanted):
        base = "".join("\ufffd" if c == "\0" else "_" if c in self.forbidden else c for c in wanted)
        key = self.key(base)
        if not base or key.startswith("sqlite_") and self.fold or key in self.reserved:
            base = "_" + base
        base = self.cut(base, self.limit)
        name, number = base, 2
        while self.key(name) in self.taken:
            ending = f"_{number}"
            name = self.cut(base, self.limit and self.limit - len(ending)) + ending
            number += 1
        self.taken.add(self.key(name))
        return name


class Tables:
    """The tables that an export makes of a document."""

    def __init__(self, document, reader):
        self.document, self.reader = document, reader
        self.names, self.columns, self.keys = {}, {}, {}
        self.problems, self.compared = [], 0
        # Embedded rows that an owner was found for.
        self.owned = {}
        names = reader.table_names()
        order = self.classes()
        free = {}
        for item in order:
            self.names[item.name] = names.free(item.name)
            columns = free[item.name] = reader.column_names()
            self.columns[item.name] = {}
            for p in item.properties:
                self.columns[item.name][p.name] = columns.free(p.name)
            if reader.has_types:
                for p in item.properties:
                    if p.is_mixed and not p.collection:
                        self.columns[item.name][p.name, "type"] = columns.free(
                            self.columns[item.name][p.name] + "_type")
        self.has_shared_keys = self.find_shared_keys(order)
        for item in order:
            key, columns = item.primary_key, free[item.name]
            if item.embedded or key is None or item.property(key).optional or self.has_shared_keys:
                name = "_key"
                while columns.key(name) in columns.taken:
                    name = "_" + name
                self.keys[item.name] = columns.free(name)
        for item in order:
            for p in item.properties:
                if self.place(p) == "table":
                    self.names[item.name, p.name] = names.free(
                        f"{self.names[item.name]}_{self.columns[item.name][p.name]}")

    def classes(self):
        """The classes with tables: embedded ones only if an object can have one."""
        reached = {c.name for c in self.document.classes.values() if not c.embedded}
        waiting = list(reached)
        while waiting:
            for p in self.document.classes[waiting.pop()].properties:
                target = self.document.classes.get(p.target)
                if target and target.embedded and target.name not in reached:
                    reached.add(target.name)
                    waiting.append(target.name)
        return [c for c in self.document.classes.values() if c.name in reached]

    def find_shared_keys(self, classes):
        """Whether objects can have the same primary key, as in formats 2 to 9: links then refer to the object key of
        each class. Realm JSON does not say it, but no table has a unique primary key then."""
        unique = {
            self.reader.is_unique(self.names[item.name], self.columns[item.name][item.primary_key])
            for item in classes if not item.embedded and item.primary_key is not None}
        if len(unique) > 1:
            self.fail("only some primary keys are unique")
        return unique == {False}

    def place(self, p):
        if p.collection is None:
            return "json" if p.is_mixed and not self.reader.has_types else "column"
        if not self.reader.has_arrays or p.type == "object":
            return "table"
        return "json" if p.collection == "dictionary" or p.is_mixed else "array"

    def fail(self, text):
        self.problems.append(text)

    # Comparison

    def compare(self):
        self.rows = {name: self.reader.rows(table) for name, table in self.names.items()}
        wanted = set(self.names.values())
        found = set(self.reader.tables())
        if wanted != found:
            self.fail(f"tables {sorted(found ^ wanted)} are in only one of both")
        # The rows of embedded objects by their keys, and those of collections by their owners.
        self.by_key = {}
        self.by_owner = {}
        for name, rows in self.rows.items():
            if isinstance(name, tuple):
                groups = self.by_owner[name] = {}
                for row in rows:
                    groups.setdefault(self.reader.hashable(row["owner"]), []).append(row)
            elif name in self.keys:
                self.by_key[name] = {row[self.keys[name]]: row for row in rows}
        elements = dict.fromkeys(self.by_owner, 0)
        self.elements = elements
        for item in self.classes():
            if item.embedded:
                self.owned.setdefault(item.name, set())
                continue
            objects, rows = self.document.objects[item.name], self.rows[item.name]
            if len(objects) != len(rows):
                self.fail(f"{item.name}: {len(objects)} objects, {len(rows)} rows")
                continue
            rows = self.by_identity(item, rows)
            for i, object in enumerate(objects):
                self.object(item, object, rows(i, object), f"{item.name} {i}")
        for name, keys in self.owned.items():
            if len(keys) != len(self.rows[name]):
                self.fail(f"{name}: {len(self.rows[name])} rows, {len(keys)} with an owner")
        for name, count in elements.items():
            if count != len(self.rows[name]):
                self.fail(f"{name}: {len(self.rows[name])} rows, {count} elements")
        return self.problems

    def by_identity(self, item, rows):
        """The row of each object."""
        if item.primary_key is None:
            table = {row[self.keys[item.name]]: row for row in rows}
            return lambda i, object: table.get(object[item.key_member])
        if self.has_shared_keys:
            # Objects are in the order of their keys.
            rows = sorted(rows, key=lambda row: row[self.keys[item.name]])
            return lambda i, object: rows[i]
        p = item.property(item.primary_key)
        column = self.columns[item.name][p.name]
        table = {self.reader.hashable(row[column]): row for row in rows}
        member = item.member_names[item.properties.index(p)]
        return lambda i, object: table.get(
            self.reader.hashable(self.expected(realm_json.scalar(p.type, object[member]))))

    def expected(self, value):
        return None if value is None else self.reader.value(*value)

    def object(self, item, object, row, where):
        if row is None:
            return self.fail(f"{where}: no row")
        columns = self.columns[item.name]
        owner = row[self.keys[item.name]] if item.name in self.keys else row[columns[item.primary_key]]
        for member, p in zip(item.member_names, item.properties):
            value, place = object[member], f"{where}.{p.name}"
            kind = self.place(p)
            if kind == "table":
                self.collection(item, p, value, owner, place)
            elif kind == "json":
                self.json(value, row[columns[p.name]], place)
            elif kind == "array":
                self.check(
                    [self.expected(realm_json.scalar(p.type, element)) for element in value],
                    row[columns[p.name]], place)
            else:
                type = row[columns[p.name, "type"]] if p.is_mixed else None
                self.single(p, value, row[columns[p.name]], type, place)

    def collection(self, item, p, value, owner, place):
        name = (item.name, p.name)
        rows = self.by_owner[name].get(self.reader.hashable(owner), [])
        items = (
            realm_json.dictionary_items(value) if p.collection == "dictionary"
            else [(None, element) for element in value])
        self.elements[name] += len(items)
        if len(rows) != len(items):
            return self.fail(f"{place}: {len(items)} elements, {len(rows)} rows")
        if p.collection == "list":
            rows = sorted(rows, key=lambda row: row["position"])
        elif "id" in rows[0] if rows else False:
            rows = sorted(rows, key=lambda row: row["id"])
        for i, ((key, element), row) in enumerate(zip(items, rows)):
            at = f"{place}[{i}]"
            if p.collection == "list":
                self.check(i, row["position"], at + " position")
            if p.collection == "dictionary":
                expected = self.reader.value("int" if isinstance(key, int) else "string", key)
                self.check(expected, row["key"], at + " key")
            if p.is_mixed and not self.reader.has_types:
                self.json(element, row["value"], at)
            else:
                self.single(p, element, row["value"], row.get("type"), at)

    def single(self, p, value, found, type, place):
        target = self.document.classes.get(p.target)
        if p.type == "object" and target is not None and target.embedded:
            if value is None:
                return self.check(None, found, place)
            if found in self.owned.setdefault(target.name, set()):
                return self.fail(f"{place}: two owners of {found}")
            self.owned[target.name].add(found)
            return self.object(target, value, self.by_key[target.name].get(found), place)
        if p.type == "object":
            return self.link(target, value, found, place)
        if not p.is_mixed:
            return self.check(self.expected(realm_json.scalar(p.type, value)), found, place)
        value = realm_json.mixed(value)
        if value is None:
            self.check(None, type, place + " type")
            return self.check(None, found, place)
        self.check(value[0], type, place + " type")
        if value[0] in ("list", "dictionary"):
            self.json(value[1], found, place)
        elif value[0].startswith("object:"):
            target = self.document.classes.get(value[0][len("object:"):])
            self.link(target, {"$link": value[1]}, found, place)
        else:
            self.check(self.expected(value), found, place)

    def link(self, target, value, found, place):
        identity = realm_json.identity(value)
        if target is None or target.primary_key is None or target.embedded:
            return self.check(identity, found, place)
        key = target.property(target.primary_key)
        if self.has_shared_keys and value is not None:
            row = self.by_key[target.name].get(found)
            if row is None:
                return self.fail(f"{place}: expected a link to {identity!r}, found no row {found!r}")
            found = row[self.columns[target.name][key.name]]
        self.check(self.expected(realm_json.scalar(key.type, identity)), found, place)

    def json(self, value, found, place):
        self.compared += 1
        if value is None and found is None:
            return
        if found is None or not realm_json.same_json(self.reader.json(value), realm_json.parse(found)):
            self.fail(f"{place}: expected {value!r}, found {found!r}")

    def check(self, expected, found, place):
        self.compared += 1
        if not self.reader.same(expected, found):
            self.fail(f"{place}: expected {expected!r}, found {found!r}")
