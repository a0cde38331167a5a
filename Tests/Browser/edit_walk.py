"""Walks through editing in `realm-cli browse --edit`, by keyboard, by mouse, and by forms without scripts."""

import shutil

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
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
        copy = self.folder / f"edit-{self.id().split('.')[-1]}-{type(self).__name__}.realm"
        shutil.copy(self.folder / name, copy)
        server = type(self.server)("--edit", copy.name)
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
        self.press("move element 0 of dogs down")
        self.wait(lambda: dogs() == before[::-1])
        self.press("remove element 1 of dogs")
        self.wait(lambda: dogs() == before[1:])
        self.go(f"/0/class/Person/0?at={ADDRESS}")
        self.assertTrue(self.all("main dl"))
        self.press("remove the object in address")
        self.wait(lambda: not self.all("main dl"))
        self.press("new object in address")
        self.wait(lambda: self.all("main dl"))
        self.go(f"/0/class/Person/0/edit?at={ADDRESS}.0&to=/0/class/Person/0")
        self.fill("[name=value]", "Bern")
        if self.one("[name=null]").is_selected():
            self.one("[name=null]").click()
        self.submit()
        self.assertIn("Bern", self.value(ADDRESS))

    def press(self, label):
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
        self.submit("Delete 3 objects")
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


class EditInPlace(EditSteps):
    """What scripts make nicer: editors where the values are, keys, and two tabs."""

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def undo(self):
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()

    def redo(self):
        (ActionChains(self.driver).key_down(Keys.CONTROL).key_down(Keys.SHIFT).send_keys("z")
         .key_up(Keys.SHIFT).key_up(Keys.CONTROL).perform())

    def editor(self):
        self.wait(lambda: self.all("dialog.editor-box[open] [name=value]"))
        return self.one("dialog.editor-box [name=value]")

    def closed(self):
        self.wait(lambda: not self.all("dialog.editor-box[open]"))

    def focused(self):
        return self.driver.switch_to.active_element

    def cell(self, row, column):
        return self.all("table[data-rows] tbody tr")[row].find_elements(By.CSS_SELECTOR, "th, td")[column]

    def test_keyboard(self):
        self.edit()
        self.go("/0/class/Dog/")
        self.keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.focused(), self.cell(0, 2))
        self.keys(Keys.ENTER)
        self.assertEqual(self.editor().get_property("value"), "3")
        self.keys("17", Keys.ENTER)
        self.wait(lambda: "17" in self.rows()[0][2])
        self.assertEqual(self.focused(), self.cell(0, 2))
        self.assertIn("changed", self.cell(0, 2).get_attribute("class"))
        # Escape leaves the value as it is.
        self.keys(Keys.F2)
        self.editor()
        self.keys("18", Keys.ESCAPE)
        self.closed()
        self.assertEqual(self.focused(), self.cell(0, 2))
        self.assertIn("17", self.rows()[0][2])
        # Tab saves, and goes on to the next cell.
        self.keys(Keys.F2)
        self.editor()
        self.keys("19", Keys.TAB)
        self.wait(lambda: "19" in self.rows()[0][2])
        self.wait(lambda: self.focused() == self.cell(0, 3))
        self.keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.assertEqual(self.editor().get_property("value"), "20.0")
        self.keys("x", Keys.ENTER)
        self.wait(lambda: self.all("dialog .problem"))
        self.assertEqual(self.editor().get_attribute("aria-invalid"), "true")
        self.keys(Keys.ESCAPE)
        self.closed()
        self.assertEqual(self.changes(), 1)

    def test_mouse(self):
        self.edit()
        self.go("/0/class/Dog/")
        ActionChains(self.driver).double_click(self.cell(1, 1)).perform()
        field = self.editor()
        self.assertEqual(field.tag_name, "textarea")
        field.send_keys("two", Keys.ENTER, "lines")
        next(b for b in self.all("dialog .actions button")).click()
        self.wait(lambda: "two ⏎ lines" in self.rows()[1][1])
        self.go("/0/class/Person/0")
        for position, text, shown in VALUES:
            ActionChains(self.driver).move_to_element(
                self.all("dl.object > dd")[position].find_element(By.CSS_SELECTOR, "a.edit")
            ).click().perform()
            self.editor().clear()
            self.editor().send_keys(text)
            self.one("dialog .actions button").click()
            self.wait(lambda: (shown or text) in self.value(position))
        self.assertEqual(self.changes(), 2)

    def test_each_editor_by_keyboard(self):
        self.edit()
        self.go("/0/class/Person/?" + "&".join(f"c={name}" for name in [
            "name", "age", "height", "weight", "born", "balance", "oid", "uid", "dog", "active"]))
        self.keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        order = [NAME, AGE, 4, 5, BORN, BALANCE, OID, UID, DOG]
        for column, position in enumerate(order, 1):
            text, shown = next((t, s or t) for p, t, s in VALUES if p == position)
            self.keys(Keys.ENTER)
            self.editor()
            self.keys(text, Keys.TAB)
            self.wait(lambda: shown in self.cell(0, column).text)
            self.wait(lambda: self.focused() == self.cell(0, column + 1))
        self.keys(Keys.F2)
        self.editor()
        self.keys("false", Keys.ENTER)
        self.wait(lambda: "false" in self.cell(0, 10).text)
        # Shift-Tab reaches null.
        self.keys(Keys.F2)
        self.editor()
        self.driver.execute_script("document.querySelector('dialog [name=null]').focus()")
        self.keys(Keys.SPACE, Keys.ENTER)
        self.wait(lambda: "null" in self.cell(0, 10).text)

    def test_picker(self):
        self.edit()
        self.go("/0/class/Person/2?")
        self.labelled("edit dog").click()
        self.editor().clear()
        self.editor().send_keys("fi")
        self.wait(lambda: [o.get_attribute("value") for o in self.all("dialog datalist option")] == ["fido"])
        self.keys(Keys.ESCAPE)
        self.keys(Keys.ESCAPE)
        self.closed()

    def test_two_tabs(self):
        self.edit()
        self.go("/0/class/Dog/")
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.go("/0/class/Dog/1/edit?at=2")
        self.fill("[name=value]", "55")
        self.submit()
        self.driver.close()
        self.driver.switch_to.window(first)
        self.wait(lambda: "55" in self.rows()[1][2])

    EDIT_PAGES = [
        "/0/class/Person/", "/0/class/Person/0", "/0/class/Dog/0", "/0/class/Dog/2", "/0/draft",
        "/0/class/Person/new", "/0/class/Dog/found?q=age+%3E+3", "/0/class/Dog/found?do=delete",
        f"/0/class/Person/0/edit?at={NAME}", f"/0/class/Person/0/edit?at={AVATAR}",
        f"/0/class/Person/0/edit?at={MIX}", f"/0/class/Person/0/edit?at={DOG}&pick=",
        f"/0/class/Person/0/edit?at={ACTIVE}", f"/0/class/Person/0/edit?at=20&do=entry"]

    def make_draft(self):
        """A draft with each kind of change."""
        self.edit()
        for path, values in [
                ("/0/class/Person/0/edit?at=1", {"value": "Anna"}),
                ("/0/class/Person/0/edit?at=3", {"value": "31"}),
                ("/0/class/Person/1/edit?at=13", {"value": "rex"}),
                ("/0/class/Dog/0/edit?at=2", {"value": "4"})]:
            self.go(path)
            for name, text in values.items():
                self.fill(f"[name={name}]", text)
            self.submit()
        self.go("/0/class/Dog/new")
        self.fill("[name=value0]", "laika")
        self.fill("[name=value1]", "Laika")
        self.submit("Add")
        self.go("/0/class/Person/new")
        self.fill("[name=value0]", "99")
        self.fill("[name=value1]", "Zoe")
        self.submit("Add")
        for path in ["/0/class/Dog/2", "/0/class/Person/2"]:
            self.go(path)
            button = next(b for b in self.all("main button") if b.text == "Delete")
            button.click()
            self.wait(lambda: "The draft removes" in self.one("main").text)

    def check_accessibility(self, script, place):
        self.driver.execute_script(script)
        findings = self.driver.execute_async_script("axe.run().then(r => arguments[0](r.violations))")
        found = [(f["id"], [n["html"][:200] for n in f["nodes"][:3]]) for f in findings]
        self.assertEqual(found, [], place)

    def test_edit_accessibility(self):
        if not self.options.axe:
            self.skipTest("without axe-core")
        script = self.options.axe.read_text()
        self.make_draft()
        for scheme in ["light", "dark"]:
            self.browser.look(scheme)
            for page in self.EDIT_PAGES:
                self.go(page)
                self.check_accessibility(script, f"{page}, {scheme}")
            self.go("/0/class/Person/0")
            for name in ["name", "mix", "dog"]:
                self.labelled(f"edit {name}").click()
                self.editor()
                self.check_accessibility(script, f"the editor of {name}, {scheme}")
                self.keys(Keys.ESCAPE)
                self.closed()
        self.browser.take_logs()

    def test_edit_narrow(self):
        self.make_draft()
        for width in [400, 1280]:
            self.browser.look("light", width)
            for page in self.EDIT_PAGES:
                self.go(page)
                self.assertLessEqual(
                    self.driver.execute_script("return document.documentElement.scrollWidth"), width,
                    page)

    def test_edit_images(self):
        if not self.options.images:
            self.skipTest("no pictures wanted")
        self.make_draft()
        for scheme in ["light", "dark"]:
            self.browser.look(scheme, 1280, 720)
            for name, page in [
                    ("class", "/0/class/Person/?c=name&c=age&c=born&c=dog&c=tags"),
                    ("object", "/0/class/Person/0"), ("review", "/0/draft"), ("editor", "/0/class/Dog/")]:
                self.go(page)
                if name == "editor":
                    self.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.F2)
                    self.editor()
                self.driver.save_screenshot(
                    str(self.options.images / f"browse-edit-{name}-{scheme}.png"))
