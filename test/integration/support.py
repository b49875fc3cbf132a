"""What the tests with real processes share. Each file is a program: `KDSD_BINARY=build/release/kdsd python3 -B FILE [TEST...]`."""

import atexit
import functools
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from lib import documents  # noqa: E402
from lib.fleet import ARRIVE_SECONDS, Fleet, end_by_signals, eventually, free_ports  # noqa: E402
from lib.rest import SLOWNESS  # noqa: E402

__all__ = ["ROOT", "SLOWNESS", "FleetTest", "OwnPlanesTest", "documents", "free_ports", "main", "prepare_stores"]

EXIT_SKIPPED = 77
PREPARED_MESHES = 16
PREPARED_ZONES = ("east", "west")


def binary():
    return Path(os.environ["KDSD_BINARY"]).resolve()


def prepare_stores(directory):
    """Makes the stores of a global with meshes in it and of zones. Keys are in them, and making keys is what takes time."""
    with Fleet(binary()) as fleet:
        central = fleet.add_global()
        planes = [central, *(fleet.add_zone(name, central) for name in PREPARED_ZONES)]
        # The zones are gone before the global is there, so that nothing tells of a connection.
        for plane in reversed(planes):
            plane.start()
            if plane is central:
                eventually("the default mesh", lambda: central.read("Mesh", "default"))
                for number in range(PREPARED_MESHES):
                    central.put(documents.mesh(f"mesh-{number + 1}"))
            plane.stop()
            shutil.copyfile(plane.store, directory / f"{plane.name}.db")


@functools.cache
def prepared_stores():
    """Those of the whole run, or some that are made for this program alone."""
    directory = os.environ.get("KDSD_PREPARED_STORES")
    if directory:
        return Path(directory)
    directory = tempfile.mkdtemp(prefix="kdsd-prepared.")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    prepare_stores(Path(directory))
    return Path(directory)


class _Test(unittest.TestCase):
    """The part that shows the logs of all processes when a test failed."""

    fleet = None

    def run(self, result=None):
        def bad():
            return len(result.failures) + len(result.errors)

        before = bad()
        super().run(result)
        if bad() > before and self.fleet:
            print(f"\n{self.id()} failed", file=sys.stderr)
            self.fleet.print_logs()
        self.end()
        return result

    def end(self):
        """After the logs have been shown, which a cleanup of the test would be too early for."""

    def until_equal(self, expected, read, what="", seconds=ARRIVE_SECONDS):
        """Waits until `read` gives what is expected."""

        def check():
            self.assertEqual(read(), expected)
            return True

        eventually(what or "the expected state", check, seconds)

    def until(self, check, what="", seconds=ARRIVE_SECONDS):
        return eventually(what or "the expected state", check, seconds)

    def assert_refused(self, answer, status, title=None, violations=None):
        """A refusal in the shape that every error has."""
        self.assertEqual(answer.status, status, answer.text)
        body = answer.json
        self.assertEqual((body["type"], body["status"], body["details"]), ("/std-errors", status, body["detail"]))
        if title is not None:
            self.assertEqual(body["title"], title)
        if violations is not None:
            self.assertEqual(answer.violations(), violations)


class FleetTest(_Test):
    """A global and zones that all tests of a class share; each test works in a mesh of its own."""

    ZONES = ()
    _meshes = 0

    @classmethod
    def settings_of(cls, _name):
        """Variables of the place of that name, which is `global` or a zone."""
        return {}

    @classmethod
    def setUpClass(cls):
        settings = {name: cls.settings_of(name) for name in ("global", *cls.ZONES)}
        # The environment of a store is fixed, and the prepared ones are of places without namespaces.
        is_prepared = not any("KUMA_ENVIRONMENT" in each for each in settings.values())
        cls.fleet = Fleet(binary(), stores=prepared_stores() if is_prepared else None)
        cls.addClassCleanup(cls.fleet.close)
        cls.central = cls.fleet.add_global(**settings["global"])
        cls.zones = [cls.fleet.add_zone(name, cls.central, **settings[name]) for name in cls.ZONES]
        for zone in cls.zones:
            setattr(cls, zone.name, zone)
        try:
            cls.fleet.start()
            eventually("all zones appear", lambda: set(cls.ZONES) <= set(cls.central.names("Zone")))
        except Exception:
            cls.fleet.print_logs()
            raise

    def fresh_mesh(self, **fields):
        """The name of one that no other test of the class has. It is in all zones."""
        type(self)._meshes += 1
        name = f"mesh-{type(self)._meshes}"
        self.central.put(documents.mesh(name, **fields))
        for zone in self.zones:
            self.until(lambda: zone.read("Mesh", name), f"mesh {name} in {zone.name}")
        return name


class OwnPlanesTest(_Test):
    """An empty fleet for each test, which starts in it what it needs."""

    BEGINS_WITH_NOTHING = False  # or a global has a default mesh and some more from its start

    def setUp(self):
        self.fleet = Fleet(binary(), stores=None if self.BEGINS_WITH_NOTHING else prepared_stores())

    def end(self):
        if self.fleet:
            self.fleet.close()


def main():
    """Ends with 77 when nothing of the file could be run."""
    end_by_signals()
    result = unittest.main(exit=False, verbosity=2).result
    for test, reason in result.skipped:
        print(f"SKIPPED {test}: {reason}")
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(EXIT_SKIPPED if result.testsRun and len(result.skipped) == result.testsRun else 0)
