"""Walks through editing in `realm-cli browse --edit` by forms, which need no scripts."""

import fcntl
import shutil
import subprocess

from selenium.webdriver.support.ui import Select

# Positions of the properties of a person.
NAME, AGE, BORN, ACTIVE, BALANCE, OID, UID, AVATAR, MIX, DOG, DOGS = 1, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14
WORDS, ADDRESS = 19, 23

# What is entered in each editor, and what the page shows then.
VALUES = [
    (NAME, "A <b> \\ & \"q\"", "A <b> \\ & \"q\""), (AGE, "9007199254740993", "9007199254740993"),
    (4, "0.1", "0.1"), (5, "16777216", "16777216.0"), (BORN, "1969-12-31T23:59:59.000000001Z", None),
    (BALANCE, "1.2300", "1.2300"), (OID, "0123456789abcdef01234567", None),
    (UID, "00112233-4455-6677-8899-aabbccddeeff", None), (DOG, "fido", "fido")]


class EditSteps:
    """What both walks share: a server with --edit on a fresh copy of a realm, and forms."""

    def edit(self, name="people.realm"):
        """Starts a server for the test."""
        folder = self.folder / f"{self.id().split('.')[-1]}-{type(self).__name__}"
        folder.mkdir()
        self.realm = folder / name
        shutil.copy(self.folder / name, self.realm)
        server = type(self.server)("--edit", self.realm)
        self.addCleanup(self.end, server)
        self.base = server.base
        self.driver.get(server.url)
        return server

    def end(self, server):
        # The page asks for the newest version again and again: it would ask a server that is gone.
        self.driver.get("about:blank")
        self.assertEqual(server.stop(), 0)

    def go(self, path):
        self.driver.get(self.base + path)

    def labelled(self, label):
        return self.one(f"[aria-label='{label}']")

    def fill(self, selector, text):
        field = self.one(selector)
        field.clear()
        field.send_keys(text)
        return field

    def submit(self, text="Set"):
        """Presses a button of the form of the page."""
        button = next(b for b in self.all("main form.editor button:not([tabindex])") if b.text == text)
        self.leave(button)

    def value(self, position):
        """The text of a property of the object on the page."""
        return self.all("dl.object > dd")[position].text

    def changes(self):
        bars = self.all(".draft-bar > span")
        return int(bars[0].text.split()[1]) if bars else 0

    # The walk that works with and without scripts.

    def walk_editors(self):
        self.edit()
        for position, text, shown in VALUES:
            self.go(f"/0/class/Person/0/edit?at={position}")
            self.fill("[name=value]", text)
            self.submit()
            self.assertIn(shown or text, self.value(position))
            self.assertIn("changed", self.all("dl.object > dd")[position].get_attribute("class"))
        self.go(f"/0/class/Person/0/edit?at={NAME}")
        self.fill("[name=value]", "two\nlines")
        self.submit()
        self.assertIn("two\nlines", self.value(NAME))
        self.go(f"/0/class/Person/0/edit?at={AGE}")
        self.one("[name=null]").click()
        self.submit()
        self.assertIn("null", self.value(AGE))
        self.go(f"/0/class/Person/0/edit?at={ACTIVE}")
        Select(self.one("[name=value]")).select_by_value("false")
        self.submit()
        self.assertIn("false", self.value(ACTIVE))
        before = self.value(OID)
        self.go(f"/0/class/Person/0/edit?at={OID}")
        self.submit("New")
        self.assertNotEqual(self.value(OID), before)
        file = self.folder / "bytes.bin"
        file.write_bytes(b"\x00\xffRealm")
        self.go(f"/0/class/Person/0/edit?at={AVATAR}")
        self.one("[name=file]").send_keys(str(file))
        self.submit()
        self.assertIn("00 ff 52 65 61 6c 6d", self.value(AVATAR))
        self.go(f"/0/class/Person/0/edit?at={MIX}")
        Select(self.one("[name=type]")).select_by_value("decimal")
        self.fill("[name=value]", "7.50")
        self.submit()
        self.assertIn("7.50", self.value(MIX))
        self.go(f"/0/class/Person/0/edit?at={AGE}")
        self.fill("[name=value]", "many")
        if self.one("[name=null]").is_selected():
            self.one("[name=null]").click()
        self.submit()
        self.assertIn("int", self.one(".problem").text)
        self.assertEqual(self.one("[name=value]").get_property("value"), "many")

    def walk_new_object(self):
        self.edit()
        self.go("/0/class/Dog/")
        self.click("New")
        self.fill("[name=value0]", "laika")
        self.fill("[name=value1]", "Laika")
        self.submit("Add")
        self.assertIn("The draft adds this object.", self.one("main").text)
        self.go("/0/class/Dog/")
        self.assertTrue(self.column()[0].endswith("laika"))
        # The target of a link is searched for.
        self.go(f"/0/class/Person/2/edit?at={DOG}")
        self.fill("[name=pick]", "LAI")
        self.leave(self.one(".pick button"))
        self.assertEqual(len(self.all("[type=radio]")), 1)
        self.one("[type=radio]").click()
        self.submit()
        self.click("laika", "dl.object")
        self.assertIn("1 link not saved yet", self.one(".backlinks").text)

    def walk_parts(self):
        """A list is reordered, and an embedded object removed and made again."""
        self.edit()
        self.go(f"/0/class/Person/0?at={DOGS}")

        def dogs():
            return [link.text for link in self.all(".elements a.link")]

        before = dogs()
        self.press_labelled("move element 0 of dogs down")
        self.wait(lambda: dogs() == before[::-1])
        self.press_labelled("remove element 1 of dogs")
        self.wait(lambda: dogs() == before[1:])
        self.go(f"/0/class/Person/0?at={ADDRESS}")
        self.assertTrue(self.all("main dl"))
        self.press_labelled("remove the object in address")
        self.wait(lambda: not self.all("main dl"))
        self.press_labelled("new object in address")
        self.wait(lambda: self.all("main dl"))
        self.go(f"/0/class/Person/0/edit?at={ADDRESS}.0&to=/0/class/Person/0")
        self.fill("[name=value]", "Bern")
        if self.one("[name=null]").is_selected():
            self.one("[name=null]").click()
        self.submit()
        self.assertIn("Bern", self.value(ADDRESS))

    def press_labelled(self, label):
        """Presses a button that edits at once: the page is another one, or has other content."""
        button = self.labelled(label)
        button.click()
        self.wait(lambda: self.is_gone(button))

    def walk_found(self):
        self.edit()
        self.go("/0/class/Dog/?q=age+%3E+3")
        self.click("Set for all found")
        self.fill("[name=set]", "name = 'Old'")
        self.submit("Set for 1 object")
        self.go("/0/class/Dog/")
        self.assertIn("Old", self.rows()[1][1])
        self.all("tbody [name=key]")[0].click()
        self.all("tbody [name=key]")[2].click()
        button = self.one(".chooser button")
        button.click()
        self.wait(lambda: self.is_gone(button))
        self.assertEqual(len(self.all("tr.removed")), 2)
        self.click("Delete all found")
        # The draft removes the two others already.
        self.submit("Delete 1 object")
        self.assertEqual(len(self.all("tr.removed")), 3)

    def walk_undo(self):
        self.edit()
        for i in range(20):
            self.go(f"/0/class/Dog/{i % 2}/edit?at=2")
            self.fill("[name=value]", str(100 + i))
            self.submit()
        self.go("/0/class/Dog/")
        for i in reversed(range(20)):
            self.assertIn(str(100 + i), self.rows()[i % 2][2])
            self.undo()
            self.wait(lambda: self.rows() and str(100 + i) not in self.rows()[i % 2][2])
        self.assertEqual([row[2] for row in self.rows()[:2]], ["3", "7"])
        self.assertEqual(self.changes(), 0)
        self.redo()
        self.wait(lambda: "100" in self.rows()[0][2])

    def walk_save(self):
        """A save that another process prevents, one that others' changes prevent, and the choice of a value."""
        self.edit()
        before = self.realm.read_bytes()
        self.go(f"/0/class/Person/0/edit?at={AGE}")
        self.fill("[name=value]", "71")
        self.submit()
        self.go("/0/draft")
        with open(f"{self.realm}.lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            self.press_button("Save in the realm")
            self.assertIn("in use", self.one(".problem").text)
        self.assertEqual(self.realm.read_bytes(), before)
        subprocess.run(
            [self.realm_cli, "update", "-q", self.realm, "Person", "--set", "age = 7", "--in-place"], check=True)
        self.press_button("Save in the realm")
        conflict = self.one(".conflicts fieldset").text
        for text in ("age", "the draft: 71", "the realm: 7"):
            self.assertIn(text, conflict)
        self.one(".conflicts input[value=draft]").click()
        self.press_button("Save with these values")
        self.assertIn("1 changed", self.one(".report").text)
        self.assertEqual(self.changes(), 0)
        self.go("/0/class/Person/0")
        self.assertEqual(self.value(AGE).split()[0], "71")
        refusals = self.browser.take_logs()
        self.assertEqual([line.split("status of ")[1][:3] for line in refusals], ["423", "409"])

    def press_button(self, text):
        self.leave(next(button for button in self.all("main button") if button.text == text))

    def undo(self):
        self.leave_or_refresh(".draft-bar form[action$=undo] button")

    def redo(self):
        self.leave_or_refresh(".draft-bar form[action$=redo] button")

    def leave_or_refresh(self, selector):
        button = self.one(selector)
        button.click()
        self.wait(lambda: self.is_gone(button))

    def test_editors(self):
        self.walk_editors()

    def test_new_object(self):
        self.walk_new_object()

    def test_parts(self):
        self.walk_parts()

    def test_found(self):
        self.walk_found()

    def test_undo(self):
        self.walk_undo()

    def test_save(self):
        self.walk_save()
