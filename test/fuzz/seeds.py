"""Gives the fuzz targets a start: the inputs of the policy cases, a file each, and their words as a dictionary.

Usage: python3 test/fuzz/seeds.py DIRECTORY: fills DIRECTORY/inputs and writes DIRECTORY/words.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

CASES = pathlib.Path(__file__).parents[1] / "data" / "policy-cases.json"
EVALUATED = {"to-merge", "from-rules", "rbac", "reference-grant", "policy-attachment"}


def words(value: Any) -> Iterator[str]:
    """Every member with its colon, and every text, number and literal, as JSON."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield json.dumps(key) + ":"
            yield from words(member)
    elif isinstance(value, list):
        for item in value:
            yield from words(item)
    else:
        yield json.dumps(value)


def main(directory: pathlib.Path) -> None:
    cases = [case for case in json.loads(CASES.read_text("utf-8")) if case["topic"] in EVALUATED]
    inputs = directory / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    for case in cases:
        (inputs / case["id"]).write_text(json.dumps(case["input"], separators=(",", ":")), "utf-8")
    found = sorted({word for case in cases for word in words(case["input"])})
    # A dictionary's line is a text in quotes; JSON's own quotes and backslashes are escaped once more.
    lines = [json.dumps(word) for word in found]
    (directory / "words").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(cases)} inputs, {len(lines)} words")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
