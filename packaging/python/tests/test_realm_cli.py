"""Runs the installed package on the realms of the tests: FIXTURES is their folder."""

import os
import subprocess
import sys
import unittest
import uuid
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import realm_cli
from realm_cli._values import decoded, encoded

FIXTURES = Path(os.environ["FIXTURES"])
PEOPLE = FIXTURES / "people.realm"


class ObjectsTests(unittest.TestCase):
    def test_yields_objects_in_the_order_asked_for(self):
        names = [p["firstName"] for p in realm_cli.objects(PEOPLE, "Person", sort=["firstName:desc"], limit=2)]
        self.assertEqual(len(names), 2)
        self.assertEqual(names, sorted(names, reverse=True))

    def test_passes_arguments(self):
        everyone = list(realm_cli.objects(PEOPLE, "Person"))
        name = everyone[0]["firstName"]
        found = list(realm_cli.objects(PEOPLE, "Person", "firstName == $0", args=[name], columns=["firstName"]))
        self.assertEqual(found, [{"firstName": p["firstName"]} for p in everyone if p["firstName"] == name])

    def test_a_caller_that_stops_early_ends_the_process(self):
        for person in realm_cli.objects(PEOPLE, "Person"):
            self.assertIn("firstName", person)
            break

    def test_errors_have_code_and_hint(self):
        with self.assertRaises(realm_cli.RealmError) as caught:
            list(realm_cli.objects(PEOPLE, "Nobody"))
        self.assertEqual((caught.exception.status, caught.exception.code), (64, "unknownName"))
        with self.assertRaises(realm_cli.RealmError) as caught:
            list(realm_cli.objects(FIXTURES / "people-encrypted.realm", "Person"))
        self.assertEqual(caught.exception.status, 77)
        self.assertIsNotNone(caught.exception.hint)


class RunTests(unittest.TestCase):
    def test_returns_what_was_printed(self):
        self.assertRegex(realm_cli.run(["--version"]).stdout.decode(), r"^\d+\.\d+\.\d+\n$")

    def test_one_is_an_answer(self):
        diff = realm_cli.run(["diff", PEOPLE, FIXTURES / "churned.realm"])
        self.assertEqual(diff.returncode, 1)

    def test_a_missing_file_is_an_error_unless_unchecked(self):
        with self.assertRaises(realm_cli.RealmError) as caught:
            realm_cli.run(["info", "--json", "/nonexistent.realm"])
        self.assertEqual((caught.exception.status, caught.exception.path), (66, "/nonexistent.realm"))
        self.assertEqual(realm_cli.run(["info", "/nonexistent.realm"], check=False).returncode, 66)

    def test_python_m_is_the_command_line(self):
        result = subprocess.run([sys.executable, "-m", "realm_cli", "--version"], capture_output=True, check=True)
        self.assertEqual(result.stdout, realm_cli.run(["--version"]).stdout)


class ValuesTests(unittest.TestCase):
    def test_decodes_wrappers(self):
        self.assertEqual(
            decoded({"$date": "2023-11-14T22:13:20.123456789Z"}),
            datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=timezone.utc),
        )
        self.assertEqual(decoded({"$numberDecimal": "1.50"}), Decimal("1.50"))
        self.assertEqual(decoded({"$binary": {"base64": "AQI=", "subType": "00"}}), b"\x01\x02")
        identity = "3b241101-e2bb-4255-8caf-000000000001"
        self.assertEqual(decoded([{"a": {"$uuid": identity}}]), [{"a": uuid.UUID(identity)}])
        self.assertNotEqual(*[decoded({"$numberDouble": "NaN", "$bits": "7ff8000000000001"})] * 2)
        outside = {"$date": {"$seconds": "-99999999999999", "$ns": 0}}
        self.assertEqual(decoded(outside), outside)

    def test_encodes_what_it_decodes(self):
        date = datetime(2020, 2, 29, 1, 2, 3, 4, tzinfo=timezone.utc)
        for value in (date, uuid.UUID(int=7), b"\x00\xff", Decimal("-1.50")):
            self.assertEqual(decoded(encoded(value)), value)
        with self.assertRaises(TypeError):
            encoded(datetime(2020, 1, 1))


if __name__ == "__main__":
    unittest.main()
