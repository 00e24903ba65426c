#!/usr/bin/env python3
"""Answers the JSON lines of conformance/README.md through the Python package `ldp`, and so through the C interface.

Reports need the library whose random words are known, build/test/capi/libldp-scripted.so, in LDP_LIBRARY. The package has no
function that reads a batch, and it makes batches in the short form only: both are answered as unsupported.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import ldp

Message = dict[str, Any]
SERIES = ("ddrm", "threshold_series")
STATISTICS = ("mean", "direction", "proportion", "response_rate")
SCRIPTED_WORDS = "mt19937_64:2026"  # test/capi/scripted_random.cpp


class Unsupported(Exception):
    """The package does not offer what the question needs."""


def in_rounds(spec: Message) -> bool:
    """Returns whether the records of a spec belong to rounds 1, 2, … instead of round 0."""
    mechanisms = [spec["mechanism"], *(attribute.get("mechanism") for attribute in spec["attributes"])]
    return "evolving" in spec or any(mechanism in SERIES for mechanism in mechanisms)


def bytes_of(digits: str, size: int | None = None) -> bytes:
    """Returns the bytes of hexadecimal digits. Raises ValueError, also if there are not `size` bytes."""
    data = bytes.fromhex(digits)
    if size not in (None, len(data)):
        raise ValueError(f"there are {len(data)} bytes instead of {size}")
    return data


def reports_in(collection: ldp.Collection, message: Message) -> list[bytes]:
    """Returns the reports of a question."""
    return [bytes_of(report, collection.report_size) for report in message["reports"]]


def queued_client(collection: ldp.Collection, reports: list[bytes]) -> ldp.Client:
    """Returns a client whose queue has the reports, in round 0, by the layout of a snapshot in doc/formats.md."""
    state = ldp.Client(collection).state()
    at = 32 + 4 + 1 + 32  # digest, version, fingerprint
    for _ in range(2):  # public randomness, progress
        at += 8 + int.from_bytes(state[at:at + 8], "little")
    if state[at:at + 16] != bytes(16):
        raise ValueError("a new client has responses or reports")
    queue = b"".join(bytes(4) + len(report).to_bytes(8, "little") + report + bytes(8) for report in reports)
    content = state[32:at + 8] + len(reports).to_bytes(8, "little") + queue + state[at + 16:]
    return ldp.Client(collection, state=hashlib.sha256(content).digest() + content)


def fingerprint(collection: ldp.Collection, message: Message) -> Message:
    """Returns fingerprint and block of the spec."""
    return {"fingerprint": collection.fingerprint, "block": collection.spec["derived"]["block"]}


def report(collection: ldp.Collection, message: Message) -> Message:
    """Returns the reports of records of a new client."""
    if message["words"] != SCRIPTED_WORDS:
        raise Unsupported(f"words other than {SCRIPTED_WORDS}")
    reports: list[str] = []

    def deliver(batch: ldp.Batch) -> bool:
        reports.extend(each.hex() for each in batch.reports)
        return True

    client, rounds = ldp.Client(collection), in_rounds(collection.spec)
    for index, record in enumerate(message["records"]):
        client.report(record, index + 1 if rounds else 0)
        client.flush(deliver)
    return {"reports": reports}


def batch(collection: ldp.Collection, message: Message) -> Message:
    """Returns the frame of a batch that a client with these reports sends."""
    if message["form"] != "short":
        raise Unsupported(f"batches in the form {message['form']}")
    frames: list[str] = []

    def deliver(batch: ldp.Batch) -> bool:
        frames.append(batch.frame().hex())
        return True

    reports = reports_in(collection, message)
    queued_client(collection, reports).flush(deliver, len(reports))
    if len(frames) != 1:
        raise ValueError(f"the reports make {len(frames)} batches")
    return {"batch": frames[0]}


def summarize(collection: ldp.Collection, message: Message) -> Message:
    """Returns the summary of reports of round 0."""
    reports = reports_in(collection, message)
    return {"summary": ldp.summarize(collection, reports, [0] * len(reports)).data.hex()}


def estimate(collection: ldp.Collection, message: Message) -> Message:
    """Returns the rows of a summary."""
    spec, summary = collection.spec, ldp.Summary(bytes_of(message["summary"]), collection)
    if spec["mechanism"] in (*SERIES, "haar_ranges"):  # a series has estimates of rounds, and the other ranges alone
        return {"rows": []}
    texts = message.get("texts")
    rows = summary.rows("estimate", **({"texts": texts} if texts else {}))
    optional = [attribute["name"] for attribute in spec["attributes"] if attribute.get("missing") is True]
    if optional and spec["mechanism"] != "means_by_group":
        rows += summary.rows("estimate", attributes=optional, statistics=["response_rate"])
    keys = ("attribute", "label", "statistic", "estimate", "stderr")
    return {"rows": [{key: row.get(key) for key in keys} for row in rows if row["statistic"] in STATISTICS]}


def read(collection: ldp.Collection, message: Message) -> Message:
    """Returns that the bytes are valid. A report is counted, and a summary is added to an empty one."""
    kind = message["kind"]
    if kind == "report":
        ldp.summarize(collection, bytes_of(message["bytes"], collection.report_size), [0])
    elif kind == "summary":
        ldp.summarize(collection, [], []).merge(ldp.Summary(bytes_of(message["bytes"]), collection))
    else:
        raise Unsupported(f"reading of {kind}")
    return {"ok": True}


VERBS = {
    "fingerprint": fingerprint,
    "report": report,
    "batch": batch,
    "summarize": summarize,
    "estimate": estimate,
    "read": read,
}


def answer(line: str) -> Message:
    """Returns the answer to one line."""
    try:
        message: Message = json.loads(line)
        if message["verb"] not in VERBS:
            raise Unsupported(str(message["verb"]))
        return VERBS[message["verb"]](ldp.Collection(message["spec"]), message)
    except Unsupported as reason:
        return {"unsupported": str(reason)}
    except ldp.Error as error:
        return {"refused": str(error)}
    except (KeyError, TypeError, ValueError) as error:
        return {"refused": f"the question is malformed: {error!r}"}


def main() -> None:
    """Answers the lines of standard input."""
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
