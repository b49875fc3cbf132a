"""What is compared of the outputs of a command: times, ages, addresses, keys and tokens are masked."""

import re

MASKS = (
    (re.compile(r"^# Product: .*$", re.M), "# WHO"),
    (re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+"), "TOKEN"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\b\d+[smhd]\b"), "AGE"),
    (re.compile(r"(data: )\S{40,}|(\"data\": )\"\S{40,}\""), "DATA"),
    (re.compile(r"[ \t]+"), " "),
)
# Secrets that one of the two makes for servers that the other does not have.
OWN_SECRETS = ("envoy-admin-ca", "inter-cp-ca", "admin-user-token", "user-token-signing-key", "zone-token-signing-key")


def masked(text):
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def documents_of(text):
    """An export without order and without secrets of the control plane itself."""
    parts = [part.strip() for part in re.split(r"^---$", text, flags=re.M)]
    return sorted(part for part in parts if part and not any(f"name: {name}" in part for name in OWN_SECRETS))


def comparable(arguments, done):
    out = masked(done.stdout)
    if arguments[0] == "export":
        out = documents_of(out)
    return (done.returncode, out, masked(done.stderr))
