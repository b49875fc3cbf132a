"""In what the answers of a kuma-cp and of a kdsd may differ: what the specification leaves open is brought into one form, and
what it tells of 2.13 is a table of excuses."""

import itertools
import re
from typing import Callable, NamedTuple

UNITS_NS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
DURATION = re.compile(r"(\d+(\.\d+)?(h|ms|m|s|us|ns))+")
DURATION_PART = re.compile(r"([\d.]+)([a-z]+)")
RULE_LISTS = ("fromRules", "inboundRules", "toResourceRules", "toRules")
OTHER = "another value"


def plain(value):
    """Durations by their length, since 2.13 spells them anew (rest-api.md 3.2)."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, str) and DURATION.fullmatch(value):
        return f"{sum(float(number) * UNITS_NS[unit] for number, unit in DURATION_PART.findall(value)):.0f} ns"
    return value


def normal(answer):
    """One form of what is free: a part that a type cannot have is left out or empty, and 2.13 sorts by the name alone."""
    answer = plain(answer)
    for rules in answer.get("rules", []) if isinstance(answer, dict) else []:
        for name in RULE_LISTS:
            rules.setdefault(name, [])
        rules["toResourceRules"].sort(key=destination_of)
    return answer


def destination_of(rule):
    return (rule["resourceMeta"]["name"], rule["resourceMeta"]["type"], rule["resourceSectionName"])


def by_type(answer):
    return {rules["type"]: rules for rules in answer.get("rules", [])} if isinstance(answer, dict) else {}


# --- rules with matchers, as what they mean


def clients_of(rules):
    """Every kind of client that these rules tell apart: for each key no value, one of those that occur, or another one."""
    values = {}
    for rule in rules:
        for matcher in rule["matchers"]:
            values.setdefault(matcher["key"], set()).add(matcher["value"])
    keys = sorted(values)
    for choice in itertools.product(*([None, OTHER, *sorted(values[key])] for key in keys)):
        yield {key: value for key, value in zip(keys, choice) if value is not None}


def rule_of(rules, client):
    for rule in rules:
        if all((client.get(each["key"]) == each["value"]) != each["not"] for each in rule["matchers"]):
            return {"conf": rule["conf"], "origin": rule["origin"]}
    return None


def mean_the_same(ours, theirs):
    return all(rule_of(ours, client) == rule_of(theirs, client) for client in clients_of([*ours, *theirs]))


def take_out_equal_meaning(ours, theirs, _written):
    for name, rules in by_type(ours).items():
        other = by_type(theirs).get(name)
        if not other:
            continue
        if mean_the_same(rules["toRules"], other["toRules"]):
            rules["toRules"] = other["toRules"]
        for entry, their_entry in zip(rules["fromRules"], other["fromRules"]):
            if entry["inbound"] == their_entry["inbound"] and mean_the_same(entry["rules"], their_entry["rules"]):
                entry["rules"] = their_entry["rules"]


def has_no_tags(policy):
    """Whether 2.13 makes no rules by tags of it: one item about a route is enough for that."""
    kinds = {item["targetRef"]["kind"] for item in policy["spec"]["to"]}
    return "MeshHTTPRoute" in kinds or not kinds & {"Mesh", "MeshService"}


def take_out_types_left_out(ours, theirs, written):
    def is_left_out(rules):
        if rules["type"] in by_type(theirs) or rules["fromRules"] or rules["toRules"] or "proxyRule" in rules:
            return False
        origins = [origin["resourceMeta"]["name"] for rule in rules["toResourceRules"] for origin in rule["origin"]]
        return all(has_no_tags(written[rules["type"], name]) for name in origins)

    if by_type(ours):
        ours["rules"] = [rules for rules in ours["rules"] if not is_left_out(rules)]


class Excuse(NamedTuple):
    name: str
    section: str  # of policy-semantics.md
    take_out: Callable  # of our answer and theirs, given the documents by type and name


EXCUSES = (
    Excuse("rules with matchers are cut into other cells", "8.6", take_out_equal_meaning),
    Excuse("a type with rules for destinations only is left out", "12.1.1", take_out_types_left_out),
)
