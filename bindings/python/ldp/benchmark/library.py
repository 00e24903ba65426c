"""The mechanisms of the library as entries."""

from __future__ import annotations

import ctypes
import json
import math
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from typing import Any, Callable, Mapping, Sequence

from .. import native
from ..client import Batch, Client, Fleet
from ..collection import Collection
from ..planning import plan, simulate, simulated_summary
from ..records import Values as NativeValues
from ..records import of_records
from ..summary import Summary, summarize
from .entries import Collected, Entry, EntryError, Kept
from .workloads import Changing, Distribution, Ordered, Pairs, Ranges, Row, Shares, Strings, Values, Vectors, Workload

#: The range of epsilon of a spec.
LEAST_EPSILON, MOST_EPSILON = 0.001, 20.0
#: The methods of the library that make shares consistent.
CONSISTENCY = ("base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx", "power", "ibu", "ibu_early", "empirical_bayes")
#: How many reports a batch has of which the size of a report is measured.
_BATCH = 1000


class LibraryEntry(Entry):
    """A mechanism of the library: its client randomizes, and its summary estimates. `name` is the mechanism's. `target` is whom the
    estimates are about: the people who reported ("sample"), or a larger population. `methods` are those of the library that make
    shares consistent; each is a variant."""

    source = "library"

    def __init__(self, name: str, spec: Mapping[str, Any], workload: Workload, target: str = "sample",
                 methods: Sequence[str] = ()) -> None:
        self.name = name
        self.workload = workload
        self.epsilon = float(spec["epsilon"])
        self._target = target
        self._methods = methods
        self._collection = Collection(_resolved(spec, workload.people))
        self._encoded: tuple[Values, NativeValues] = (), of_records([], [], [], {})
        self._report_bytes = self._seconds = 0.0

    def collect(self, values: Values, seed: int) -> Collected:
        """Collects once. Without the function ldp_simulate_summary in the library, the seed has no effect: randomness then comes
        from the operating system, as on devices."""
        if self._encoded[0] is not values:
            self._encode(values)
        cells, answers, variants = _estimates(self.workload, self._summary(seed), self._target, self._methods)
        return Collected(cells, answers, self._report_bytes, self._seconds, variants)

    def _summary(self, seed: int) -> Summary:
        if native.has("ldp_simulate_summary"):
            return simulated_summary(self._collection, self._encoded[1], seed)
        return summarize(self._collection, bytes(self._reports()))

    def _encode(self, values: Values) -> None:
        """Encodes values once for all collections, and measures the size and the time of their reports."""
        records = _records(self.workload, values)
        self._encoded = values, self._collection._values(records)
        self._report_bytes = self._batch_bytes(records[:_BATCH])
        started = time.perf_counter()
        self._reports()
        self._seconds = time.perf_counter() - started

    def predicted(self, values: Values, seed: int) -> float | None:
        """Returns the root mean square of the predicted standard errors of the scored queries, in closed form, or None if the
        library predicts other queries than the workload scores."""
        asked = {"shares": "shares of ", "mean": "mean", "vectors": "mean", "pairs": "with "}.get(self.workload.name)
        if asked is None:
            return None
        rows = _plain(simulate(self._collection, _records(self.workload, values), runs=1, seed=seed))
        squares = [row["predicted"] ** 2 for row in rows if row["asked"].startswith(asked)]
        return math.sqrt(sum(squares) / len(squares)) if squares else None

    def kept(self) -> Kept:
        """Returns the epsilon of the spec. It is proved by `ldp audit`, if LDP or the path has the program."""
        program = os.environ.get("LDP") or shutil.which("ldp")
        if not program:
            return Kept(float(self._collection.spec["epsilon"]), "stated", "the program ldp was not found, so ldp audit did not run")
        run = subprocess.run([program, "audit", "--json", self._collection.json], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False)
        try:
            found = json.loads(run.stdout)
            return Kept(float(found["permanent_worst"]), "proof", str(found["method"]))
        except (ValueError, KeyError, TypeError) as error:
            raise EntryError(f"{program} audit failed for {self.name}: {run.stderr.strip()[:300]}") from error

    def _reports(self) -> ctypes.Array[ctypes.c_char]:
        collection, encoded = self._collection, self._encoded[1]
        size = encoded.count // len(collection.names) * collection.report_size
        reports, done = (ctypes.c_char * size)(), ctypes.c_size_t()
        native.call("ldp_collection_perturb", collection._handle, encoded.address, encoded.count, reports, size,
                    ctypes.byref(done), record=done)
        return reports

    def _batch_bytes(self, records: list[Sequence[Any]]) -> float:
        """The bytes of a report within a batch, which states the parameters of the spec once."""
        sizes: list[int] = []

        def transport(batch: Batch) -> bool:
            sizes.append(len(batch.frame()))
            return True
        with Client(self._collection) as client:
            client.report_many(records)
            client.flush(transport)
        return sum(sizes) / len(records)


class SeriesEntry(LibraryEntry):
    """A mechanism of series. A report consists of all reports of a person."""

    def _encode(self, values: Values) -> None:
        self._encoded = values, self._collection._values(_records(self.workload, values))
        self._report_bytes = self._fleet_bytes(values[:_BATCH])
        started = time.perf_counter()
        self._summary(0)
        self._seconds = time.perf_counter() - started

    def _fleet_bytes(self, values: Values) -> float:
        """The bytes of the reports of a person in all rounds, within batches of many people."""
        sizes: list[int] = []

        def transport(batch: Batch) -> bool:
            sizes.append(len(batch.frame()))
            return True
        people = [str(i) for i in range(len(values))]
        with tempfile.TemporaryDirectory() as folder, Fleet(self._collection, os.path.join(folder, "fleet")) as fleet:
            for number, of_round in enumerate(zip(*values), 1):
                fleet.report_many([[value] for value in of_round], people, number)
            fleet.flush(transport)
        return sum(sizes) / len(values)


class RoundsEntry(LibraryEntry):
    """The mechanism for shares that the library chooses, in all rounds of series. Each person reports in one round, or in each round
    with an equal part of epsilon."""

    def __init__(self, once: bool, workload: Changing, epsilon: float) -> None:
        self.workload = workload
        self.epsilon = epsilon
        self._once = once
        self._values: tuple[Values, list[Values]] = (), []
        spec = {"mechanism": "auto", "epsilon": epsilon if once else epsilon / workload.ROUNDS, "domain": workload.size}
        shares = [Shares(workload.size, len(part)) for part in self._parts(range(workload.people))]
        self._rounds = [LibraryEntry("", spec, of_round, "population" if once else "sample") for of_round in shares]
        self._collection = self._rounds[0]._collection
        self.name = f"{self._collection.spec['mechanism']}, {'one round' if once else 'each round'}"

    def collect(self, values: Values, seed: int) -> Collected:
        found = [entry.collect(of_round, seed * len(self._rounds) + number)
                 for number, (entry, of_round) in enumerate(zip(self._rounds, self._of_rounds(values)))]
        sizes = (one.report_bytes * entry.workload.people for one, entry in zip(found, self._rounds))
        return Collected([row for one in found for row in one.cells or []], None, sum(sizes) / len(values),
                         sum(one.seconds for one in found))

    def predicted(self, values: Values, seed: int) -> float | None:
        squares = []
        for entry, of_round in zip(self._rounds, self._of_rounds(values)):
            noise = entry.predicted(of_round, seed) or 0.0
            shares = entry.workload.cell_truth(of_round)
            left_out = 1 - len(of_round) / len(values)
            squares.append(noise * noise + left_out * sum(share * (1 - share) for share in shares) / len(shares) / len(of_round))
        return math.sqrt(sum(squares) / len(squares))

    def kept(self) -> Kept:
        """Returns the sum of epsilon over the rounds in which a person reports."""
        one = super().kept()
        return one if self._once else Kept(len(self._rounds) * one.epsilon, one.method, one.detail)

    def _parts(self, people: Sequence[Any]) -> list[Sequence[Any]]:
        """The people who report in each round."""
        rounds = Changing.ROUNDS
        return [people[number::rounds] if self._once else people for number in range(rounds)]

    def _of_rounds(self, values: Values) -> list[Values]:
        """The values of those who report in each round."""
        if self._values[0] is not values:
            self._values = values, [[series[number] for series in part] for number, part in enumerate(self._parts(values))]
        return self._values[1]


def entries(workload: Workload, epsilon: float, methods: Sequence[str] = ()) -> list[LibraryEntry]:
    """Returns the mechanisms of the library that suit a workload. `methods` of CONSISTENCY are variants of shares."""
    if isinstance(workload, Changing):
        return _series_entries(workload, epsilon)
    return [LibraryEntry(name, {"epsilon": epsilon, **spec}, workload, methods=methods)
            for name, spec in _SPECS[workload.name](workload).items()]


def _series_entries(workload: Changing, epsilon: float) -> list[LibraryEntry]:
    spec = {"mechanism": "ddrm", "epsilon": epsilon, "domain": workload.size, "rounds": workload.ROUNDS, "changes": workload.CHANGES}
    ways = (once for once in (True, False) if once or epsilon / workload.ROUNDS >= LEAST_EPSILON)
    return [SeriesEntry("ddrm", spec, workload), *(RoundsEntry(once, workload, epsilon) for once in ways)]


def _share_specs(workload: Workload) -> dict[str, dict[str, Any]]:
    return {name: {"mechanism": name, "domain": workload.size}
            for name in ("grr", "subset", "projective", "hadamard", "olh", "blh", "oue", "sue")}


def _mean_specs(workload: Workload) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {
        name: {"mechanism": name, "min": -1, "max": 1} for name in ("optimal", "duchi", "pdp", "hybrid", "piecewise", "laplace")}
    found["optimal, average"] = {**found["optimal"], "criterion": "average"}
    return found


def _ordered_specs(workload: Workload) -> dict[str, dict[str, Any]]:
    last = workload.size - 1
    found: dict[str, dict[str, Any]] = {name: {"mechanism": name, "domain": workload.size} for name in ("tree", "haar_ordered", "dithered")}
    found["square_wave"] = {"mechanism": "square_wave", "min": 0, "max": last, "grid": last}
    return found


def _pair_specs(workload: Workload) -> dict[str, dict[str, Any]]:
    attributes = [{"name": name, "domain": workload.size} for name in ("a", "b")]
    return {name: {"mechanism": name, "marginals": [["a", "b"]], "attributes": attributes} for name in ("joint", "joint_haar")}


def _vector_specs(workload: Workload) -> dict[str, dict[str, Any]]:
    vector = {"name": "x", "vector": workload.size, "min": -1, "max": 1}
    each = [{"name": f"x{i}", "min": -1, "max": 1, "mechanism": "optimal"} for i in range(workload.size)]
    return {"sampled": {"mechanism": "sampled", "per_report": 1, "attributes": each},
            "ball": {"mechanism": "ball", "norm": 1, "attributes": [vector]},
            "duchi_vector": {"mechanism": "duchi_vector", "attributes": [vector]},
            "haar": {"mechanism": "haar", "attributes": [vector]}}


def _string_specs(workload: Workload) -> dict[str, dict[str, Any]]:
    return {"strings": {"mechanism": "strings", "strings": {"alphabet": "a-z", "max_length": Strings.LENGTH}}}


_SPECS: dict[str, Callable[[Workload], dict[str, dict[str, Any]]]] = {
    "shares": _share_specs, "mean": _mean_specs, "distribution": _ordered_specs, "ranges": _ordered_specs, "pairs": _pair_specs,
    "vectors": _vector_specs, "strings": _string_specs}


def _plain(frame: Any) -> list[dict[str, Any]]:
    """Rows as dicts, also if pandas made a data frame of them."""
    rows: list[dict[str, Any]] = frame if isinstance(frame, list) else frame.to_dict("records")
    return rows


def _resolved(spec: Mapping[str, Any], people: int) -> Mapping[str, Any]:
    """The spec without open choices."""
    canonical: Mapping[str, Any] = _plain(plan(spec, people=people))[0]["canonical"]
    return canonical


def _records(workload: Workload, values: Values) -> list[Sequence[Any]]:
    """The records of the people, one after another. A series has a record for each round."""
    if isinstance(workload, Changing):
        return [[value] for series in values for value in series]
    return list(values) if isinstance(workload, (Pairs, Vectors)) else [[value] for value in values]


def _rows(summary: Summary, function: str, **arguments: Any) -> list[Row]:
    return [Row(row["estimate"], row.get("lower"), row.get("upper"), row.get("label")) for row in summary.rows(function, **arguments)]


def _estimates(workload: Workload, summary: Summary, target: str,
               methods: Sequence[str]) -> tuple[list[Row] | None, list[Row] | None, dict[str, list[Row]]]:
    """The cells, the scored queries if the library answers them itself, and other estimates of the cells."""
    if isinstance(workload, Strings):
        return _listed(workload, summary, target, workload.size), None, {"significant": _listed(workload, summary, target, None)}
    if isinstance(workload, Pairs):
        names = ["a", "b"]
        return (_rows(summary, "marginal", attributes=names, target=target), None,
                {"fit": _rows(summary, "fitted", attributes=names)})
    if isinstance(workload, Changing):
        return _rows(summary, "series", target=target), None, {}
    if not isinstance(workload, Ordered):
        consistent = {name: _rows(summary, "consistent", method=name) for name in methods if isinstance(workload, Shares)}
        return _rows(summary, "estimate", target=target), None, consistent
    if isinstance(workload, Distribution):
        scale = workload.size - 1
        answers = [Row(*(None if x is None else x / scale for x in (row.estimate, row.lower, row.upper)))  # type: ignore[arg-type]
                   for row in _rows(summary, "quantiles", probabilities=list(workload.PROBABILITIES), target=target)]
    else:
        assert isinstance(workload, Ranges)
        answers = [_rows(summary, "between", low=low, high=high, target=target)[0] for low, high in workload.ranges]
    cells = _rows(summary, "estimate", target=target)  # of a number: the mean only
    return cells if len(cells) == workload.cells else None, answers, {"fit": _rows(summary, "distribution")}


def _listed(workload: Strings, summary: Summary, target: str, limit: int | None) -> list[Row]:
    """The strings of a search with this limit, at most as many as the workload lists. Dots follow a label of the maximum length."""
    rows = _rows(summary, "frequent_strings", target=target, limit=limit)[:workload.size]
    return [replace(row, label=(row.label or "")[:workload.LENGTH]) for row in rows]
