"""Rules of this repository that no compiler checks. CONTRIBUTING.md tells them in words.

Prints one line a finding, `file:line: rule: explanation`, and exits with 1 when there is one. Warnings do not count. What is
excepted, and why, stands in allowed.txt beside this file; an exception that is no longer needed is a finding itself.
"""

import fnmatch
import os
import posixpath
import re
import sys
from pathlib import Path

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70  # a warning only: the length of a function is judged by eye here

# What each folder of src/ may include of the others, besides itself.
MAY_INCLUDE = {
    "model": set(),
    "policy": {"model"},
    "kds": {"model", "policy"},
    "store": {"model"},
    "net": {"model", "policy", "kds"},
    "api": {"model", "policy", "kds"},
    "app": {"model", "policy", "kds", "store", "net", "api"},
}
PURE = ("model", "policy", "kds")

# Includes that bring threads, locks, clocks, files, sockets or an adapter's library into a folder that has none of them.
IMPURE_INCLUDE = re.compile(
    r"<(thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|atomic|fstream|filesystem"
    r"|unistd\.h|fcntl\.h|signal\.h|pthread\.h|sys/(?!types).*|netinet/.*|netdb\.h|grpc.*|boost/(asio|beast)\b.*"
    r"|sqlite3\.h|spdlog/.*|prometheus/.*)>"
)
CLOCK = re.compile(r"\b\w*_clock::now\s*\(|\b(gettimeofday|clock_gettime|time)\s*\(\s*(nullptr|NULL|0|&)")

# Calls that nobody may make, with what to do in their place.
FORBIDDEN = (
    ("sleep", re.compile(r"\bsleep_(for|until)\s*\(|\b(usleep|nanosleep)\s*\(|(?<![\w.:>])sleep\s*\("), "wait for an event"),
    ("rand", re.compile(r"(?<![\w.:>])(std::)?s?rand\s*\("), "take a seeded engine as an argument"),
    ("naked-new", re.compile(r"(?<![\w:])new\s+(\([^)]*\)\s*)?[A-Za-z_:]"), "use make_unique, make_shared or a container"),
)

MACHINE_PATH = re.compile(r"(?<![\w.$}/~:-])/(home|root|tmp|work|mnt)/\w")
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

TEXT_ENDINGS = (".cpp", ".h", ".py", ".md", ".cmake", ".txt", ".proto", ".sql", ".yaml", ".yml", ".sh", "")
SOURCE_TREES = ("src", "test", "bench", "proto")


class Repository:
    """The files below `root`, and the findings about them."""

    def __init__(self, root):
        self.root = Path(root)
        self.findings = []
        self.warnings = []
        self.allowed = self.read_allowed()
        self.used = set()
        self.files = sorted(self.walk())

    def walk(self):
        for folder, subfolders, names in os.walk(self.root):
            top = Path(folder) == self.root
            subfolders[:] = [
                name
                for name in subfolders
                if name == ".ci" or not (name.startswith(".") or name == "__pycache__" or (top and name.startswith("build")))
            ]
            for name in names:
                if name == ".git":  # of a linked working tree: a pointer, no file of the repository
                    continue
                yield (Path(folder) / name).relative_to(self.root).as_posix()

    def read_allowed(self):
        """{(path, rule)}: lines `path  rule  reason`."""
        allowed = set()
        listed = self.root / "test/lint/allowed.txt"
        for number, line in enumerate(listed.read_text().splitlines() if listed.exists() else [], 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = line.split(None, 2)
            if len(parts) < 3:
                self.findings.append(f"test/lint/allowed.txt:{number}: allowed: an exception needs a path, a rule and a reason")
                continue
            allowed.add((parts[0], parts[1]))
        return allowed

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def find(self, path, line, rule, explanation):
        if (path, rule) in self.allowed:
            self.used.add((path, rule))
            return
        self.findings.append(f"{path}:{line}: {rule}: {explanation}")

    def finish(self):
        for path, rule in sorted(self.allowed - self.used):
            self.findings.append(f"test/lint/allowed.txt:1: allowed: {path} needs no exception from {rule} any more")


def code_lines(text):
    """(number, line) without comments and without what stands inside of quotes."""
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', lambda match: '""' + "\n" * match.group(0).count("\n"), text, flags=re.S)
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
            line = re.sub(r"'(\\.|[^'\\])'", "''", line)
        yield number, re.sub(r"//.*", "", line)


def is_source(path):
    return path.endswith((".cpp", ".h")) and path.split("/")[0] in SOURCE_TREES


def folder_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def check_includes(repository):
    """Arrows point from user to used; model, policy and kds stay pure."""
    for path in filter(is_source, repository.files):
        folder = folder_of(path)
        if folder is None:
            continue
        if folder not in MAY_INCLUDE:
            repository.find(path, 1, "folder", f"src/{folder} is not among the folders of ARCHITECTURE.md")
            continue
        for number, line in code_lines(repository.text(path)):
            match = re.match(r'\s*#\s*include\s+"(\w+)/', line)
            other = match.group(1) if match else None
            if other in MAY_INCLUDE and other != folder and other not in MAY_INCLUDE[folder]:
                repository.find(path, number, "include-direction", f"{folder} must not know {other}")
            if folder in PURE and IMPURE_INCLUDE.search(line):
                repository.find(path, number, "purity", f"{folder} has no threads, files, sockets or adapters: {line.strip()}")
            if CLOCK.search(line):
                if folder in PURE:
                    repository.find(path, number, "purity", f"{folder} reads no clock: time is an argument")
                elif folder != "app" and "system_clock" in line:
                    repository.find(path, number, "system-clock", "only app reads the system clock")


def check_calls(repository):
    for path in filter(is_source, repository.files):
        for number, line in code_lines(repository.text(path)):
            for rule, pattern, instead in FORBIDDEN:
                if pattern.search(line):
                    repository.find(path, number, rule, f"forbidden call; {instead}")


def check_sizes(repository):
    for path in repository.files:
        if not is_source(path) and not path.endswith((".py", ".cmake")) and not path.startswith("scripts/"):
            continue
        lines = repository.text(path).splitlines()
        if len(lines) > FILE_LINES_MAX:
            repository.find(path, 1, "file-size", f"{len(lines)} lines, at most {FILE_LINES_MAX}: split it by subject")
        if is_source(path):
            check_functions(repository, path, lines)


def check_functions(repository, path, lines):
    begin = None
    indent = ""
    for number, line in enumerate(lines, 1):
        if begin is None:
            match = re.match(r"(|  )(?![ :,]|if|for|while|switch|namespace|else|do|return|struct|class)\S.*\)[^;()]*\{$", line)
            if match:
                begin, indent = number, match.group(1)
        elif re.match(re.escape(indent) + r"\}", line):
            length = number - begin + 1
            if length > FUNCTION_LINES_MAX:
                repository.warnings.append(f"{path}:{begin}: function-size: {length} lines, at most {FUNCTION_LINES_MAX}")
            begin = None


def check_headers(repository):
    """A header says what it is for, is included once, and is used by somebody."""
    included = set()
    for path in filter(is_source, repository.files):
        for match in re.finditer(r'#\s*include\s+["<]([^">]+)[">]', repository.text(path)):
            included.add(match.group(1))
            included.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), match.group(1))))
    for path in repository.files:
        if not is_source(path) or not path.endswith(".h"):
            continue
        text = repository.text(path)
        if not text.startswith("//"):
            repository.find(path, 1, "header-comment", "a header opens with what it is for")
        if "#pragma once" not in text:
            repository.find(path, 1, "pragma-once", "a header has #pragma once")
        spellings = {path, *("/".join(path.split("/")[i:]) for i in range(1, len(path.split("/"))))}
        if not spellings & included:
            repository.find(path, 1, "dead-file", "no file includes this header")


def is_built(path, lists):
    """Whether some CMakeLists.txt above names the file, or has a pattern that matches it."""
    for folder, tokens in lists.items():
        if folder and not path.startswith(folder + "/"):
            continue
        inside = path[len(folder) + 1 :] if folder else path
        for token in tokens:
            pattern = re.sub(r"\$\{CMAKE_CURRENT_SOURCE_DIR\}/|\$\{PROJECT_SOURCE_DIR\}/", "", token)
            pattern = re.sub(r"\$\{\w+\}", "*", pattern)
            if inside == pattern or (pattern not in ("*", "*.cpp") and "*" in pattern and fnmatch.fnmatch(inside, pattern)):
                return True
    return False


def check_dead_sources(repository):
    lists = {}
    for path in repository.files:
        if path.endswith("CMakeLists.txt"):
            text = re.sub(r"#.*", "", repository.text(path))
            folder = Path(path).parent.as_posix()
            lists["" if folder == "." else folder] = [token.strip('"') for token in re.findall(r'[^\s()]+\.(?:cpp|cc)"?', text)]
    for path in repository.files:
        if is_source(path) and path.endswith(".cpp") and not is_built(path, lists):
            repository.find(path, 1, "dead-file", "no CMakeLists.txt names this file")


CONFIG_HEADER = "src/app/config/config.h"
CONFIG_FILLER = "src/app/config/bind.cpp"
MEMBER = re.compile(r"^\s+[\w:<>, ]+?[\w>]\s+(\w+)(\s*=[^;]*|\{[^;]*\})?;")


def check_config(repository):
    """A value of the configuration that is filled in and read by nobody is a setting that does nothing."""
    if CONFIG_HEADER not in repository.files:
        return
    readers = [path for path in repository.files if is_source(path) and path.startswith("src/")]
    others = "\n".join(repository.text(path) for path in readers if path not in (CONFIG_HEADER, CONFIG_FILLER))
    for number, line in code_lines(repository.text(CONFIG_HEADER)):
        if line.lstrip().startswith("return"):
            continue
        member = MEMBER.match(line)
        if member and not re.search(rf"\b{member.group(1)}\b", others):
            repository.find(CONFIG_HEADER, number, "dead-setting", f"nobody uses {member.group(1)}")


def check_words(repository):
    for path in repository.files:
        if Path(path).suffix not in TEXT_ENDINGS or path == "LICENSE" or path.startswith(("test/lint/", "test/data/", "schema/types/")):
            continue
        for number, line in enumerate(repository.text(path).splitlines(), 1):
            if LEFT_OVER.search(line):
                repository.find(path, number, "left-over", "finish it, or make it an issue")
            if MACHINE_PATH.search(line):
                repository.find(path, number, "machine-path", "a path of somebody's machine")


def check_run_bits(repository):
    for path in repository.files:
        if not (path.startswith(("scripts/", ".ci/")) or path.endswith((".sh", ".py"))):
            continue
        executable = os.access(repository.root / path, os.X_OK)
        has_interpreter = repository.text(path).startswith("#!")
        if executable and not has_interpreter:
            repository.find(path, 1, "run-bit", "executable, and its first line names no interpreter")
        if has_interpreter and not executable:
            repository.find(path, 1, "run-bit", "names an interpreter, and is not executable")


def check(root):
    repository = Repository(root)
    for rule in (
        check_includes,
        check_calls,
        check_sizes,
        check_headers,
        check_dead_sources,
        check_config,
        check_words,
        check_run_bits,
    ):
        rule(repository)
    repository.finish()
    return repository


def main():
    repository = check(Path(__file__).resolve().parent.parent.parent)
    for warning in repository.warnings:
        print(f"warning: {warning}")
    for finding in repository.findings:
        print(finding)
    print(f"{len(repository.files)} files, {len(repository.findings)} findings, {len(repository.warnings)} warnings")
    return 1 if repository.findings else 0


if __name__ == "__main__":
    sys.exit(main())
