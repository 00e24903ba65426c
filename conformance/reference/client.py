#!/usr/bin/env python3
"""Answers the JSON lines of conformance/README.md: one object a line on standard input, one answer a line."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

from ldp_reference.canonical import parse_json
from ldp_reference.errors import Refused, Unsupported
from ldp_reference.messages import (
    count_report,
    empty_summary,
    make_batch,
    make_report,
    read_batch,
    read_report,
    read_summary,
    write_summary,
)
from ldp_reference.rows import rows_of
from ldp_reference.spec import Collection, open_collection
from ldp_reference.words import words_of

Message = dict[str, Any]


def report(collection: Collection, message: Message) -> Message:
    """Returns the reports of records, made one after another with the given words."""
    words = words_of(message["words"])
    return {"reports": [make_report(collection, record, words).hex() for record in message["records"]]}


def payloads_of(collection: Collection, message: Message) -> list[bytes]:
    """Returns the payloads of the reports in a message."""
    return [read_report(collection, bytes.fromhex(report)) for report in message["reports"]]


def summarize(collection: Collection, message: Message) -> Message:
    """Returns the summary of reports of round 0."""
    summary = empty_summary(collection)
    for payload in payloads_of(collection, message):
        count_report(collection, summary, payload)
    return {"summary": write_summary(collection, summary).hex()}


def estimate(collection: Collection, message: Message) -> Message:
    """Returns the rows of a summary."""
    summary = read_summary(collection, bytes.fromhex(message["summary"]))
    return {"rows": rows_of(collection, summary, message.get("texts", ()))}


def fingerprint(collection: Collection, message: Message) -> Message:
    """Returns fingerprint and block of a spec."""
    return {"fingerprint": collection.fingerprint.hex(), "block": collection.block.write().hex()}


def batch(collection: Collection, message: Message) -> Message:
    """Returns the batch of reports."""
    short = {"short": True, "block": False}[message["form"]]
    return {"batch": make_batch(collection, payloads_of(collection, message), short).hex()}


def read(collection: Collection, message: Message) -> Message:
    """Returns that the bytes are valid."""
    readers: dict[str, Callable[[Collection, bytes], Any]] = {
        "report": read_report,
        "batch": read_batch,
        "summary": read_summary,
    }
    readers[message["kind"]](collection, bytes.fromhex(message["bytes"]))
    return {"ok": True}


VERBS = {
    "report": report,
    "summarize": summarize,
    "estimate": estimate,
    "fingerprint": fingerprint,
    "batch": batch,
    "read": read,
}


def answer(line: str) -> Message:
    """Returns the answer to one line."""
    try:
        message = parse_json(line)
        verb = VERBS.get(message["verb"])
        if verb is None:
            return {"unsupported": str(message["verb"])}
        return verb(open_collection(message["spec"]), message)
    except Refused as error:
        return {"refused": str(error)}
    except Unsupported as error:
        return {"unsupported": str(error)}
    except (KeyError, TypeError, ValueError) as error:
        return {"refused": f"the question is malformed: {error!r}"}


def main() -> None:
    """Answers the lines of standard input."""
    for line in sys.stdin:
        print(json.dumps(answer(line), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
