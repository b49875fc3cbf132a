"""The command line, against a running global with a zone and without any server."""

import json
import subprocess

from support import FleetTest, documents, main

DONE, REFUSED, WRONG_USE = 0, 1, 2

TWO_TIMEOUTS = """
type: MeshTimeout
mesh: {mesh}
name: first
spec:
  to:
  - targetRef: {{kind: Mesh}}
    default: {{http: {{requestTimeout: 5s}}}}
---
type: MeshTimeout
mesh: {mesh}
name: second
spec:
  to:
  - targetRef: {{kind: Mesh}}
    default: {{http: {{requestTimeout: 6s}}}}
"""


class CommandLine(FleetTest):
    ZONES = ("east",)

    def kdsd(self, *arguments, to=None, text=None, **settings):
        """The finished process of one command. It talks to the global unless `to` says otherwise."""
        plane = to or self.central
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(plane.work), "KDSD_ADDRESS": plane.address, **settings}
        return subprocess.run(
            [plane.program, *arguments], input=text, capture_output=True, text=True, env=environment, timeout=60, check=False
        )

    def says(self, *arguments, code=DONE, **more):
        """Standard output of a command that ends with that code, and has nothing to complain about when it succeeds."""
        done = self.kdsd(*arguments, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == DONE:
            self.assertEqual(done.stderr, "")
        return done.stdout

    def test_apply_tells_what_became_of_each_document(self):
        mesh = self.fresh_mesh()
        text = TWO_TIMEOUTS.format(mesh=mesh)
        lines = [f"MeshTimeout/{mesh}/first", f"MeshTimeout/{mesh}/second"]
        self.assertEqual(self.says("apply", "-f", "-", text=text).splitlines(), [f"{line} created" for line in lines])
        self.assertEqual(self.says("apply", "-f", "-", text=text).splitlines(), [f"{line} unchanged" for line in lines])
        self.assertEqual(
            self.says("apply", "-f", "-", text=text.replace("6s", "7s")).splitlines(),
            [f"{lines[0]} unchanged", f"{lines[1]} updated"],
        )
        self.assertEqual(documents.timeout_value(self.central.read("MeshTimeout", "second", mesh)), "7s")

    def test_apply_goes_on_after_a_refusal_and_ends_with_1(self):
        mesh = self.fresh_mesh()
        text = TWO_TIMEOUTS.format(mesh=mesh).replace("{http: {requestTimeout: 5s}}", "{}")
        said = self.says("apply", "-f", "-", text=text, code=REFUSED)
        self.assertIn(f"MeshTimeout/{mesh}/first refused: Could not process a resource (Resource is not valid)", said)
        self.assertIn("  spec.to[0].default", said)
        self.assertIn(f"MeshTimeout/{mesh}/second created", said)
        self.assertEqual(self.central.names("MeshTimeout", mesh), ["second"])

    def test_apply_reads_directories_and_json(self):
        mesh = self.fresh_mesh()
        folder = self.fleet.directory / "documents"
        folder.mkdir()
        (folder / "b.json").write_text(json.dumps(documents.timeout(mesh, "b")))
        (folder / "a.yaml").write_text(TWO_TIMEOUTS.format(mesh=mesh))
        (folder / "c.txt").write_text("not for kdsd")
        said = self.says("apply", "-f", str(folder))
        self.assertEqual([line.split("/")[2] for line in said.splitlines()], ["first created", "second created", "b created"])

    def test_a_dry_run_needs_no_server_and_changes_nothing(self):
        mesh = self.fresh_mesh()
        text = TWO_TIMEOUTS.format(mesh=mesh)
        said = self.says("apply", "--dry-run", "-f", "-", text=text, KDSD_ADDRESS="http://127.0.0.1:1")
        self.assertIn(f"# PUT /meshes/{mesh}/meshtimeouts/first", said)
        self.assertEqual(self.central.names("MeshTimeout", mesh), [])

    def test_get_shows_a_list_and_one_in_three_forms(self):
        mesh = self.fresh_mesh()
        for name in ("slow", "fast"):
            self.central.put(documents.timeout(mesh, name, "5s"))
        table = [line.split() for line in self.says("get", "meshtimeouts", "-m", mesh).splitlines()]
        self.assertEqual(table[0][:2], ["MESH", "NAME"])
        self.assertEqual([row[:2] for row in table[1:]], [[mesh, "fast"], [mesh, "slow"]])
        one = json.loads(self.says("get", "MeshTimeout", "slow", "-m", mesh, "-o", "json"))
        self.assertEqual(one, self.central.read("MeshTimeout", "slow", mesh))
        text = self.says("get", "MeshTimeout", "slow", "-m", mesh, "-o", "yaml")
        self.assertIn("requestTimeout: 5s", text)
        self.assertIn("unchanged", self.says("apply", "-f", "-", text=text))

    def test_what_is_not_there_or_no_type(self):
        mesh = self.fresh_mesh()
        missing = self.kdsd("get", "MeshTimeout", "none", "-m", mesh)
        self.assertEqual((missing.returncode, missing.stdout), (REFUSED, ""))
        self.assertIn("Not found", missing.stderr)
        unknown = self.kdsd("get", "meshtimeuot")
        self.assertIn("did you mean MeshTimeout?", unknown.stderr)
        self.assertNotEqual(unknown.returncode, DONE)

    def test_delete(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        said = self.says("delete", "MeshTimeout", "slow", "-m", mesh)
        self.assertEqual(said, f"MeshTimeout/{mesh}/slow deleted\n")
        self.assertEqual(self.central.names("MeshTimeout", mesh), [])
        again = self.kdsd("delete", "MeshTimeout", "slow", "-m", mesh)
        self.assertEqual(again.returncode, REFUSED)
        self.assertIn("Could not delete a resource (Not found)", again.stdout + again.stderr)

    def test_delete_by_file_takes_the_last_first(self):
        mesh = self.fresh_mesh()
        text = TWO_TIMEOUTS.format(mesh=mesh)
        self.says("apply", "-f", "-", text=text)
        said = self.says("delete", "-f", "-", text=text)
        self.assertEqual([line.split("/")[2] for line in said.splitlines()], ["second deleted", "first deleted"])

    def test_zones(self):
        def row():
            rows = [line.split() for line in self.says("zones").splitlines()]
            self.assertEqual(rows[0], ["NAME", "ENABLED", "ONLINE", "SINCE", "VERSION", "SENT", "ACKED", "REJECTED"])
            self.assertEqual(rows[1][:3], ["east", "true", "true"])
            self.assertGreater(int(rows[1][5]), 0)
            return True

        self.until(row, "east in the list")
        self.assertEqual(json.loads(self.says("zones", "-o", "json"))["items"][0]["name"], "east")

    def test_hash(self):
        expected = documents.copy_name("shop", "slow-reports", "berlin")
        self.assertEqual(self.says("hash", "--mesh", "shop", "slow-reports", "berlin"), f"{expected}\n")
        self.assertEqual(expected, "slow-reports-cb546w94dvdwbv26")

    def test_version(self):
        said = dict(line.split(None, 1) for line in self.says("version").splitlines())
        self.assertEqual(set(said), {"version", "commit", "protocol", "kuma"})
        self.assertRegex(said["kuma"], r"^2\.13\.")
        self.assertEqual(set(json.loads(self.says("version", "-o", "json"))), set(said))

    def test_config_check_shows_sources_and_names_what_is_wrong(self):
        file = self.fleet.directory / "global.yaml"
        file.write_text("mode: global\nmultizone:\n  global:\n    kds:\n      grpcPort: 25685\n")
        said = self.says("config", "check", "-c", str(file), KUMA_API_SERVER_HTTP_PORT="4711")
        rows = {line.split()[0]: line.split()[1:] for line in said.splitlines() if len(line.split()) >= 3}
        self.assertEqual(rows["multizone.global.kds.grpcPort"], [f"{file}:5", "25685"])
        self.assertEqual(rows["apiServer.http.port"][-1], "4711")
        file.write_text("mode: global\napiServer:\n  http:\n    port: 70000\n  https:\n    port: 70001\n")
        refused = self.kdsd("config", "check", "-c", str(file))
        self.assertEqual(refused.returncode, REFUSED)
        for part in ("apiServer.http.port", "70000", "apiServer.https.port", "global.yaml:4"):
            self.assertIn(part, refused.stderr)

    def test_doctor_beside_a_running_plane_and_alone(self):
        for plane in (self.central, self.east):
            said = self.says("doctor", to=plane, **plane.variables())
            self.assertEqual({line.split()[0] for line in said.splitlines()} - {"ok", "warn"}, set(), said)
        alone = self.fleet.add_global("alone")
        alone.store.write_bytes(b"this is no database" * 500)
        said = self.says("doctor", to=alone, code=REFUSED, **alone.variables())
        failed = [line for line in said.splitlines() if line.startswith("FAIL")]
        self.assertTrue(any("store" in line and "->" in said for line in failed), said)

    def test_wrong_use_and_no_server(self):
        for arguments in ((), ("no-such-command",), ("get",), ("get", "meshes", "-o", "toml"), ("apply",), ("hash",)):
            with self.subTest(arguments):
                done = self.kdsd(*arguments)
                self.assertEqual((done.returncode, done.stdout), (WRONG_USE, ""))
                self.assertTrue(done.stderr)
        lost = self.kdsd("get", "meshes", KDSD_ADDRESS="http://127.0.0.1:1")
        self.assertEqual((lost.returncode, lost.stdout), (REFUSED, ""))
        self.assertIn("127.0.0.1:1", lost.stderr)

    def test_a_zone_refuses_with_the_text_of_its_server(self):
        mesh = self.fresh_mesh()
        done = self.kdsd("apply", "-f", "-", text=TWO_TIMEOUTS.format(mesh=mesh), to=self.east)
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn("""labels["kuma.io/origin"]: the origin label must be set to 'zone'""", done.stdout + done.stderr)

    def test_every_command_has_help_and_completion_knows_it(self):
        script = self.says("completion", "bash")
        for command in ("run", "version", "config", "migrate", "apply", "get", "delete", "zones", "hash", "doctor"):
            with self.subTest(command):
                self.assertIn("Usage: kdsd", self.says(command, "--help"))
                self.assertIn(command, script)


if __name__ == "__main__":
    main()
