"""In what the answers of a kuma-cp and of a kdsd may differ: what the specification leaves open is brought into one form, and
what it tells of 2.13, or was only seen there, is a table of excuses."""

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
    """One form of what is free: a part that a type cannot have is left out or empty, 2.13 sorts by the name alone, writes null for
    an empty list of host names and leaves out which clients an inbound rule is about; warnings are worded in everybody's own way."""
    answer = plain(answer)
    if isinstance(answer, dict) and answer.get("items", ()) is None:
        answer["items"] = []
    for rules in answer.get("rules", []) if isinstance(answer, dict) else []:
        for name in RULE_LISTS:
            rules.setdefault(name, [])
        rules["warnings"] = len(rules["warnings"])
        for rule in (each for entry in rules["inboundRules"] for each in entry["rules"]):
            rule.pop("matches", None)
        rules["toResourceRules"].sort(key=destination_of)
    return answer


def destination_of(rule):
    return (rule["resourceMeta"]["name"], rule["resourceMeta"]["type"], rule["resourceSectionName"])


def listed(answer, name):
    return answer.get(name, []) if isinstance(answer, dict) else []


def by_type(answer):
    return {rules["type"]: rules for rules in listed(answer, "rules")}


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


def take_out_made_up_zones(ours, theirs, written):
    """Where a service has no zone, 2.13 takes the first part of its stored name for one, in the zones and in the hostname."""
    made_up = {
        name.split(".")[0]
        for (type_name, name), document in written.items()
        if type_name.endswith("Service") and "kuma.io/zone" not in document["labels"]
    }
    for mine, other in zip(listed(ours, "items"), listed(theirs, "items")):
        zones = [zone["name"] for zone in other.get("zones", [])]
        if len(zones) != 1 or zones[0] not in made_up:
            continue
        hostnames = [mine["hostname"], *(mine["hostname"].replace(zone["name"], zones[0]) for zone in mine["zones"])]
        if other["hostname"] in hostnames:
            mine.update(other)


def way_of_selecting(policy):
    """All, by labels, or by name: what 2.13 compares of policies about Dataplanes, and only pair by pair."""
    target = policy["spec"].get("targetRef", {"kind": "Mesh"})
    if target["kind"] != "Dataplane":
        return None
    return "name" if "name" in target else "labels" if "labels" in target else "all"


def is_in_a_cycle(origins):
    """Among them are policies that 2.13 orders by the order in which it happens to read them."""
    ways = {way_of_selecting(policy) for policy in origins} - {None}
    return "all" in ways and len(ways) > 1


def shown_name(document):
    return document["labels"].get("kuma.io/display-name", document["name"])


def take_out_cycles_of_order(ours, theirs, written):
    def is_affected(part):
        text = str(part)
        kind = part.get("type") or part.get("kind")
        return is_in_a_cycle([
            policy for (type_name, name), policy in written.items()
            if type_name == kind and (f"'name': '{name}'" in text or f"_{shown_name(policy)}_'" in text)
        ])

    for name in ("rules", "policies"):
        if name in ours and name in theirs:
            ours[name] = [each for each in ours[name] if not is_affected(each)]
            theirs[name] = [each for each in theirs[name] if not is_affected(each)]


def listener_tags(policy):
    """How many, of a policy about a gateway."""
    target = policy["spec"].get("targetRef", {})
    return len(target.get("tags", {})) if target.get("kind") == "MeshGateway" else None


def contributors(part):
    """The items that take part in it, whichever of them wins."""
    return sorted(map(str, part["origin"] if "origin" in part else part["origins"]))


def take_out_order_by_listener_tags(ours, theirs, written):
    def is_affected(kind):
        counts = {listener_tags(policy) for (type_name, _), policy in written.items() if type_name == kind}
        return len(counts - {None}) > 1

    for kind, rules in by_type(ours).items():
        others = by_type(theirs).get(kind, {}).get("toResourceRules", [])
        for rule, other in zip(rules["toResourceRules"], others):
            if is_affected(kind) and destination_of(rule) == destination_of(other) and contributors(rule) == contributors(other):
                rule.update(conf=other["conf"], origin=other["origin"])
    for policy, other in zip(listed(ours, "policies"), listed(theirs, "policies")):
        if policy["kind"] == other["kind"] and is_affected(policy["kind"]) and contributors(policy) == contributors(other):
            policy.update(other)


class Excuse(NamedTuple):
    name: str
    section: str  # of policy-semantics.md
    take_out: Callable  # of our answer and theirs, given the documents by type and name


EXCUSES = (
    Excuse("rules with matchers are cut into other cells", "8.6", take_out_equal_meaning),
    Excuse("a type with rules for destinations only is left out", "12.1.1", take_out_types_left_out),
    Excuse("a service without a zone gets one made of its name", "12.1", take_out_made_up_zones),
    Excuse("the order of policies about Dataplanes has cycles", "7.2", take_out_cycles_of_order),
    Excuse("more listener tags win in lists of policies and not in rules for destinations", "7.1", take_out_order_by_listener_tags),
)
