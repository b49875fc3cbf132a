"""Breaks every rule of lint.py once, in a small made-up repository, and expects exactly that finding."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lint  # noqa: E402  (it stands beside this file)

HEADER = "// Holds one thing.\n#pragma once\n"


class LintTest(unittest.TestCase):
    def findings(self, files, executable=()):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                target = Path(folder) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
                target.chmod(0o755 if path in executable else 0o644)
            return lint.check(folder).findings

    def expect(self, rule, files, executable=()):
        findings = self.findings(files, executable)
        self.assertEqual([finding.split(": ")[1] for finding in findings], [rule], findings)

    def source(self, path, text):
        """A source file together with the list that builds it."""
        folder, name = path.rsplit("/", 1)
        return {path: text, f"{folder}/CMakeLists.txt": f"add_library(x {name})\n"}

    def test_a_clean_repository_has_no_findings(self):
        files = self.source("src/kds/a.cpp", '#include "kds/a.h"\n#include "model/b.h"\n')
        files.update({"src/kds/a.h": HEADER, "src/model/b.h": HEADER})
        self.assertEqual(self.findings(files), [])

    def test_an_arrow_in_the_wrong_direction(self):
        files = self.source("src/model/a.cpp", '#include "policy/role.h"\n')
        self.expect("include-direction", {**files, "src/policy/role.h": HEADER})

    def test_a_lock_in_a_pure_folder(self):
        self.expect("purity", self.source("src/kds/a.cpp", "#include <mutex>\n"))

    def test_a_clock_in_a_pure_folder(self):
        self.expect("purity", self.source("src/policy/a.cpp", "auto t = std::chrono::steady_clock::now();\n"))

    def test_a_library_of_an_adapter_in_a_pure_folder(self):
        self.expect("purity", self.source("src/model/a.cpp", "#include <boost/asio/post.hpp>\n"))

    def test_the_system_clock_outside_of_app(self):
        self.expect("system-clock", self.source("src/store/a.cpp", "auto t = std::chrono::system_clock::now();\n"))

    def test_the_system_clock_in_app_is_allowed(self):
        self.assertEqual(self.findings(self.source("src/app/a.cpp", "auto t = std::chrono::system_clock::now();\n")), [])

    def test_a_sleep(self):
        self.expect("sleep", self.source("test/unit/a.cpp", "std::this_thread::sleep_for(pause);\n"))

    def test_the_global_random_numbers(self):
        self.expect("rand", self.source("src/kds/a.cpp", "int n = rand();\n"))

    def test_a_naked_new(self):
        self.expect("naked-new", self.source("src/net/a.cpp", "auto* p = new Part(1);\n"))

    def test_words_in_comments_and_texts_are_no_calls(self):
        text = '// a new Part, sleep_for(1)\nauto s = "rand() new Part";\n'
        self.assertEqual(self.findings(self.source("src/kds/a.cpp", text)), [])

    def test_a_file_that_is_too_long(self):
        self.expect("file-size", self.source("src/kds/a.cpp", "int a;\n" * 601))
        self.assertEqual(self.findings(self.source("src/kds/a.cpp", "int a;\n" * 600)), [])

    def test_a_source_that_nobody_builds(self):
        self.expect("dead-file", {"src/kds/a.cpp": ""})

    def test_a_source_that_a_pattern_builds(self):
        files = {"test/unit/kds/a_test.cpp": "", "test/unit/CMakeLists.txt": "file(GLOB s ${folder}/*_test.cpp)\n"}
        self.assertEqual(self.findings(files), [])

    def test_a_header_that_nobody_includes(self):
        self.expect("dead-file", {"src/kds/a.h": HEADER})

    def test_a_setting_that_nobody_uses(self):
        files = self.source("src/app/main.cpp", '#include "app/config/config.h"\nint port(const Config& c) { return c.port; }\n')
        fields = "struct Config {\n  int port = 0;\n  std::optional<int> age_max;\n  bool on() const;\n};\n"
        self.expect("dead-setting", {**files, "src/app/config/config.h": HEADER + fields})

    def test_a_header_that_does_not_say_what_it_is_for(self):
        self.expect("header-comment", {**self.source("src/kds/a.cpp", '#include "kds/a.h"\n'), "src/kds/a.h": "#pragma once\n"})

    def test_a_left_over(self):
        self.expect("left-over", {"docs/a.md": "TO" + "DO: write this\n"})

    def test_a_path_of_a_machine(self):
        self.expect("machine-path", {"docs/a.md": "see /ho" + "me/somebody/notes\n"})

    def test_a_script_that_cannot_be_run(self):
        self.expect("run-bit", {"scripts/a": "#!/usr/bin/env bash\n"})

    def test_an_executable_without_an_interpreter(self):
        self.expect("run-bit", {"scripts/a": "true\n"}, executable=("scripts/a",))

    def test_an_exception_that_nothing_needs(self):
        self.expect("allowed", {"test/lint/allowed.txt": "src/a.cpp sleep none\n"})

    def test_an_exception_without_a_reason(self):
        self.expect("allowed", {"test/lint/allowed.txt": "src/a.cpp sleep\n"})

    def test_an_exception_that_is_needed(self):
        files = self.source("src/net/a.cpp", "auto* p = new Part(1);\n")
        self.assertEqual(self.findings({**files, "test/lint/allowed.txt": "src/net/a.cpp naked-new it has to be\n"}), [])

    def test_a_long_function_is_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "src/kds"
            target.mkdir(parents=True)
            (target / "a.cpp").write_text("int f() {\n" + "  ++n;\n" * 70 + "}\n")
            (target / "CMakeLists.txt").write_text("add_library(x a.cpp)\n")
            checked = lint.check(folder)
        self.assertEqual(checked.findings, [])
        self.assertEqual(len(checked.warnings), 1)


if __name__ == "__main__":
    unittest.main()
