"""Walks through the pages of `realm-cli browse` with a real browser.

    walk.py TOOLS [--axe AXE.JS] [--images FOLDER]

TOOLS is the folder with the built realm-cli and test-writer. Needs Chromium, its driver and python3-selenium. With
--axe, no page may have a finding of axe-core. With --images, the pictures of the documentation are made anew.
"""

import argparse
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from edit_in_place import EditInPlace
from edit_walk import EditSteps

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures"
BIG_COUNT = 1_000_000
options = argparse.Namespace()


def tool(*arguments):
    """Runs realm-cli, and returns what it prints."""
    run = subprocess.run(
        [options.tools / "realm-cli", *map(str, arguments)], capture_output=True, text=True)
    return run.stdout


def make_big_realm(folder):
    """A realm with a class of a million objects."""
    text = folder / "big.ndjson"
    with text.open("w") as file:
        for i in range(BIG_COUNT):
            file.write('{"number":%d,"city":"city %d"}\n' % (i, i % 7))
    tool("import", text, "--class", "Event", "-o", folder / "big.realm")
    text.unlink()


def make_damaged_realm(folder):
    """A realm with a finding about an object."""
    path = folder / "damaged.realm"
    whole = (FIXTURES / "query" / "people.realm").read_bytes()
    # The first byte with such a bit is shortly behind this one.
    for place in range(768, len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        try:
            report = json.loads(tool("verify", "--json", path))
        except ValueError:
            continue
        errors = [f for f in report.get("findings", []) if f["severity"] == "error"]
        if any(f.get("class") and f.get("objectKey") == 0 for f in errors):
            return
    raise AssertionError("no bit gives a finding about an object")


def make_picture_realm(folder):
    """A realm with a picture and a binary."""
    png = (
        "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAHElEQVR4nGP4z8BAEiJN9f8RG/4TqX5UwzBSDQAKSP8BsIzIhgAA"
        "AABJRU5ErkJggg==")
    text = {
        "realm": {"format": "realm-json", "version": 1, "schemaVersion": 0},
        "schema": [{"name": "Photo", "primaryKey": "_id",
                    "properties": {"_id": "int", "data": "data", "title": "string"}}],
        "objects": {"Photo": [{"_id": 1, "data": {"$binary": {"base64": png, "subType": "00"}},
                               "title": "<script>document.title = 'broken'</script>"}]},
    }
    source = folder / "photo.json"
    source.write_text(json.dumps(text))
    tool("import", source, "-o", folder / "photo.realm")


def make_realms():
    options.folder = Path(tempfile.mkdtemp(prefix="browse-"))
    shutil.copy(FIXTURES / "query" / "people.realm", options.folder / "people.realm")
    make_big_realm(options.folder)
    make_damaged_realm(options.folder)
    make_picture_realm(options.folder)


class Server:
    """A running `realm-cli browse`."""

    bases = []

    def __init__(self, *names):
        self.process = subprocess.Popen(
            [options.tools / "realm-cli", "browse", "--no-open", *names], cwd=options.folder,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "XDG_STATE_HOME": str(options.folder / "state")})
        self.url = self.process.stdout.readline().strip()
        self.base = self.url.split("/?")[0].removesuffix("/0")
        Server.bases.append(self.base)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)


class Browser:
    """A headless Chromium, and what it asked for."""

    def __init__(self, scripts=True):
        arguments = webdriver.ChromeOptions()
        for argument in [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", "--window-size=1280,800", "--force-prefers-reduced-motion"]:
            arguments.add_argument(argument)
        if not scripts:
            arguments.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2})
        arguments.set_capability(
            "goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(
            service=Service(shutil.which("chromedriver")), options=arguments)
        self.requests = []

    def take_logs(self):
        """Collects the addresses that were asked for, and returns the errors of the console."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and " 422 " not in entry["message"]]

    def look(self, scheme, width=1280, height=800):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


class Walk(unittest.TestCase):
    """What both walks share."""

    scripts = True
    options = options

    @classmethod
    def setUpClass(cls):
        cls.folder = options.folder
        cls.server = Server("people.realm", "big.realm", "damaged.realm", "photo.realm")
        cls.browser = Browser(cls.scripts)
        cls.driver = cls.browser.driver
        cls.driver.get(cls.server.url)

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.quit()
        status = cls.server.stop()
        assert status == 0, f"browse ended with status {status}"

    def tearDown(self):
        errors = self.browser.take_logs()
        self.assertEqual(errors, [])
        own = (*Server.bases, "data:", "chrome:", "about:", "devtools:")
        foreign = [url for url in self.browser.requests if not url.startswith(own)]
        self.assertEqual(foreign, [])

    # What a user does.

    @property
    def realm_cli(self):
        return options.tools / "realm-cli"

    def open(self, path):
        self.driver.get(self.server.base + path)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, text, within="body"):
        self.leave(self.one(within).find_element(By.LINK_TEXT, text))

    def leave(self, element):
        """Clicks something that leads to another page, and waits for it."""
        page = self.one("html")
        element.click()
        self.wait(lambda: self.is_gone(page))

    @staticmethod
    def is_gone(element):
        try:
            element.is_enabled()
            return False
        except StaleElementReferenceException:
            return True
        except WebDriverException as error:
            # What Chromium says while it changes from one page to the other.
            if "does not belong to the document" in error.msg:
                return True
            raise

    def wait(self, condition, seconds=20):
        # What the page shows may be replaced while it is looked at.
        WebDriverWait(
            self.driver, seconds, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException]
        ).until(lambda _: condition())

    def rows(self):
        return [
            [cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
            for row in self.all("table[data-rows] tbody tr")]

    def column(self, index=0):
        return [row[index] for row in self.rows()]

    def find(self, query):
        box = self.one("#query")
        box.clear()
        box.send_keys(query)
        box.send_keys(Keys.ESCAPE)
        self.leave(self.one(".query button"))

    # The walk that works with and without scripts.

    def walk_links(self):
        self.open("/")
        self.assertEqual(self.one("h1").text, "Realms")
        self.click("people.realm")
        self.click("Person")
        self.assertEqual(self.column(), ["1", "2", "3", "4", "5"])
        self.click("1", "tbody")
        self.assertIn("ann@x.org", self.one("main").text)
        self.click("rex", "dl.object")
        self.assertEqual(self.one("h1").text.split()[0], "Dog")
        self.click("1", ".backlinks")
        self.assertIn("ann@x.org", self.one("main").text)

    def walk_queries(self):
        self.open("/0/class/Dog/")
        self.find("age > 3")
        self.assertEqual(self.column(), ["fido"])
        self.find("age > ")
        problem = self.one(".problem")
        self.assertIn("found the end of the query", problem.text)
        lines = problem.find_element(By.CSS_SELECTOR, "pre").get_property("textContent").split("\n")
        self.assertEqual(lines[1].index("^"), lines[0].index("age > ") + len("age > "))
        self.assertEqual(self.column(), ["fido"])
        self.find("")
        self.click("age", "thead")
        self.assertEqual(self.column(), ["nul", "rex", "fido"])
        self.click("age", "thead")
        self.assertEqual(self.column(), ["fido", "rex", "nul"])
        self.open("/0/class/Person/")
        self.click("email", ".facets")
        self.click("empty", ".facets")
        self.assertEqual(self.column(), ["2", "3", "5"])
        self.assertIn("3 of 5 objects", self.one(".count").text)
        self.open("/0/class/Person/")
        self.click("dog", ".facets")
        self.click("rex", ".facets")
        self.assertEqual(self.column(), ["1"])
        self.open("/0/class/Person/?facet=tags")
        self.click("vip", ".facets")
        self.assertEqual(self.column(), ["1", "2"])

    def walk_far(self):
        self.open("/1/class/Event/")
        self.click("last", ".toolbar .pages")
        self.assertEqual(len(self.rows()), 50)
        self.assertIn(str(BIG_COUNT - 1), self.rows()[-1])
        self.click("previous", ".toolbar .pages")
        self.assertIn(str(BIG_COUNT - 51), self.rows()[-1])
        self.click("number", "thead")
        self.click("number", "thead")
        self.assertIn(str(BIG_COUNT - 1), self.rows()[0])
        self.click("city", ".facets")
        self.assertIn("sample", self.one(".facets").text)
        self.click("city 3", ".facets")
        self.assertTrue(all("city 3" in row for row in self.rows()))

    def walk_reports(self):
        self.open("/0/")
        self.click("Stats")
        self.wait(lambda: self.all(".bars meter"))
        self.assertTrue(self.one("svg.realm-picture").is_displayed())
        self.assertIn("after compact", self.one("main").text)
        self.click("Schema")
        self.assertTrue(self.one("svg.realm-picture").is_displayed())
        self.click("Swift", ".tabs")
        self.assertIn("class Person: Object", self.one("pre").text)
        self.click("Changes")
        self.assertIn("Last commit", self.one("main").text)
        self.open("/2/")
        self.click("Verify")
        self.wait(lambda: self.all(".verdict"))
        self.assertIn("error", self.one(".verdict").text)
        self.assertIn("salvage", self.one("main").text)
        link = next(
            link for link in self.all(".findings a") if link.text.startswith("object "))
        link.click()
        self.assertIn("/class/", self.driver.current_url)

    def walk_pictures(self):
        self.open("/3/class/Photo/0")
        picture = self.one("img.picture")
        self.wait(lambda: picture.get_property("complete"))
        self.assertEqual(picture.get_property("naturalWidth"), 16)
        self.assertIn("<script>document.title", self.one("main").text)
        self.assertNotEqual(self.driver.title, "broken")

    def walk_versions(self):
        path = self.folder / "live.realm"
        shutil.copy(FIXTURES / "golden" / "people.realm", path)
        server = Server("live.realm")
        writer = subprocess.Popen(
            [options.tools / "test-writer", path, "Person", "score", "--lock", "--pause", "300000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(writer.stdout.readline(), "ready\n")
            self.driver.get(server.url)
            page = server.base + "/0/class/Person/?c=score"
            self.driver.get(page)
            before = self.column(1)
            # Every object has the number of the version: one version only.
            self.assertEqual(len(set(before)), 1)
            if self.scripts:
                self.wait(lambda: self.all(".notice"))
            else:
                self.wait(lambda: self.all(".notice") or self.driver.get(page))
            self.assertEqual(self.column(1), before)
            self.click("Show the newest", ".notice")
            self.assertEqual(self.driver.current_url, page)
            after = self.column(1)
            self.assertEqual(len(set(after)), 1)
            self.assertGreater(float(after[0]), float(before[0]))
        finally:
            # The page asks for the newest version again and again: it would ask a server that is gone.
            self.driver.get("about:blank")
            writer.communicate("")
            self.assertEqual(server.stop(), 0)


    def walk_schema(self):
        """A schema change: refused, mended, tried and saved."""
        realm = self.folder / f"plan-{'with' if self.scripts else 'without'}.realm"
        shutil.copy(FIXTURES / "query" / "people.realm", realm)
        server = Server("--edit", realm.name)
        try:
            self.driver.get(server.url)
            self.click("Schema")
            self.click("change the schema")
            self.change("Person.age")
            self.add_step("Change the type", type="double?")
            self.assertIn("cannot have an index", self.one("#chosen .problem").text)
            self.assertEqual(self.form("Change the type")["type"].get_property("value"), "double?")
            self.check_accessible()
            self.add_step("Remove the index")
            self.change("Person.age")
            self.add_step("Change the type", type="double?")
            # The forms of the class are there for the next step.
            self.add_step("Set values", property="name", expression="upper(name)", where="age < 40")
            steps = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")][:3]
                     for row in self.all("[aria-label=Steps] tbody tr")]
            self.assertEqual([step[2] for step in steps], ["0", "5", "3"])
            self.check_accessible()
            before = realm.read_bytes()
            self.press("Try")
            self.wait(lambda: "The plan can be saved" in self.one("main").text)
            self.check_accessible()
            self.assertEqual(realm.read_bytes(), before)
            self.click("back to the plan")
            self.press("Save")
            self.assertIn("Saved: schema version 1", self.one(".notice").text)
            self.assertEqual(realm.with_suffix(".before-browse.realm").read_bytes(), before)
            plan = self.folder / "plan.yml"
            plan.write_text("\n".join([
                "realm-migration: 1", "versions:", "  - to: 1", "    steps:",
                "      - remove-index: {class: Person, name: age}",
                "      - change-type: {class: Person, name: age, type: 'double?'}",
                "      - set-values: {class: Person, where: age < 40, values: {name: upper(name)}}"]))
            expected = self.folder / "plan-expected.realm"
            tool("migrate", realm.with_suffix(".before-browse.realm"), "--plan", plan, "-o", expected, "--force")
            self.assertEqual(realm.read_bytes(), expected.read_bytes())
        finally:
            self.driver.get("about:blank")
            self.assertEqual(server.stop(), 0)

    def change(self, place):
        """Shows the forms for a class or property."""
        self.leave(self.one(f'a[aria-label="Change {place}"]'))

    def form(self, button):
        """The fields of the form with this button, and the button."""
        form = next(
            form for form in self.all("#chosen form")
            if form.find_element(By.TAG_NAME, "button").text == button)
        fields = {
            field.get_property("name"): field
            for field in form.find_elements(By.CSS_SELECTOR, "input, select")}
        return {**fields, "button": form.find_element(By.TAG_NAME, "button")}

    def add_step(self, button, **values):
        form = self.form(button)
        for name, value in values.items():
            if form[name].tag_name == "input":
                form[name].clear()
            form[name].send_keys(value)
        self.leave(form["button"])

    def press(self, text):
        self.leave(next(button for button in self.all("button") if button.text == text))

    def check_accessible(self):
        """Checks that axe-core, if there is one, finds nothing on the page."""
        if not options.axe or not self.scripts:
            return
        self.driver.execute_script(options.axe.read_text())
        findings = self.driver.execute_async_script(
            "axe.run().then(r => arguments[0](r.violations))")
        found = [(f["id"], [n["html"][:200] for n in f["nodes"][:3]]) for f in findings]
        self.assertEqual(found, [], self.driver.current_url)


class WithScripts(EditInPlace, Walk):
    def test_links(self):
        self.walk_links()

    def test_queries(self):
        self.walk_queries()

    def test_far(self):
        self.walk_far()

    def test_reports(self):
        self.walk_reports()

    def test_pictures(self):
        self.walk_pictures()

    def test_versions(self):
        self.walk_versions()

    def test_schema(self):
        self.walk_schema()

    def test_completion(self):
        self.open("/0/class/Person/")
        ActionChains(self.driver).send_keys("/").perform()
        box = self.one("#query")
        self.assertEqual(self.driver.switch_to.active_element, box)
        box.send_keys("dog.na")
        self.wait(lambda: [i.text.split()[0] for i in self.all(".completions li")] == ["name"])
        box.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.assertEqual(box.get_property("value"), "dog.name ")
        box.send_keys("== 'Rex'", Keys.ESCAPE, Keys.ENTER)
        self.wait(lambda: self.column() == ["1"])

    def test_keys(self):
        self.open("/0/class/Dog/")
        keys = ActionChains(self.driver)
        keys.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER).perform()
        self.wait(lambda: self.one("h1").text.startswith("Dog fido"))
        self.open("/1/class/Event/")
        ActionChains(self.driver).send_keys("n").perform()
        self.wait(lambda: "from=50" in self.driver.current_url)
        ActionChains(self.driver).send_keys("p").perform()
        self.wait(lambda: "from=50" not in self.driver.current_url)

    def test_scrolling(self):
        self.open("/1/class/Event/")

        def has_scrolled():
            self.driver.execute_script("scrollTo(0, document.body.scrollHeight)")
            return len(self.all("table[data-rows] tbody tr")) >= 200

        self.wait(has_scrolled)
        numbers = [int(row[1]) for row in self.rows()]
        self.assertEqual(numbers, list(range(len(numbers))))

    def test_folded_facets(self):
        self.open("/0/class/Person/?facet=email")
        self.one(".facets summary").click()
        self.open("/0/class/Person/?facet=email")
        self.wait(lambda: self.one(".facets details").get_property("open") is False)
        self.driver.execute_script("sessionStorage.clear()")

    PAGES = [
        "/", "/0/", "/0/class/Person/?facet=email", "/0/class/Person/?q=age+%3E", "/0/class/Person/0",
        "/0/class/Dog/0", "/0/stats", "/0/verify", "/2/verify", "/0/schema", "/0/changes",
        "/3/class/Photo/0", "/0/class/Nobody/"]

    def test_accessibility(self):
        if not options.axe:
            self.skipTest("without axe-core")
        for scheme in ["light", "dark"]:
            self.browser.look(scheme)
            for page in self.PAGES:
                self.open(page)
                self.check_accessible()
        self.browser.take_logs()

    def test_narrow(self):
        for width in [400, 1280]:
            self.browser.look("light", width)
            for page in self.PAGES:
                self.open(page)
                self.assertLessEqual(
                    self.driver.execute_script("return document.documentElement.scrollWidth"), width,
                    page)
        self.browser.take_logs()

    def test_images(self):
        if not options.images:
            self.skipTest("no pictures wanted")
        options.images.mkdir(parents=True, exist_ok=True)
        for name, page in [
                ("class", "/0/class/Person/?c=name&c=age&c=born&c=dog&c=tags&facet=email"), ("object", "/0/class/Dog/0"),
                ("realm", "/0/"), ("stats", "/0/stats"), ("verify", "/2/verify"), ("schema", "/0/schema")]:
            for scheme in ["light", "dark"]:
                self.browser.look(scheme, 1280, 720)
                self.open(page)
                self.driver.save_screenshot(str(options.images / f"browse-{name}-{scheme}.png"))


class WithoutScripts(EditSteps, Walk):
    scripts = False

    def test_no_scripts(self):
        self.open("/0/class/Person/")
        self.assertEqual(self.all(".completions"), [])

    def test_links(self):
        self.walk_links()

    def test_queries(self):
        self.walk_queries()

    def test_far(self):
        self.walk_far()

    def test_reports(self):
        self.walk_reports()

    def test_pictures(self):
        self.walk_pictures()

    def test_versions(self):
        self.walk_versions()

    def test_schema(self):
        self.walk_schema()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("tools", type=Path)
    parser.add_argument("--axe", type=Path)
    parser.add_argument("--images", type=Path)
    parser.add_argument("--only")
    parser.parse_args(namespace=options)
    options.tools = options.tools.resolve()
    arguments = [sys.argv[0], "-v"] + (["-k", options.only] if options.only else [])
    make_realms()
    atexit.register(shutil.rmtree, options.folder)
    unittest.main(argv=arguments)
