"""The client of conformance/reference against `ldp collect`, for every mechanism of the core profile.

The arguments are the address of the endpoint and the root of the project. PGHOST and the other variables of libpq select
the server.
"""

from __future__ import annotations

import cmath
import json
import math
import random
import re
import subprocess
import sys
import unittest
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(sys.argv.pop(2))
ADDRESS = sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "conformance/reference"))

from ldp_reference.errors import Refused  # noqa: E402
from ldp_reference.messages import (  # noqa: E402
    count_report,
    empty_summary,
    make_batch,
    make_report,
    read_report,
    write_summary,
)
from ldp_reference.protocol import Endpoint, Step, next_step  # noqa: E402
from ldp_reference.rows import rows_of  # noqa: E402
from ldp_reference.spec import Collection, open_collection  # noqa: E402
from ldp_reference.words import words_of  # noqa: E402

SEED = 2026
REPORTS = 4000
OF_BATCH = 500
# Intervals are compared with the truth: fewer than 500 in all, so the probability of a false alarm is at most 1e-8. Values and
# words have a seed, so the outcome is the same in every run.
CONFIDENCE = 1 - 1e-8 / 500
OTHER = "Größen / 1"  # a collection without a mechanism of its own, with public columns
WORDS = ["", "a", "ab", "abc"]  # the strings that people have

Json = dict[str, Any]
Key = tuple[str, str | None, str]  # attribute, label and statistic of an estimate


def number(name: str, **keys: Any) -> Json:
    """Returns an attribute of numbers from 0 to 8."""
    return {"name": name, "min": 0, "max": 8} | keys


def category(name: str, values: int, **keys: Any) -> Json:
    """Returns an attribute of a category without labels."""
    return {"name": name, "domain": values} | keys


STRINGS = {"alphabet": "a-c", "max_length": 4}
TABLE = [category("a", 2), category("b", 5), number("c", edges=[1, 4])]
VECTOR = [number("a"), number("b"), number("c", min=-4, max=4)]

SPECS: dict[str, Json] = {
    "grr": {"epsilon": 3, "attributes": [
        {"name": "Ort", "domain": ["Köln", "Ulm", "anderswo", "-"], "other": "anderswo", "missing_label": "-"}]},
    "subset": {"epsilon": 2, "domain": 40},
    "olh": {"epsilon": 3, "domain": 50},
    "projective": {"epsilon": 3, "domain": 60},
    "label_sets": {"epsilon": 4, "domain": ["mail", "maps", "music", "video", "news"], "several": True, "most": 2},
    "strings": {"epsilon": 4, "strings": STRINGS, "first_level_length": 2, "level_step": 2, "cohorts": 2, "hash_buckets": 16},
    "optimal": {"epsilon": 1, "min": 0, "max": 10},
    "duchi": {"epsilon": 1, "min": -1, "max": 1},
    "optional_mean": {"epsilon": 2, "min": 0, "max": 10, "missing": True},
    "ring": {"epsilon": 2, "min": 0, "max": 24, "grid": 12, "circular": True},
    "tree": {"epsilon": 3, "min": 0, "max": 24, "grid": 24, "missing": True},
    "square_wave": {"epsilon": 2, "min": 0, "max": 100, "grid": 64},
    "ball": {"epsilon": 4, "attributes": VECTOR},
    "duchi_vector": {"epsilon": 2, "attributes": VECTOR},
    "haar": {"epsilon": 3, "attributes": VECTOR},
    "sampled": {"epsilon": 8, "per_report": 2, "attributes": [number("a"), category("b", 5), number("c", missing=True)]},
    "joint": {"epsilon": 4, "attributes": TABLE},
    "joint_haar": {"epsilon": 4, "attributes": TABLE},
    # Each mechanism that can be a part of a record, alone or beside a vector.
    "parts": {"mechanism": "sampled", "epsilon": 20, "per_report": 4, "attributes": [
        category("grr", 3, mechanism="grr"), category("subset", 12, mechanism="subset"),
        category("olh", 20, mechanism="olh"), category("projective", 30, mechanism="projective"),
        category("label_sets", 6, mechanism="label_sets", several=True, most=2),
        {"name": "strings", "strings": STRINGS, "mechanism": "strings"},
        number("optimal", mechanism="optimal"), number("duchi", mechanism="duchi"),
        number("optional_mean", mechanism="optional_mean", missing=True),
        number("ring", mechanism="ring", grid=12, circular=True), number("tree", mechanism="tree", grid=15), number("square_wave", mechanism="square_wave", grid=31),
        number("duchi_vector", mechanism="duchi_vector", vector=3), number("haar", mechanism="haar", vector=["x", "y", "z"])]},
    "tables": {"mechanism": "sampled", "epsilon": 8, "per_report": 2, "joint_tables": [["a", "b"]], "attributes": [
        category("a", 2), category("b", 5), number("mean")]},
}


def core_profile() -> set[str]:
    """Returns the mechanisms of the core profile: the table of doc/draws.md, "Profiles"."""
    page = (ROOT / "doc/draws.md").read_text("utf-8")
    table = page.split("\n## Profiles\n")[1].split("\n## ")[0]
    return {name for line in table.splitlines() if line.startswith("| ") for name in re.findall(r"\[`(\w+)`\]", line)}


def sql(query: str, *arguments: str) -> Any:
    """Returns the one value of a query, whose parameters are :'p1', :'p2' and so on, as JSON."""
    given = [f"--set=p{index}={argument}" for index, argument in enumerate(arguments, 1)]
    command = ["psql", "-XqAt", "--set=ON_ERROR_STOP=1", *given]
    done = subprocess.run(command, input=f"SELECT to_json(({query}))", capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout or "null")


def value_at(keys: Json, labels: list[str] | None, position: float) -> Any:
    """Returns the value of a person at a position from 0 to 1 of an attribute."""
    if "strings" in keys:
        return WORDS[int(position * len(WORDS))]
    if labels is None or "edges" in keys:
        low, high = keys["min"], keys["max"]
        # Some numbers are missing, and some lie outside the range.
        if keys.get("missing") and 0.3 < position < 0.5:
            return None
        return low + (high - low) * (1.1 * position - 0.05)
    value = int(position * len(labels))
    members = [value] if keys.get("several") and position < 0.1 else [value, (value + 1) % len(labels)]
    of_domain = labels if isinstance(keys["domain"], list) else range(len(labels))
    if keys.get("several"):
        return [of_domain[member] for member in members] if position < 0.6 else None
    if labels[value] == keys.get("missing_label"):
        return None
    return "nowhere" if labels[value] == keys.get("other") else of_domain[value]


def direction_of(numbers: list[float], low: float, high: float) -> float:
    """Returns the mean direction of numbers on a circle."""
    unit = 2 * math.pi / (high - low)
    return low + cmath.phase(sum(cmath.rect(1, unit * (number - low)) for number in numbers)) % (2 * math.pi) / unit


def truth_of(attribute: Any, values: list[Any]) -> dict[Key, float]:
    """Returns the true statistics of an attribute."""
    name, keys, labels = attribute.name, attribute.keys, attribute.labels
    people = len(values)
    if "strings" in keys:
        return {(name, text, "proportion"): values.count(text) / people for text in WORDS}
    if labels is None:
        numbers = [min(max(value, keys["min"]), keys["max"]) for value in values if value is not None]
        if keys.get("circular"):
            return {(name, None, "direction"): direction_of(numbers, keys["min"], keys["max"])}
        truth: dict[Key, float] = {(name, None, "mean"): sum(numbers) / len(numbers)}
        if keys.get("missing"):
            truth[name, None, "response_rate"] = len(numbers) / people
        return truth
    if keys.get("several"):
        chosen = [[str(member) for member in value or ()] for value in values]
    elif "edges" in keys:
        chosen = [[labels[sum(value >= edge for edge in keys["edges"])]] for value in values]
    else:
        missing, other = keys.get("missing_label"), keys.get("other")
        chosen = [[missing if value is None else other if value == "nowhere" else str(value)] for value in values]
    return {(name, label, "proportion"): sum(label in own for own in chosen) / people for label in labels}


@dataclass
class People:
    """People with their reports, and the true statistics."""

    payloads: list[bytes]
    truth: dict[Key, float]
    mirrored: dict[Key, float]  # of people at the opposite positions


def people_of(name: str, collection: Collection) -> People:
    """Returns people whose values are near the first ones, and their reports."""
    draw = random.Random(f"{SEED} {name}")
    result = People([], {}, {})
    records: list[Json] = [{} for _ in range(REPORTS)]
    for attribute in collection.attributes:
        positions = [draw.random() ** 3 for _ in range(REPORTS)]
        values = [value_at(attribute.keys, attribute.labels, position) for position in positions]
        for record, value in zip(records, values):
            record[attribute.name] = value
        result.truth |= truth_of(attribute, values)
        opposite = [value_at(attribute.keys, attribute.labels, 1 - position) for position in positions]
        result.mirrored |= truth_of(attribute, opposite)
    words = words_of(f"mt19937_64:{SEED}")
    result.payloads = [read_report(collection, make_report(collection, record, words)) for record in records]
    return result


class Client(unittest.TestCase):
    """Requests whose responses are checked, with their receipts."""

    endpoint: Endpoint

    def post(
        self, batch: uuid.UUID, content: bytes, status: int, step: Step, round_: int = 0, columns: dict[str, str] | None = None
    ) -> None:
        response = self.endpoint.post(batch, content, round_, columns)
        self.assertEqual((response.status, next_step("POST", response)), (status, step))

    def revoke(self, batch: uuid.UUID, status: int, step: Step, cause: int) -> None:
        """Revokes a batch after the response `cause`."""
        response = self.endpoint.revoke(batch)
        self.assertEqual((response.status, next_step("DELETE", response, cause=cause)), (status, step))


class CoreProfile(Client):
    """For each collection: deliveries, refusals, counts and estimates. The tests are added below."""

    def check_collection(self, name: str) -> None:
        self.endpoint = Endpoint(ADDRESS, name)
        collection = open_collection(self.endpoint.spec())
        self.assertEqual(collection.fingerprint.hex(), sql("SELECT fingerprint FROM ldp_collections WHERE name = :'p1'", name))
        people = people_of(name, collection)
        batches = [people.payloads[begin : begin + OF_BATCH] for begin in range(0, REPORTS, OF_BATCH)]
        self.deliver_once(collection, batches[0], batches[1])
        self.deliver_nothing(collection, batches[1])
        for index, batch in enumerate(batches[1:]):
            self.post(uuid.uuid4(), make_batch(collection, batch, short=index % 2 == 0), 201, Step.COUNTED)
        self.compare_estimates(name, collection, people)

    def deliver_once(self, collection: Collection, payloads: list[bytes], others: list[bytes]) -> None:
        """A repeated batch counts once, also in the other form. Another batch under its id is refused."""
        batch, short, block = uuid.uuid4(), *(make_batch(collection, payloads, form) for form in (True, False))
        self.assertEqual(len(block) - len(short), len(collection.block.write()) - 10)
        self.post(batch, short, 201, Step.COUNTED)
        self.post(batch, short, 200, Step.COUNTED)
        self.post(batch, block, 200, Step.COUNTED)
        self.post(batch, make_batch(collection, others, True), 409, Step.REVOKE)
        self.post(batch, short, 409, Step.REVOKE, round_=1)
        self.revoke(batch, 409, Step.OLDER_COPY, 409)

    def deliver_nothing(self, collection: Collection, payloads: list[bytes]) -> None:
        """An endpoint refuses what the reference refuses, and then nothing else can be delivered under the id."""
        impossible = b"\xff" * collection.mechanism.payload_size
        all_possible = collection.mechanism.name == "ball"  # any seed, and any of 256 codewords
        if not all_possible:
            self.assertRaises(Refused, collection.mechanism.check, impossible)
        short, block = (make_batch(collection, payloads, form) for form in (True, False))
        forged = [] if all_possible else [(make_batch(collection, [*payloads[:9], impossible], form), 400, 0) for form in (True, False)]
        refusals = [
            *forged,
            (short[:-1], 400, 0),
            (short[:2] + bytes(8) + short[10:], 422, 0),  # another fingerprint
            (block[:8] + bytes(8) + block[16:], 422, 0),
            (short, 422, 7),  # a round that is not open
        ]
        for content, status, round_ in refusals:
            batch = uuid.uuid4()
            self.post(batch, content, status, Step.REVOKE, round_)
            self.revoke(batch, 204, Step.SPLIT, status)
            self.revoke(batch, 204, Step.SPLIT, status)
            self.post(batch, short, 409, Step.REVOKE)

    def compare_estimates(self, name: str, collection: Collection, people: People) -> None:
        """The server's summary and rows are those of the reference, and its intervals contain the truth."""
        summary = empty_summary(collection)
        for payload in people.payloads:
            count_report(collection, summary, payload)
        found = sql("SELECT encode(ldp_summary_of(:'p1')::bytea, 'hex')", name)
        self.assertEqual(found, write_summary(collection, summary).hex())

        texts = [(each.name, text) for each in collection.attributes if "strings" in each.keys for text in WORDS]
        rows = rows_of_server(name, sorted({"mean" if key[2] == "direction" else key[2] for key in people.truth}), texts)
        self.assertEqual(set(rows), set(people.truth))
        for row in rows_of(collection, summary, texts):
            same = rows[row["attribute"], row["label"], row["statistic"]]
            for column in ("estimate", "stderr"):
                largest = 1e-9 * max(abs(row[column]), row["stderr"])
                self.assertLessEqual(abs(same[column] - row[column]), largest, (row, same))

        for key, row in rows.items():
            self.assertTrue(row["lower"] <= people.truth[key] <= row["upper"], (key, row, people.truth[key]))
        # With fewer reports, intervals would also contain the statistics of other people.
        right = {key[0] for key, row in rows.items() if not row["lower"] <= people.mirrored[key] <= row["upper"]}
        self.assertEqual(right, {key[0] for key in rows})
        errors = (abs(row["estimate"] - people.truth[key]) / row["stderr"] for key, row in rows.items())
        print(f"{name}: {summary.n} reports, {len(rows)} estimates, at most {max(errors):.1f} standard errors from the truth")

    def test_every_mechanism_has_a_collection(self) -> None:
        self.assertEqual(core_profile() - set(SPECS), set())
        self.assertEqual(len(core_profile()), 18)


def rows_of_server(name: str, statistics: list[str], texts: list[tuple[str, str]]) -> dict[Key, Json]:
    """Returns the estimates of the server, by their names. `texts` are pairs of an attribute of strings and a text."""
    rows = sql(
        "SELECT json_agg(e) FROM ldp_estimate(:'p1', confidence => :'p2', statistics => string_to_array(:'p3', ','), "
        "texts => (SELECT array_agg(ARRAY[p ->> 0, p ->> 1]) FROM json_array_elements(:'p4') AS p)) AS e",
        name,
        repr(CONFIDENCE),
        ",".join(statistics),
        json.dumps(texts),
    )
    return {(row["attribute"], row["label"], row["statistic"]): row for row in rows}


for collection_name in SPECS:
    def test(self: CoreProfile, name: str = collection_name) -> None:
        self.check_collection(name)

    setattr(CoreProfile, f"test_{collection_name}", test)


class Receipts(Client):
    """Requests about one collection."""

    def setUp(self) -> None:
        self.endpoint = Endpoint(ADDRESS, OTHER)
        self.collection, words = open_collection(self.endpoint.spec()), words_of("system")
        payloads = [read_report(self.collection, make_report(self.collection, {"value": 1}, words)) for _ in range(3)]
        self.content = make_batch(self.collection, payloads, True)

    def test_a_receipt_belongs_to_one_collection(self) -> None:
        """The receipt of a response has the name of the collection. Without a collection, there is no receipt."""
        batch = uuid.uuid4()
        self.endpoint.name = "another"
        self.post(batch, self.content, 201, Step.REPEAT)
        self.assertRaises(Refused, self.endpoint.spec, 0)
        self.endpoint.name = OTHER
        self.post(batch, self.content, 200, Step.COUNTED)
        self.endpoint = Endpoint(ADDRESS, "none")
        self.post(batch, self.content, 404, Step.STOP)
        self.assertRaises(Refused, self.endpoint.spec, 0)

    def test_public_columns(self) -> None:
        batch, given = uuid.uuid4(), {"place": 'a "ß"\\\n', "day": "2"}
        self.post(batch, self.content, 201, Step.COUNTED, columns=given)
        self.post(batch, self.content, 200, Step.COUNTED, columns=given)
        self.post(batch, self.content, 409, Step.REVOKE, columns=given | {"day": "3"})
        for wrong in ({"day": "x"}, {"city": "Ulm"}):
            self.post(uuid.uuid4(), self.content, 422, Step.REVOKE, columns=wrong)
        query = "SELECT json_agg(json_build_array(place, day)) FROM \"" + OTHER + "\" WHERE day IS NOT NULL"
        self.assertEqual(sql(query), [[given["place"], 2]] * 3)


def main() -> None:
    """Creates the collections, in which rows are reports or batches, and runs the tests."""
    for index, (name, spec) in enumerate(SPECS.items()):
        stored = ("reports", "batches")[index % 2]
        sql("SELECT ldp_create_collection(:'p1', :'p2', rows => :'p3')", name, json.dumps({"mechanism": name} | spec), stored)
    spec, columns = {"mechanism": "grr", "epsilon": 1, "domain": 4}, "ARRAY[['place', 'text'], ['day', 'integer']]"
    sql(f"SELECT ldp_create_collection(:'p1', :'p2', {columns})", OTHER, json.dumps(spec))
    unittest.main()


if __name__ == "__main__":
    main()
