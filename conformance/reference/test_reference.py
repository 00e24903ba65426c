#!/usr/bin/env python3
"""Tests of the reference implementation: RFC 8785, the examples of the manual, test/data, refusals, and the checker."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any, Iterator

from ldp_reference.binary import Reader
from ldp_reference.block import NUMBERS, REPORT, Block, read_block
from ldp_reference.canonical import canonical_text, number_text, parse_json
from ldp_reference.errors import Refused, Unsupported
from ldp_reference.fingerprint import fingerprint, fingerprint_text
from ldp_reference.mechanisms import read_mechanism
from ldp_reference.mechanisms.base import Mechanism, draw, new_state, read_state, write_state
from ldp_reference.messages import (
    add_summary,
    count_report,
    empty_summary,
    make_batch,
    make_report,
    read_batch,
    read_report,
    read_summary,
    write_summary,
)
from ldp_reference.protocol import RECEIPT, Endpoint, Response, Step, columns_text, next_step, receipt
from ldp_reference.rows import rows_of
from ldp_reference.spec import Collection, expand, open_collection
from ldp_reference.words import MASK, Words, mt19937_64, words_of

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "test" / "data"
CHECK = HERE.parent / "check"
EXAMPLE = {"mechanism": "grr", "epsilon": 1, "domain": 4}
LEAST_VECTORS, LEAST_RECORDS = 44, 39  # entries of the data files that this implementation supports


def fnv1a(data: bytes) -> str:
    """Returns the FNV-1a digest of bytes, 64 bits in hexadecimal digits."""
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 & MASK
    return f"{digest:016x}"


def vectors() -> Iterator[tuple[dict[str, Any], str, list[str], str, str]]:
    """Yields spec, parameters, payloads and the two digests of each entry of vectors.txt."""
    lines = (DATA / "vectors.txt").read_text("utf-8").split("\n")
    for index, line in enumerate(lines):
        if line.startswith("{"):
            yield json.loads(line), lines[index + 1], lines[index + 2].split(), lines[index + 3], lines[index + 4]


def supported_vectors() -> Iterator[tuple[dict[str, Any], Mechanism, list[str], str, str]]:
    """Yields the entries whose mechanism this implementation has."""
    for spec, parameters, payloads, payload_digest, state_digest in vectors():
        reader = Reader(bytes.fromhex(parameters))
        try:
            mechanism = read_mechanism(NUMBERS[spec["mechanism"]], float(spec["epsilon"]), reader)
        except Unsupported:
            continue
        reader.end()
        assert mechanism.parameters().hex() == parameters
        yield spec, mechanism, payloads, payload_digest, state_digest


def records() -> Iterator[tuple[dict[str, Any], list[tuple[dict[str, Any], list[str]]]]]:
    """Yields each spec of records.txt with its records and their reports."""
    current: tuple[dict[str, Any], list[tuple[dict[str, Any], list[str]]]] | None = None
    for line in (DATA / "records.txt").read_text("utf-8").split("\n"):
        key, _, rest = line.partition(" ")
        if key == "spec":
            if current:
                yield current
            current = (expand(json.loads(rest)), [])
        elif key == "record" and current:
            current[1].append((json.loads(rest.partition(" ")[2]), []))
        elif key == "report" and current:
            current[1][-1][1].append(rest)
    if current:
        yield current


def collection_of(spec: dict[str, Any], parameters: str) -> Collection:
    """Returns the collection of a spec with the parameters of its block. `bins` become `edges`."""
    full = expand(spec)
    for attribute in full["attributes"]:
        if bins := attribute.pop("bins", None):
            low, width = attribute["min"], (attribute["max"] - attribute["min"]) / bins
            attribute["edges"] = [low + index * width for index in range(1, bins)]
    own = Block(
        NUMBERS[spec["mechanism"]], 0, 0, fingerprint(full)[:8], float(spec["epsilon"]), bytes.fromhex(parameters)
    )
    return open_collection(full, own.write())


class CanonicalText(unittest.TestCase):
    def test_numbers_of_rfc_8785(self) -> None:
        """Appendix B of RFC 8785."""
        cases = {
            0.0: "0",
            -0.0: "0",
            5e-324: "5e-324",
            -5e-324: "-5e-324",
            1.7976931348623157e308: "1.7976931348623157e+308",
            9007199254740992.0: "9007199254740992",
            295147905179352830000.0: "295147905179352830000",
            9.999999999999997e22: "9.999999999999997e+22",
            1e23: "1e+23",
            1.0000000000000001e23: "1.0000000000000001e+23",
            999999999999999700000.0: "999999999999999700000",
            999999999999999900000.0: "999999999999999900000",
            1e21: "1e+21",
            9.999999999999997e-7: "9.999999999999997e-7",
            0.000001: "0.000001",
            333333333.3333332: "333333333.3333332",
            -0.0000033333333333333333: "-0.0000033333333333333333",
            1424953923781206.2: "1424953923781206.2",
        }
        for number, text in cases.items():
            self.assertEqual(number_text(number), text)

    def test_example_of_rfc_8785(self) -> None:
        """Section 3.2.2 and 3.2.3 of RFC 8785."""
        source = (
            '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "literals": '
            '[null, true, false], "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"}'
        )
        wanted = (
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":'
            '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        )
        self.assertEqual(canonical_text(parse_json(source)), wanted)
        keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
        ordered = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
        self.assertEqual(list(json.loads(canonical_text(dict.fromkeys(keys, 1)))), ordered)

    def test_refusals(self) -> None:
        for text in ('{"a": 1, "a": 2}', '{"a": NaN}', '{"a"}', "[" * 100000):
            self.assertRaises(Refused, parse_json, text)
        self.assertRaises(Refused, canonical_text, "\ud800")
        self.assertRaises(Refused, canonical_text, float("inf"))


class Fingerprint(unittest.TestCase):
    def test_example_of_the_manual(self) -> None:
        spec = expand(EXAMPLE)
        text = '{"attributes":[{"domain":4,"name":"value"}],"epsilon":1,"mechanism":"grr","version":1}'
        self.assertEqual(fingerprint_text(spec), text)
        self.assertEqual(
            fingerprint(spec).hex(), "0ce6bed11a66e484dfc60539dd46e6af2bf8181880d5470bab471bff8b63bb48"
        )
        report = "020001001c0000000ce6bed11a66e484000000000000f03f0400000000"
        self.assertEqual(read_report(open_collection(spec), bytes.fromhex(report)), b"\0")

    def test_texts_and_choices_are_not_covered(self) -> None:
        spec = expand(EXAMPLE)
        texts = spec | {"title": "t", "description": "d", "people_asked": 5, "derived": {}, "chosen": {}}
        texts["attributes"] = [spec["attributes"][0] | {"question": "q", "display": {}, "scale": "ordered"}]
        self.assertEqual(fingerprint(texts), fingerprint(spec))
        self.assertNotEqual(fingerprint(spec | {"min_group": 5}), fingerprint(spec))


class Vectors(unittest.TestCase):
    def test_words_are_those_of_the_standard(self) -> None:
        """ISO C++ states the 10000th word of the default seed."""
        words = mt19937_64(5489)
        self.assertEqual([next(words) for _ in range(10000)][-1], 9981545732273789042)

    @unittest.skipUnless(DATA.exists(), "the data of the tests are not installed")
    def test_payloads_and_states(self) -> None:
        found = 0
        for spec, mechanism, payloads, payload_digest, state_digest in supported_vectors():
            with self.subTest(spec=spec):
                words, inputs = Words(mt19937_64(2026)), mechanism.inputs()
                drawn, state = [], new_state(mechanism)
                for report in range(200):
                    codes = [(7919 * report + 104729 * j) % own.codes for j, own in enumerate(inputs)]
                    drawn.append(draw(mechanism, codes, words))
                    mechanism.check(drawn[-1])
                    mechanism.count(state, drawn[-1])
                self.assertEqual([payload.hex() for payload in drawn[:3]], payloads)
                self.assertEqual(fnv1a(b"".join(drawn)), payload_digest)
                self.assertEqual(fnv1a(write_state(mechanism, state)), state_digest)
                self.assertEqual(read_state(mechanism, Reader(write_state(mechanism, state)), 200), state)
            found += 1
        self.assertGreaterEqual(found, LEAST_VECTORS)

    @unittest.skipUnless(DATA.exists(), "the data of the tests are not installed")
    def test_records(self) -> None:
        found = 0
        for spec, made in records():
            first = next((report for _, reports in made for report in reports), "")
            if "evolving" in spec or not first:
                continue
            reader = Reader(bytes.fromhex(first))
            block = read_block(reader, REPORT)
            try:
                collection = collection_of(spec, block.parameters.hex())
            except Unsupported:
                continue
            words = words_of("mt19937_64:2026")
            for record, reports in made:
                with self.subTest(spec=spec, record=record):
                    payload = read_report(collection, make_report(collection, record, words))
                    self.assertEqual([payload.hex()], [report[2 * reader.position :] for report in reports])
            found += 1
        self.assertGreaterEqual(found, LEAST_RECORDS)


class Messages(unittest.TestCase):
    def setUp(self) -> None:
        self.collection = open_collection(EXAMPLE)
        words = words_of("mt19937_64:1")
        self.reports = [make_report(self.collection, {"value": i % 4}, words) for i in range(30)]
        self.payloads = [read_report(self.collection, report) for report in self.reports]

    def summary(self, payloads: list[bytes]) -> bytes:
        summary = empty_summary(self.collection)
        for round_, payload in enumerate(payloads):
            count_report(self.collection, summary, payload, round_)
        return write_summary(self.collection, summary)

    def test_batches(self) -> None:
        for short, size in ((True, 14), (False, 32)):
            batch = make_batch(self.collection, self.payloads, short)
            self.assertEqual(len(batch), size + 30)
            self.assertEqual(read_batch(self.collection, batch), sorted(self.payloads))
            bad = [batch[:-1], batch + b"\0", batch[: size - 4] + bytes(4), batch[:size] + batch[:size:-1]]
            for data in bad + [batch[:size] + b"\xff" * 30, b"\1" + batch[1:]]:
                self.assertRaises(Refused, read_batch, self.collection, data)
        self.assertRaises(Refused, make_batch, self.collection, [], True)

    def test_sums_of_summaries(self) -> None:
        left, right = (read_summary(self.collection, self.summary(part)) for part in (self.payloads, self.payloads[:9]))
        add_summary(left, right)
        self.assertEqual((left.n, left.first, left.last), (39, 0, 29))
        self.assertEqual(sum(left.state[0]), 39)
        empty = read_summary(self.collection, self.summary([]))
        before = self.summary(self.payloads[:9])
        add_summary(right, empty)
        self.assertEqual(write_summary(self.collection, right), before)

    def test_refused_reports_and_summaries(self) -> None:
        report, summary = self.reports[0], self.summary(self.payloads)
        for index in range(28):  # every byte of the block
            changed = report[:index] + bytes([report[index] ^ 1]) + report[index + 1 :]
            self.assertRaises((Refused, Unsupported), read_report, self.collection, changed)
        for data in (b"", report[:-1], report + b"\0", report[:-1] + b"\4"):
            self.assertRaises(Refused, read_report, self.collection, data)
        for index in (28, 36, 44):  # the number of reports, the first round, the state
            changed = summary[:index] + bytes([summary[index] + 64]) + summary[index + 1 :]
            self.assertRaises(Refused, read_summary, self.collection, changed)

    def test_refused_runs_of_a_record(self) -> None:
        def read(*runs: bytes) -> Mechanism:
            data = (1).to_bytes(4, "little") + len(runs).to_bytes(2, "little") + b"".join(runs)
            return read_mechanism(NUMBERS["sampled"], 1.0, Reader(data))

        def own(k: int) -> bytes:
            return bytes([1, 0, 0, 0, 1, 0, 0, 0, NUMBERS["grr"], 4, 0, k, 0, 0, 0])

        def again(earlier: int) -> bytes:
            return bytes([1, 0, earlier, 0])

        record = read(own(3), own(4), again(1), again(2))
        self.assertEqual([own.codes for own in record.inputs()], [3, 4, 3, 4])
        self.assertEqual(record.parameters()[6:], own(3) + own(4) + again(1) + again(2))
        for runs in ([own(3), own(4), own(3)], [own(3), own(4), again(3)], [own(3), own(4), again(2)], [again(1), own(3)]):
            self.assertRaises(Refused, read, *runs)

    def test_small_groups_are_hidden(self) -> None:
        rows = rows_of(self.collection, read_summary(self.collection, self.summary(self.payloads[:19])))
        self.assertEqual({row["estimate"] for row in rows}, {None})
        rows = rows_of(self.collection, read_summary(self.collection, self.summary(self.payloads[:20])))
        self.assertAlmostEqual(sum(row["estimate"] for row in rows), 1)


class Endpoints(unittest.TestCase):
    def test_receipt_of_the_manual(self) -> None:
        """The digest of the seven lines that the shell commands of doc/protocol.md print."""
        shown = receipt("POST", 201, "mood", "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10", 0, b"octets of the batch")
        script = (
            "digest=$(printf %s 'octets of the batch' | sha256sum | cut -c1-64); printf 'ldp receipt 1\\nPOST\\n201\\n"
            "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10\\n0\\n%s\\nmood' $digest | sha256sum"
        )
        self.assertEqual(subprocess.check_output(["sh", "-c", script], text=True).split()[0], shown)

    def test_rule_for_clients(self) -> None:
        def sure(status: int) -> Response:
            return Response(status, True)

        def bare(status: int) -> Response:
            return Response(status, False)

        self.assertEqual(next_step("POST", sure(201)), Step.COUNTED)
        self.assertEqual(next_step("POST", sure(422)), Step.REVOKE)
        self.assertEqual(next_step("POST", bare(413)), Step.REPEAT)
        self.assertEqual(next_step("POST", bare(413), bare(413)), Step.REVOKE)
        self.assertEqual(next_step("POST", bare(200)), Step.REPEAT)
        self.assertEqual(next_step("POST", sure(501)), Step.STOP)
        self.assertEqual(next_step("DELETE", sure(204)), Step.SPLIT)
        self.assertEqual(next_step("DELETE", sure(409), cause=409), Step.OLDER_COPY)
        self.assertEqual(next_step("DELETE", sure(409), cause=422), Step.COUNTED)
        self.assertEqual(next_step("DELETE", bare(204)), Step.REPEAT)
        self.assertEqual(next_step("DELETE", bare(404)), Step.STOP)
        self.assertEqual(next_step("POST", Response(0, False)), Step.REPEAT)

    def test_columns(self) -> None:
        self.assertEqual(columns_text({"z": 'a"\\\n', "b": "é"}), '{"b":"é","z":"a\\"\\\\\\u000a"}')

    def test_requests(self) -> None:
        """Sends a batch to a server that makes receipts, and to one that does not or whose responses break off."""
        answers: list[tuple[int, bool]] = [(201, True), (200, False), (204, True), (201, True), (503, True)]

        class Server(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                status, with_receipt = answers.pop(0)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path, _, query = self.path.partition("?")
                self.send_response(status)
                if body == b"broken":
                    self.send_header("Content-Length", "9")
                if with_receipt:
                    round_ = int(query.partition("=")[2] or 0)
                    shown = receipt(self.command, status, "a b", path.rpartition("/")[2], round_, body)
                    self.send_header(RECEIPT, shown)
                self.end_headers()

            do_POST = do_DELETE = answer

            def log_message(self, format: str, *arguments: Any) -> None:
                """Prints nothing."""

        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint, batch = Endpoint(f"http://127.0.0.1:{server.server_port}", "a b", 5), uuid.uuid4()
        self.assertEqual(endpoint.post(batch, b"batch", 3, {"day": "1"}), Response(201, True))
        self.assertEqual(endpoint.post(batch, b"batch", 3), Response(200, False))
        self.assertEqual(endpoint.revoke(batch), Response(204, True))
        for _ in range(2):  # responses that break off
            self.assertEqual(endpoint.post(batch, b"broken"), Response(0, False))
        server.shutdown()
        server.server_close()
        self.assertEqual(endpoint.post(batch, b"batch"), Response(0, False))


class Checker(unittest.TestCase):
    """The checker against the client of this directory, with a vector file that the client made."""

    def vector(self) -> dict[str, Any]:
        spec = expand(EXAMPLE)
        collection = open_collection(spec)
        made = {"records": [{"value": i % 4} for i in range(25)], "words": "mt19937_64:7"}
        answers: dict[str, Any] = self.ask({"verb": "fingerprint", "spec": spec})
        answers |= self.ask({"verb": "report", "spec": spec} | made)
        for form, key in (("block", "batch"), ("short", "short_batch")):
            question = {"verb": "batch", "spec": spec, "reports": answers["reports"], "form": form}
            answers[key] = self.ask(question)["batch"]
        answers |= self.ask({"verb": "summarize", "spec": spec, "reports": answers["reports"]})
        answers |= self.ask({"verb": "estimate", "spec": spec, "summary": answers["summary"]})
        own = {
            "spec": spec,
            "canonical": fingerprint_text(collection.spec),
            "refusals": [{"kind": "report", "bytes": "02", "reason": "too short"}],
            "profile": "core",
        }
        return answers | made | own

    def ask(self, message: dict[str, Any]) -> Any:
        command = [sys.executable, str(HERE / "client.py")]
        return json.loads(subprocess.run(command, input=json.dumps(message), capture_output=True, text=True).stdout)

    def check(self, vector: dict[str, Any], *command: str) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "grr.json").write_text(json.dumps(vector), "utf-8")
            own = command or (sys.executable, str(HERE / "client.py"))
            call = [sys.executable, str(CHECK), "--vectors", directory, "--require", "core", *own]
            return subprocess.run(call, capture_output=True, text=True)

    def test_a_right_vector_passes(self) -> None:
        result = self.check(self.vector())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("no differences", result.stdout)

    def test_every_change_is_found(self) -> None:
        right = self.vector()
        rows = [right["rows"][0] | {"stderr": right["rows"][0]["stderr"] * (1 + 3e-9)}] + right["rows"][1:]
        wrong = {
            "fingerprint": {"fingerprint": "00" + right["fingerprint"][2:]},
            "report": {"reports": right["reports"][:-1]},
            "batch": {"batch": right["batch"] + "00"},
            "short": {"short_batch": right["batch"]},
            "summary": {"summary": right["summary"][:-2] + "01"},
            "rows": {"rows": rows},
            "refusals": {"refusals": [{"kind": "report", "bytes": right["reports"][0], "reason": "none"}]},
        }
        for step, change in wrong.items():
            result = self.check(right | change)
            self.assertEqual(result.returncode, 1, step)
            self.assertIn(f"grr, {step}: ", result.stdout)

    def test_programs_that_fail(self) -> None:
        vector = self.vector()
        self.assertEqual(self.check(vector, "true").returncode, 1)
        echo = "import sys\nfor line in sys.stdin: print('{\"unsupported\": \"grr\"}', flush=True)"
        self.assertEqual(self.check(vector, sys.executable, "-c", echo).returncode, 1)
        self.assertEqual(self.check(vector | {"profile": "full"}, sys.executable, "-c", echo).returncode, 0)


class Client(unittest.TestCase):
    def test_answers(self) -> None:
        questions = [
            {"verb": "fingerprint", "spec": {"mechanism": "laplace", "epsilon": 1, "min": 0, "max": 1}},
            {"verb": "prove", "spec": EXAMPLE},
            {"verb": "report", "spec": EXAMPLE, "records": [{"value": 4}], "words": "mt19937_64:1"},
            {"verb": "report", "spec": EXAMPLE, "records": [{"value": 1}], "words": []},
            {"verb": "read", "kind": "batch", "spec": EXAMPLE, "bytes": "0203"},
            {"verb": "read", "kind": "report", "spec": {"mechanism": "auto", "epsilon": 1}, "bytes": ""},
        ]
        text = "".join(json.dumps(question) + "\n" for question in questions) + "no JSON\n"
        command = [sys.executable, str(HERE / "client.py")]
        output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        keys = [list(json.loads(line)) for line in output.splitlines()]
        self.assertEqual(keys, [["refused"], ["unsupported"]] + [["refused"]] * 5)


if __name__ == "__main__":
    unittest.main()
