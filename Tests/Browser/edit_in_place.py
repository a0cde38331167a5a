"""Walks through editing in `realm-cli browse --edit` where the values are: by keyboard and by mouse."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from edit_walk import (
    ACTIVE, AGE, AVATAR, BALANCE, BORN, DOG, MIX, NAME, OID, UID, VALUES, EditSteps)


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
        # Shift-Tab goes through the other fields, back to null.
        self.keys(*[Keys.ARROW_LEFT] * 8, Keys.F2)
        self.editor()
        for _ in range(3):
            (ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT)
             .perform())
        self.assertEqual(self.focused().get_attribute("name"), "null")
        self.keys(Keys.SPACE, Keys.ENTER)
        self.wait(lambda: "null" in self.cell(0, 2).text)

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
        self.go("/0/draft/schema")
        self.change("Person.age")
        self.add_step("Remove the index")
        self.change("Person.age")
        self.add_step("Change the type", type="double?")
        for scheme in ["light", "dark"]:
            self.browser.look(scheme, 1280, 720)
            for name, page in [
                    ("class", "/0/class/Person/?c=name&c=age&c=born&c=dog&c=tags"),
                    ("object", "/0/class/Person/0"), ("review", "/0/draft"),
                    ("schema", "/0/draft/schema"), ("editor", "/0/class/Dog/")]:
                self.go(page)
                if name == "editor":
                    self.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.F2)
                    self.editor()
                self.driver.save_screenshot(
                    str(self.options.images / f"browse-edit-{name}-{scheme}.png"))
