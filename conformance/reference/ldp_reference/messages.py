"""Reports, batches and summaries: doc/formats.md, sections "Report", "Batch" and "Summary"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from .binary import Reader, integer_bytes
from .block import BATCH, REPORT, SHORT_BATCH, SUMMARY, VERSION, read_block
from .errors import Refused
from .mechanisms.base import State, add_state, new_state, read_state, write_state
from .spec import Collection
from .words import Words

MOST_PAYLOADS = 1 << 24  # bytes of the payloads of a batch with several reports
MOST_REPORTS = 1 << 40  # of a summary
NO_ROUNDS = (2**31 - 1, -(2**31))


def _own_block(collection: Collection, reader: Reader, kind: int) -> None:
    """Reads a block and refuses one that differs from the collection's in any byte but the kind."""
    block = read_block(reader, kind)
    if block != collection.block:
        raise Refused("the block is not the block of the collection")


def make_report(collection: Collection, record: dict[str, Any], words: Words) -> bytes:
    """Returns a fresh report of a record.

    All numbers of the record are rounded first, in the order of the attributes. The public draws and the permanent
    draws follow (doc/draws.md, "Steps of a report").
    """
    codes = collection.codes(record, words)
    mechanism = collection.mechanism
    return collection.block.write(REPORT) + mechanism.permanent(codes, mechanism.public(words), words)


def read_report(collection: Collection, data: bytes) -> bytes:
    """Returns the payload of a report."""
    reader = Reader(data)
    _own_block(collection, reader, REPORT)
    if reader.left() != collection.mechanism.payload_size:
        raise Refused("the payload has the wrong length")
    payload = reader.take(reader.left())
    collection.mechanism.check(payload)
    return payload


def make_batch(collection: Collection, payloads: Sequence[bytes], short: bool) -> bytes:
    """Returns a batch of payloads, in ascending order of their bytes, with the block or in the short form."""
    size = sum(len(payload) for payload in payloads)
    if not payloads or (len(payloads) > 1 and size > MOST_PAYLOADS):
        raise Refused("a batch has at least one report, and at most 2^24 bytes of payloads")
    head = bytes([VERSION, SHORT_BATCH]) + collection.fingerprint[:8] if short else collection.block.write(BATCH)
    return head + integer_bytes(len(payloads), 4) + b"".join(sorted(payloads))


def read_batch(collection: Collection, data: bytes) -> list[bytes]:
    """Returns the payloads of a batch in either form."""
    reader = Reader(data)
    if data[1:2] == bytes([SHORT_BATCH]):
        if reader.take(2)[0] != VERSION:
            raise Refused("the format version is wrong")
        if reader.take(8) != collection.fingerprint[:8]:
            raise Refused("the batch belongs to another spec")
    else:
        _own_block(collection, reader, BATCH)
    count, size = reader.integer(4), collection.mechanism.payload_size
    if count == 0 or reader.left() != count * size or (count > 1 and count * size > MOST_PAYLOADS):
        raise Refused("the number of reports is wrong")
    payloads = [reader.take(size) for _ in range(count)]
    if any(a > b for a, b in zip(payloads, payloads[1:])):
        raise Refused("the payloads are not in ascending order")
    for payload in payloads:
        collection.mechanism.check(payload)
    return payloads


@dataclass
class Summary:
    """A summary: the number of reports, their first and last round, and the state of the mechanism."""

    n: int
    first: int
    last: int
    state: State


def empty_summary(collection: Collection) -> Summary:
    """Returns the summary of no reports."""
    return Summary(0, *NO_ROUNDS, new_state(collection.mechanism))


def count_report(collection: Collection, summary: Summary, payload: bytes, round_: int = 0) -> None:
    """Adds a checked payload of a round to a summary."""
    collection.mechanism.count(summary.state, payload)
    summary.n += 1
    summary.first, summary.last = min(summary.first, round_), max(summary.last, round_)


def add_summary(summary: Summary, other: Summary) -> None:
    """Adds another summary of the same collection ("Addition")."""
    summary.n += other.n
    summary.first, summary.last = min(summary.first, other.first), max(summary.last, other.last)
    add_state(summary.state, other.state)


def write_summary(collection: Collection, summary: Summary) -> bytes:
    """Returns the bytes of a summary."""
    rounds = b"".join(round_.to_bytes(4, "little", signed=True) for round_ in (summary.first, summary.last))
    head = collection.block.write(SUMMARY) + integer_bytes(summary.n, 8) + rounds
    return head + write_state(collection.mechanism, summary.state)


def read_summary(collection: Collection, data: bytes) -> Summary:
    """Returns the summary in bytes. An impossible state is refused."""
    reader = Reader(data)
    _own_block(collection, reader, SUMMARY)
    n = reader.integer(8)
    first, last = reader.integer(4, signed=True), reader.integer(4, signed=True)
    if n > MOST_REPORTS:
        raise Refused("there are too many reports")
    if (n == 0) != ((first, last) == NO_ROUNDS) or (n and first > last):
        raise Refused("the rounds are wrong")
    summary = Summary(n, first, last, read_state(collection.mechanism, reader, n))
    reader.end()
    return summary


__all__ = ["Summary", "make_batch", "make_report", "read_batch", "read_report", "read_summary"]
