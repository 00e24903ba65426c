"""The client of one person or device, or of a file of records: randomizes records, and queues and sends reports."""
# Length: clients, fleets and ledgers use the same handles and locks.

from __future__ import annotations

import ctypes
import enum
import hashlib
import json
import os
import threading
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Callable, Iterator, Sequence

from . import native
from .collection import Collection
from .columns import Columns, of_columns, of_columns_by_record, with_token
from .contract import changes_of, contract_of
from .errors import Changed, Code, Error
from .records import Record, Records, of_record, of_records


class Origin(enum.IntEnum):
    """The origin of the response in a report."""

    DRAWN = 0     # The response was drawn for this record, at a cost.
    MEMOIZED = 1  # It is the memoized response of the same value, at no cost.
    NEAREST = 2   # It is the memoized response of the nearest value, because the budget is spent.
    SILENT = 3    # No report: no response of the series was due in this round, or the person has stopped reporting.
    IGNORED = 4   # No response: the round has a record already (once_per_round).


@dataclass(frozen=True)
class Receipt:
    """The result of reporting a record."""

    origin: Origin
    clamped: int       # number of values clamped to their range or replaced by "other"
    coefficients: int  # number of clamped Haar coefficients, or of clamped components of a vector (ball, gaussian)


@dataclass(frozen=True)
class PermanentResponse:
    """A memoized permanent response of this person."""

    epsilon: float  # the cost of the draw
    round: int      # round of its first report


@dataclass(frozen=True)
class Spent:
    """The total cost of the permanent responses. `sum` and `advanced` are both valid bounds."""

    responses: int      # number of permanent responses
    max_responses: int  # maximum number within the budget
    epsilon: float   # cost of one response
    sum: float       # pure epsilon of all responses (basic composition)
    advanced: float  # epsilon at delta (advanced composition; Dwork, Roth 2014, doi:10.1561/0400000042)

    @property
    def least(self) -> float:
        """Returns the smaller of the two bounds."""
        return min(self.sum, self.advanced)


@dataclass(frozen=True)
class Flushed:
    """The result of a flush."""

    batches: int   # batches that the server has counted
    reports: int   # reports in these batches
    repeated: int  # batches among these that an earlier attempt had delivered
    refused: int   # reports moved to the dead letters


@dataclass
class Batch:
    """Reports of one spec and one round that are sent together under an id, which is never used for other reports.

    All reports have the same public columns. A transport sends them with the reports.
    """

    id: str           # a UUID
    fingerprint: str  # the spec's fingerprint, 64 hexadecimal digits
    round: int
    reports: list[bytes]
    columns: dict[str, str] = field(default_factory=dict)
    _handle: ctypes.c_void_p | None = field(default=None, repr=False, compare=False)

    def frame(self) -> bytes:
        """Returns the reports as a batch in the short form, without public columns.

        May be called only within a transport. Raises Error (MALFORMED) if a report is damaged, Error (FULL) if the reports
        are too many for a frame.
        """
        return native.made_bytes("ldp_batch_frame", self._own())

    def body(self) -> tuple[bytes, str]:
        """Returns the body of a POST to an endpoint (doc/protocol.md), with public columns, and its media type.

        May be called only within a transport. Raises Error as frame() does.
        """
        memory, size, kind = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
        native.call("ldp_batch_body", self._own(), ctypes.byref(memory), ctypes.byref(size), ctypes.byref(kind))
        return native.taken(memory, size.value), native.text(kind.value or b"")

    def digest(self) -> bytes:
        """Returns the SHA-256 digest of round, reports and public columns, which is an argument of ldp_claim_batch."""
        content = f"{self.round}:" + ",".join(report.hex() for report in self.reports)
        digest = hashlib.sha256(content.encode())
        for i, (name, value) in enumerate(sorted((name.encode(), value.encode()) for name, value in self.columns.items())):
            digest.update(b"%s%d:%s%d:%s" % (b"" if i else b"\n", len(name), name, len(value), value))
        return digest.digest()

    def _own(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise Error(Code.ENVIRONMENT, "a batch can be framed only within a transport")
        return self._handle


class Outcome(enum.IntEnum):
    """The outcome of a batch's delivery. The last three are certain: the batch was not counted."""

    DELIVERED = 0  # counted by this attempt
    REPEATED = 1   # counted by an earlier attempt
    LATER = 2      # Unknown: the client sends the same batch again.
    REFUSED = 3    # The server permanently refuses a report of the batch.
    TOO_LARGE = 4  # The batch is too large; smaller batches may be counted.
    OUTDATED = 5   # The id was counted with other reports: another copy of the store may be in use.


class Undelivered(Exception):
    """Raised by a transport if a batch was certainly not counted and never will be.

    `outcome` is REFUSED, TOO_LARGE or OUTDATED.
    """

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


#: Delivers a batch and returns when the server has counted it: True if this call caused the count, False if the batch was
#: counted before. Raises Undelivered if the batch was certainly not counted. After any other exception, the client sends
#: the same batch again.
#:
#: A transport may have two attributes: `destination`, the address of the server and the name of the collection, and `history`,
#: the id of the server's history at the last delivery. Client.flush compares both with those of earlier deliveries.
BatchTransport = Callable[[Batch], bool]

_HISTORY_SIZE = 17  # LDP_HISTORY_SIZE

@dataclass(frozen=True)
class Account:
    """The account of one person for one collection of a group."""

    group: str        # name of the group
    epsilon: float    # the budget of a person in all collections of the group
    person: str       # name of the person in a fleet; empty for a client
    fingerprint: str  # of the collection's spec
    title: str        # title of the collection, or its mechanism
    spent: float      # epsilon of the responses that were drawn
    at_most: float    # epsilon that is reserved for the collection


class Ledger:
    """The ledger of a group: one budget of each person over several collections.

    The specs of the collections have the same `"budget": {"group": …, "epsilon": …}`, and their clients must share one
    ledger. `path` names an SQLite file, which is created if it does not exist; several programs may use it at the same time.
    Without a path, the ledger is in memory, and resumes from `state`, a result of `state()`, if it is given. Raises Error
    (ENVIRONMENT) if the file or the state is damaged.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, state: bytes = b"") -> None:
        handle = ctypes.c_void_p()
        if path is None:
            native.call("ldp_ledger_in_memory", state, len(state), ctypes.byref(handle))
        elif state:
            raise Error(Code.INVALID_VALUE, "a ledger takes a path or a state, not both")
        else:
            native.call("ldp_ledger_in_file", _path(path), ctypes.byref(handle))
        self._handle = handle
        self._lock = threading.RLock()  # of the clients that share a ledger in memory, too
        self._close = weakref.finalize(self, _free, "ldp_ledger_free", handle, os.getpid())

    def state(self) -> bytes:
        """Returns the complete state of a ledger in memory, for Ledger(state=…).

        Persist it after each report, before the state of the client. Raises Error (UNSUPPORTED) if the ledger has a file.
        """
        with self._lock:
            return native.made_bytes("ldp_ledger_state", self._handle)

    def limit(self, epsilon: float, group: str | None = None) -> None:
        """Sets the budget of a person for a group, or without a group for all collections that use the ledger.

        Reports of specs with another epsilon for the group then raise Error (INCOMPATIBLE). With a limit of all collections,
        collections without a group also have an account, in clients that receive the ledger later. Raises Error
        (INVALID_VALUE) unless epsilon is positive and finite, and Error (INCOMPATIBLE) if accounts have another epsilon.
        """
        name = None if group is None else group.encode("utf-8", "surrogatepass")
        with self._lock:
            native.call("ldp_ledger_limit", self._handle, name, epsilon)

    def accounts(self) -> list[Account]:
        """Returns the account of each person for each collection. Raises Error (ENVIRONMENT) if the file fails."""
        with self._lock:
            return [Account(**account) for account in native.made_json("ldp_ledger_accounts", self._handle)]


class _Sender:
    """An open store: its handle, its lock and its queue."""

    _free_function = ""   # frees the handle
    _flush_function = ""  # begins a flush
    _ledger_function = ""  # sets the ledger
    _contract_function = ""  # returns the contract
    _accept_function = ""  # accepts a contract

    def __init__(self, collection: Collection, handle: ctypes.c_void_p, ledger: Ledger | None) -> None:
        self.collection = collection
        self._handle = handle
        self._process = os.getpid()
        # Clients that share a ledger run one at a time.
        self._lock = ledger._lock if ledger is not None else threading.RLock()
        if ledger is not None:
            native.call(self._ledger_function, handle, ledger._handle)
        self._sending = False
        self._close = weakref.finalize(self, _free, self._free_function, handle, self._process)

    def close(self) -> None:
        """Closes the file. Queued reports stay in it."""
        with self._lock:
            if self._sending:
                raise Error(Code.ENVIRONMENT, "the client is being flushed", "", "Close it after flush() has returned.")
            self._close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def _own(self) -> Iterator[ctypes.c_void_p]:
        """Yields the handle, locked for this thread."""
        with self._lock:
            if os.getpid() != self._process:
                raise Error(Code.ENVIRONMENT, "the client was made in another process", "",
                            "Make a client in each process, with a file of its own, after the fork.")
            if not self._close.alive:
                raise Error(Code.ENVIRONMENT, "the client is closed")
            try:
                yield self._handle
            except Changed as error:
                error.changes = changes_of(contract_of(self._contract_function, self._handle))
                raise

    @property
    def contract(self) -> dict[str, Any]:
        """The accepted contract, in the form of Collection.contract, with two further keys.

        "changes" contains the differences from the offered contract when the store was opened. "waiting" contains the digest to
        pass to accept(), or None."""
        with self._own() as handle:
            return contract_of(self._contract_function, handle)

    def accept(self, digest: str) -> None:
        """Accepts the offered contract, whose digest is contract["waiting"]. Until then, reports and flushes raise Changed.

        Accept a new wording of the same question only: memoized responses to two different questions can reveal both answers.
        Raises Error (INVALID_VALUE) for another digest.
        """
        with self._own() as handle:
            native.call(self._accept_function, handle, str(digest).encode("utf-8", "surrogatepass"))

    def flush(self, transport: BatchTransport, most: int = 10000) -> Flushed:
        """Sends the queued reports, the oldest first, in batches of at most `most` reports, and returns the result.

        The call may be repeated after any failure and from a new process: no queued report is lost, and none is counted
        twice. Exceptions of the transport pass through, except Undelivered. Raises Error (ENVIRONMENT) if the server refuses
        all reports, and Error (INCOMPATIBLE) if the server reports that another copy of the store is in use.

        Raises Changed before anything is sent if the transport has another destination than the first delivered batch; then
        `contract` has the change, and accept() permits the next flush. If the server was set back since the last delivery, all
        reports are sent, and then Error (ENVIRONMENT) is raised once.
        """
        if most < 0:
            most = 0  # which the library refuses
        flush, flushed = ctypes.c_void_p(), native.Flushed()
        history = ctypes.create_string_buffer(_HISTORY_SIZE)
        endpoint, name = getattr(transport, "destination", ("", ""))
        to = native.Destination(ctypes.sizeof(native.Destination), endpoint.encode("utf-8", "surrogatepass") or None,
                                name.encode("utf-8", "surrogatepass") or None,
                                ctypes.cast(history, ctypes.c_void_p))
        with self._own() as client:
            if self._sending:
                raise Error(Code.ENVIRONMENT, "the client is already being flushed", "", "Do not call flush() within a transport.")
            native.call(self._flush_function, client, ctypes.byref(to), most, ctypes.byref(flush))
            self._sending = True
            try:
                while (batch := _next(flush)) is not None:
                    try:
                        outcome, reason = (Outcome.DELIVERED if transport(batch) else Outcome.REPEATED), None
                    except Undelivered as why:
                        outcome, reason = why.outcome, _reason(why.reason)
                    finally:
                        batch._handle = None
                    history.value = getattr(transport, "history", "").encode()[:_HISTORY_SIZE - 1]
                    native.call("ldp_flush_settle", flush, outcome, reason)
                native.call("ldp_flush_done", flush, ctypes.byref(flushed))
            finally:
                self._sending = False
                native.library.ldp_flush_free(flush)
        return Flushed(flushed.batches, flushed.reports, flushed.repeated, flushed.refused)

class Client(_Sender):
    """Randomizes records into reports, and queues the reports until the server has counted them.

    The order is fixed: draw a report, write it durably, then send it. `path` names an SQLite file. The file is created if
    it does not exist, and locked until the client is closed. Without a path, the client keeps its state in memory, and
    resumes from `state`, a result of `state()`, if it is given. Under a spec with "evolving", and under a mechanism for
    series, a client belongs to one person.

    With `once_per_round`, the client accepts one record per round. `report` ignores every further record of a round: nothing is
    drawn, queued or spent, and the origin is IGNORED. The store records the rounds, so the rule also applies after a restart.
    Use this setting if one person reports and may press a button twice.

    A spec whose budget belongs to a group needs the `ledger` of the group. If the group's budget does not pay for a report,
    `report` raises Error (SPENT), or under "when_spent": "stop" queues nothing, with the origin SILENT.

    Threads may share a client; their calls run one at a time. A forked process must not use it. Raises Error (INCOMPATIBLE)
    for the store of another spec, and Error (ENVIRONMENT) if the file is in use or damaged, or is not a state file.
    """

    _free_function = "ldp_client_free"
    _flush_function = "ldp_flush_start"
    _ledger_function = "ldp_client_use_ledger"
    _contract_function = "ldp_client_contract"
    _accept_function = "ldp_client_accept"

    def __init__(self, collection: Collection, path: str | os.PathLike[str] | None = None, *,
                 state: bytes = b"", once_per_round: bool = False, ledger: Ledger | None = None) -> None:
        handle = ctypes.c_void_p()
        if path is None:
            native.call("ldp_client_in_memory", collection._handle, state, len(state), ctypes.byref(handle))
        elif state:
            raise Error(Code.INVALID_VALUE, "a client takes a path or a state, not both")
        else:
            native.call("ldp_client_in_file", collection._handle, _path(path), ctypes.byref(handle))
        super().__init__(collection, handle, ledger)
        native.call("ldp_client_once_per_round", handle, once_per_round)

    def __enter__(self) -> Client:
        return self

    def report(self, record: Record, round: int = 0, *, columns: Columns | None = None, token: str | None = None) -> Receipt:
        """Randomizes a record, queues the report as durably as the store supports, and returns a receipt.

        `round` identifies repeated surveys of the same people. In a series it is the round of the value, counted from 1, in
        ascending order. `columns` has values of public columns by name: they are sent and stored with the report, unchanged.
        `token` admits the report to a collection with tokens, as the public column TOKEN_COLUMN. It is queued with the report.
        Raises Error (INVALID_VALUE, ENVIRONMENT), and Error (UNSUPPORTED) for a token of a series; then nothing was queued and
        nothing was spent.
        """
        collection = self.collection
        values = of_record(record, collection._names, collection._labelled, collection._vectors)
        side = of_columns(with_token(columns, token))
        receipt = native.Receipt()
        with self._own() as client:
            native.call("ldp_client_report_columns", client, values.address, values.count, side.array, side.count,
                        _round(round), ctypes.byref(receipt))
        return Receipt(Origin(receipt.origin), receipt.clamped, receipt.coefficients)

    def report_many(self, records: Records, round: int = 0, *, columns: Columns | None = None) -> int:
        """Randomizes many people's records, queues the reports with one durable write, and returns their number.

        `records` is an iterable of records, or has them in columns: a data frame, or a dict of arrays. `columns` has values
        of public columns by name: one for all records, or a sequence with one for each. Raises Error, whose `record` is the
        index of the failed record; then nothing was queued. Raises Error (UNSUPPORTED) under a mechanism for series, and with
        `once_per_round`.
        """
        collection = self.collection
        names = collection._names
        values = of_records(records, names, collection._labelled, collection._vectors)
        number, total, staged = _round(round), values.count // len(names), 0
        size = ctypes.sizeof(native.Value) * len(names)
        with self._own() as client:
            try:
                # At least one call, which checks the number of values.
                for count, side in of_columns_by_record(columns, total) or [(0, of_columns(None))]:
                    done = ctypes.c_size_t()
                    native.call("ldp_client_stage_columns", client, values.address + staged * size, count * len(names),
                                side.array, side.count, ctypes.byref(done), record=_After(staged, done))
                    staged += done.value
                native.call("ldp_client_commit", client, number)
            except BaseException:
                native.call("ldp_client_discard", client)
                raise
        return staged

    @property
    def pending(self) -> int:
        """The number of reports that are queued and not known to be counted."""
        with self._own() as client:
            return int(native.library.ldp_client_pending(client))

    def clamped(self) -> dict[str, int]:
        """Returns the number of clamped values by attribute since the client was made.

        A value is clamped to its declared range or replaced by "other".
        """
        names = self.collection._all_names
        with self._own() as client:
            return {name: native.library.ldp_client_clamped(client, i) for i, name in enumerate(names)}

    def state(self) -> bytes:
        """Returns the complete state of a client in memory, for Client(collection, state=…).

        Persist it in one durable step after each change and before anything is sent. The state is as secret as the values.
        Only one client may resume from it. Raises Error (UNSUPPORTED) if the client has a file.
        """
        with self._own() as client:
            return native.made_bytes("ldp_client_state", client)

    def ledger(self) -> list[PermanentResponse]:
        """Returns the person's permanent responses. Raises Error (UNSUPPORTED) unless the spec has "evolving"."""
        count = ctypes.c_size_t()
        with self._own() as client:
            native.call("ldp_client_ledger", client, None, 0, ctypes.byref(count))
            responses = (native.Response * count.value)()
            native.call("ldp_client_ledger", client, responses, count, ctypes.byref(count))
        return [PermanentResponse(response.epsilon, response.round) for response in responses]

    def spent(self, delta: float = 1e-6) -> Spent:
        """Returns the total cost of the ledger: the pure epsilon, and an epsilon at `delta`. Raises Error as ledger() does."""
        spent = native.Spending()
        with self._own() as client:
            native.call("ldp_client_spent", client, delta, ctypes.byref(spent))
        return Spent(spent.responses, spent.max_responses, spent.epsilon, spent.sum, spent.advanced)

    def refused(self) -> list[str]:
        """Returns the server's reason for each dead letter, a report that the server rejected permanently."""
        count, reason, reasons = ctypes.c_size_t(), ctypes.c_void_p(), []
        with self._own() as client:
            native.call("ldp_client_refused", client, ctypes.byref(count))
            for i in range(count.value):
                native.call("ldp_client_refusal", client, i, ctypes.byref(reason))
                reasons.append(native.text(native.taken(reason)))
        return reasons

    def requeue_refused(self) -> int:
        """Queues the dead letters again, except damaged ones, and returns the number of queued reports."""
        return self._count("ldp_client_requeue_refused")

    def drop_refused(self) -> int:
        """Deletes the dead letters, and returns their number."""
        return self._count("ldp_client_drop_refused")

    def _count(self, function: str) -> int:
        count = ctypes.c_uint64()
        with self._own() as client:
            native.call(function, client, ctypes.byref(count))
        return count.value


class Fleet(_Sender):
    """The clients of many people in one SQLite file, for a program that acts for their devices.

    It is for specs with "evolving" and for series, such as an import of a panel. The file contains the state of each person, by
    name, and one queue. It is created if it does not exist, and locked until the fleet is closed. Threads may share a fleet;
    their calls run one at a time. With `once_per_round`, further records of a person in a round are ignored. With a
    `ledger`, each person has the budget of the group. Raises Error as Client does.
    """

    _free_function = "ldp_fleet_free"
    _flush_function = "ldp_fleet_flush_start"
    _ledger_function = "ldp_fleet_use_ledger"
    _contract_function = "ldp_fleet_contract"
    _accept_function = "ldp_fleet_accept"

    def __init__(self, collection: Collection, path: str | os.PathLike[str], *, once_per_round: bool = False,
                 ledger: Ledger | None = None) -> None:
        handle = ctypes.c_void_p()
        native.call("ldp_fleet_in_file", collection._handle, _path(path), ctypes.byref(handle))
        super().__init__(collection, handle, ledger)
        native.call("ldp_fleet_once_per_round", handle, once_per_round)

    def __enter__(self) -> Fleet:
        return self

    def report(self, person: str, record: Record, round: int = 0, *, columns: Columns | None = None,
               token: str | None = None) -> None:
        """Randomizes a person's record and queues the report. The arguments are the same as in Client.report."""
        self.report_many([record], [person], round, columns=with_token(columns, token))

    def report_many(self, records: Records, people: Sequence[str], rounds: int | Sequence[int] = 0, *,
                    columns: Columns | None = None) -> int:
        """Randomizes the records of many people and rounds, queues the reports with one durable write, and returns the
        number of records.

        `people` has the name of the person of each record, and `rounds` its round, or one round for all. In a series, the
        records of a person must be in ascending order of rounds. `records` and `columns` are the same as in Client.report_many.
        Raises Error, whose `record` is the index of the failed record; then nothing was queued.
        """
        names = self.collection._names
        values = of_records(records, names, self.collection._labelled, self.collection._vectors)
        total = values.count // len(names)
        each = [rounds] * total if isinstance(rounds, int) else [int(round) for round in rounds]
        if len(people) != total or len(each) != total:
            raise Error(Code.INVALID_VALUE, "the records, people and rounds differ in number",
                        f"Found {total} records, {len(people)} people and {len(each)} rounds.")
        entries, at, done = (native.Entry * total)(), 0, ctypes.c_size_t()
        encoded = [_name(person) for person in people]
        sides = of_columns_by_record(columns, total)
        for count, side in sides:
            for i in range(at, at + count):
                entries[i] = native.Entry(encoded[i], _round(each[i]), side.array, side.count)
            at += count
        with self._own() as fleet:
            native.call("ldp_fleet_report", fleet, entries, total, values.address, values.count, ctypes.byref(done),
                        record=done)
        return total

    @property
    def pending(self) -> int:
        """The number of reports of all people that are queued and not known to be counted."""
        with self._own() as fleet:
            return int(native.library.ldp_fleet_pending(fleet))

    @property
    def people(self) -> int:
        """The number of people with a state in the file."""
        with self._own() as fleet:
            return int(native.library.ldp_fleet_people(fleet))


def _free(function: str, handle: ctypes.c_void_p, process: int) -> None:
    # A forked child would release locks of its parent.
    if os.getpid() == process:
        getattr(native.library, function)(handle)


class _After:
    """The number of records that were finished: `first`, and those that a call counts in `done`."""

    def __init__(self, first: int, done: ctypes.c_size_t) -> None:
        self._first, self._done = first, done

    @property
    def value(self) -> int:
        return self._first + self._done.value


def _path(path: str | os.PathLike[str]) -> bytes:
    name = os.fspath(path)
    if "\0" in name:
        raise Error(Code.INVALID_VALUE, "the path contains a null character", repr(name))
    return os.fsencode(name)


def _name(person: str) -> bytes:
    if not isinstance(person, str) or "\0" in person:
        raise Error(Code.INVALID_VALUE, f"{person!r} is not a name of a person", "A name is text without null characters.")
    return person.encode("utf-8", "surrogatepass")


def _round(round: int) -> int:
    if not -(2**31) <= round < 2**31:
        raise Error(Code.INVALID_VALUE, f"round {round} is out of range", "A round is a signed 32-bit number.")
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
                 library.ldp_batch_round(batch), reports, json.loads(library.ldp_batch_columns(batch)), batch)
