"""The client of one person or device, or of a file of records: randomizes, remembers, queues, sends."""

from __future__ import annotations

import ctypes
import enum
import os
import threading
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Callable, Iterator

from . import native
from .collection import Collection
from .errors import Code, Error
from .records import Record, Records, of_record, of_records


class Origin(enum.IntEnum):
    """Where a report's answer comes from."""

    DRAWN = 0    # drawn for it, at a cost
    KEPT = 1     # kept from an earlier report
    NEAREST = 2  # kept of the nearest value that has one, because the budget is spent
    SILENT = 3   # none: in a series nothing was due yet


@dataclass(frozen=True)
class Receipt:
    """What became of a record."""

    origin: Origin
    clamped: int         # how many values: numbers into their range, labels to "other"
    coefficients: int  # how many coefficients of haar were clamped into their range, or numbers to the norm of gaussian


@dataclass(frozen=True)
class Answer:
    """An answer that was drawn for this person and is kept."""

    epsilon: float  # what drawing it cost
    round: int      # in which it was first reported


@dataclass(frozen=True)
class Spent:
    """What all answers cost together. Both figures are true; the smaller one counts."""

    answers: int
    most: int        # how many the budget pays for
    epsilon: float   # of each
    sum: float       # of all, for certain
    advanced: float  # of all but for a probability of delta (Dwork, Roth 2014, doi:10.1561/0400000042)

    @property
    def least(self) -> float:
        return min(self.sum, self.advanced)


@dataclass(frozen=True)
class Flushed:
    """What a flush did."""

    batches: int   # now known to be counted
    reports: int   # in them
    repeated: int  # of the batches, those that had been counted before
    refused: int   # reports that were set aside


@dataclass
class Batch:
    """Reports of one spec and one round that travel together, under an id that never stands for others."""

    id: str           # a UUID
    fingerprint: str  # of the spec: 16 hexadecimal digits
    round: int
    reports: list[bytes]
    _handle: ctypes.c_void_p | None = field(default=None, repr=False, compare=False)

    def frame(self) -> bytes:
        """All reports as one value, as an endpoint takes it (doc/collect.md), while the batch is on its way.

        Raises Error (MALFORMED) if a report is damaged, Error (FULL) if they are too many.
        """
        if self._handle is None:
            raise Error(Code.ENVIRONMENT, "the batch is not on its way")
        memory, size = ctypes.c_void_p(), ctypes.c_size_t()
        native.call("ldp_batch_frame", self._handle, ctypes.byref(memory), ctypes.byref(size))
        return native.taken(memory, size.value)


class Outcome(enum.IntEnum):
    """The outcome of a batch's delivery. The last three are certain: the batch was not counted."""

    DELIVERED = 0  # counted by this attempt
    REPEATED = 1   # counted by an earlier attempt
    LATER = 2      # unknown: the same batch is offered again
    REFUSED = 3    # the server refuses a report in it, now and later
    TOO_LARGE = 4  # too large as a whole; parts of it may be counted
    OUTDATED = 5   # its id was counted with other reports: the store is older than the server's record


class Undelivered(Exception):
    """What a transport raises if it is certain that a batch was not counted and cannot be any more.

    `outcome` is REFUSED, TOO_LARGE or OUTDATED.
    """

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


#: Brings a batch to the server, and returns when it is counted: True if this call did it, False if it had been counted
#: before. Raises Undelivered, or anything else if nothing is certain: the same batch is then offered again.
BatchTransport = Callable[[Batch], bool]

class Client:
    """Turns records into reports and keeps them until the server has counted them.

    The order is fixed: draw, write durably, then send. `path` names an SQLite file, which is created if there is none and
    locked until the client is closed; without one the client lives in memory, and goes on from `state`, which `state()`
    gave, or from nothing. Under a spec with "evolving", and under a mechanism of series, a client is one person's.

    Threads may share a client: they wait for each other. A forked process may not use it. Raises Error (INCOMPATIBLE) for
    the store of another spec, and Error (ENVIRONMENT) if the file is in use, damaged or of another kind.
    """

    def __init__(self, collection: Collection, path: str | os.PathLike[str] | None = None, *,
                 state: bytes = b"") -> None:
        handle = ctypes.c_void_p()
        if path is None:
            native.call("ldp_client_in_memory", collection._handle, state, len(state), ctypes.byref(handle))
        elif state:
            raise Error(Code.INVALID_VALUE, "a client has a file or a state, not both")
        else:
            name = os.fspath(path)
            if "\0" in name:
                raise Error(Code.INVALID_VALUE, "the path holds a zero", repr(name))
            native.call("ldp_client_in_file", collection._handle, os.fsencode(name), ctypes.byref(handle))
        self.collection = collection
        self._handle = handle
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._sending = False
        self._close = weakref.finalize(self, _free, handle, self._process)

    def close(self) -> None:
        """Lets go of the file. Reports that wait stay in it."""
        with self._lock:
            if self._sending:
                raise Error(Code.ENVIRONMENT, "the client is sending", "", "Close it when flush() is done.")
            self._close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def _own(self) -> Iterator[ctypes.c_void_p]:
        """The handle, for this thread alone."""
        with self._lock:
            if os.getpid() != self._process:
                raise Error(Code.ENVIRONMENT, "the client was made in another process", "",
                            "Make a client in each process, with a file of its own, after the fork.")
            if not self._close.alive:
                raise Error(Code.ENVIRONMENT, "the client is closed")
            yield self._handle

    def report(self, record: Record, round: int = 0) -> Receipt:
        """Randomizes a record and queues the report as durably as the store can.

        `round` tells repeated surveys of the same people apart; of a series it is the round whose value this is, from 1
        on, in order. Raises Error (INVALID_VALUE, SPENT, ENVIRONMENT): then nothing was queued, and nothing spent.
        """
        values = of_record(record, self.collection._names, self.collection._labelled)
        receipt = native.Receipt()
        with self._own() as client:
            native.call("ldp_client_report", client, values.address, values.count, _round(round), ctypes.byref(receipt))
        return Receipt(Origin(receipt.origin), receipt.clamped, receipt.coefficients)

    def report_many(self, records: Records, round: int = 0) -> int:
        """The same of many people's records, with one durable write for all: returns how many they were.

        Takes records one after another, or in columns: a data frame, or a dict of arrays. Raises Error, which tells the
        record that it is about; then nothing was queued. Error (UNSUPPORTED) under a mechanism of series.
        """
        values = of_records(records, self.collection._names, self.collection._labelled)
        number, done = _round(round), ctypes.c_size_t()
        with self._own() as client:
            try:
                native.call("ldp_client_stage", client, values.address, values.count, ctypes.byref(done), record=done)
                native.call("ldp_client_commit", client, number)
            except BaseException:
                native.call("ldp_client_discard", client)
                raise
        return done.value

    @property
    def pending(self) -> int:
        """Reports queued and not known to be counted."""
        with self._own() as client:
            return int(native.library.ldp_client_pending(client))

    def clamped(self) -> dict[str, int]:
        """How many values of each attribute this client has clamped since it was made: into the declared range, or to "other"."""
        names = [attribute["name"] for attribute in self.collection.spec["attributes"]]
        with self._own() as client:
            return {name: native.library.ldp_client_clamped(client, i) for i, name in enumerate(names)}

    def state(self) -> bytes:
        """All that a client in memory holds, to go on from with Client(collection, state=…).

        Write it durably, in one step, after each change and before anything is sent. It is as secret as the values, and may
        be gone on from once. Raises Error (UNSUPPORTED) if there is a file.
        """
        memory, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._own() as client:
            native.call("ldp_client_state", client, ctypes.byref(memory), ctypes.byref(size))
        return native.taken(memory, size.value)

    def ledger(self) -> list[Answer]:
        """All answers that were drawn for this person. Raises Error (UNSUPPORTED) unless the spec has "evolving"."""
        count = ctypes.c_size_t()
        with self._own() as client:
            native.call("ldp_client_ledger", client, None, 0, ctypes.byref(count))
            answers = (native.Answer * count.value)()
            native.call("ldp_client_ledger", client, answers, count, ctypes.byref(count))
        return [Answer(answer.epsilon, answer.round) for answer in answers]

    def spent(self, delta: float = 1e-6) -> Spent:
        """What they cost together, for certain, and but for a probability of delta. Raises Error as ledger() does."""
        spent = native.Spending()
        with self._own() as client:
            native.call("ldp_client_spent", client, delta, ctypes.byref(spent))
        return Spent(spent.answers, spent.most, spent.epsilon, spent.sum, spent.advanced)

    def flush(self, transport: BatchTransport, most: int = 10000) -> Flushed:
        """Sends what is queued, the oldest first, in batches of at most `most` reports.

        Safe to repeat, after any failure and from a new process: nothing queued is lost, and nothing counted twice. What the
        transport raises passes through, but Undelivered. Raises Error (ENVIRONMENT) if the server refuses all, and Error
        (INCOMPATIBLE) if the server counted what the store does not know.
        """
        if most < 0:
            most = 0  # which the library refuses
        flush, flushed = ctypes.c_void_p(), native.Flushed()
        with self._own() as client:
            if self._sending:
                raise Error(Code.ENVIRONMENT, "the client is sending already", "", "A transport does not flush.")
            native.call("ldp_flush_start", client, most, ctypes.byref(flush))
            self._sending = True
            try:
                while (batch := _next(flush)) is not None:
                    try:
                        outcome, reason = (Outcome.DELIVERED if transport(batch) else Outcome.REPEATED), None
                    except Undelivered as why:
                        outcome, reason = why.outcome, _reason(why.reason)
                    finally:
                        batch._handle = None
                    native.call("ldp_flush_settle", flush, outcome, reason)
                native.call("ldp_flush_done", flush, ctypes.byref(flushed))
            finally:
                self._sending = False
                native.library.ldp_flush_free(flush)
        return Flushed(flushed.batches, flushed.reports, flushed.repeated, flushed.refused)

    def refused(self) -> list[str]:
        """Why reports were set aside that the server refuses: a reason for each."""
        count, reason, reasons = ctypes.c_size_t(), ctypes.c_void_p(), []
        with self._own() as client:
            native.call("ldp_client_refused", client, ctypes.byref(count))
            for i in range(count.value):
                native.call("ldp_client_refusal", client, i, ctypes.byref(reason))
                reasons.append(native.text(native.taken(reason)))
        return reasons

    def requeue_refused(self) -> int:
        """Queues them anew, but those that are damaged: returns how many."""
        return self._count("ldp_client_requeue_refused")

    def drop_refused(self) -> int:
        """Forgets them: returns how many."""
        return self._count("ldp_client_drop_refused")

    def _count(self, function: str) -> int:
        count = ctypes.c_uint64()
        with self._own() as client:
            native.call(function, client, ctypes.byref(count))
        return count.value


def _free(handle: ctypes.c_void_p, process: int) -> None:
    # A forked child would let go of locks that its parent relies on.
    if os.getpid() == process:
        native.library.ldp_client_free(handle)


def _round(round: int) -> int:
    if not -(2**31) <= round < 2**31:
        raise Error(Code.INVALID_VALUE, f"there is no round {round}", "A round has 32 bits.")
    return round


def _reason(reason: str) -> bytes:
    return reason.replace("\0", " ")[:1000].encode("utf-8", "replace")


def _next(flush: ctypes.c_void_p) -> Batch | None:
    batch, size, library = ctypes.c_void_p(), ctypes.c_size_t(), native.library
    native.call("ldp_flush_next", flush, ctypes.byref(batch))
    if not batch:
        return None
    reports = []
    for i in range(library.ldp_batch_reports(batch)):
        at = library.ldp_batch_report(batch, i, ctypes.byref(size))
        reports.append(ctypes.string_at(at, size.value))
    return Batch(native.text(library.ldp_batch_id(batch)), native.text(library.ldp_batch_fingerprint(batch)),
                 library.ldp_batch_round(batch), reports, batch)
