"""Entries: mechanisms that the benchmark measures. Those of one's own are Python classes, or programs that speak JSON lines."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import shlex
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence

from .workloads import Row, Values, Workload


class EntryError(Exception):
    """An entry failed, or returned something else than the benchmark needs."""


@dataclass(frozen=True)
class Collected:
    """One collection of reports. `cells` are the estimates, in the order of Workload.cell_truth or with labels, or None if the entry
    estimates only the queries. `answers` are the scored queries, if the entry estimates them itself."""

    cells: list[Row] | None
    answers: list[Row] | None
    report_bytes: float  # mean size of a report
    seconds: float       # time to randomize all values
    variants: dict[str, list[Row]] = field(default_factory=dict)  # other estimates of the cells from the same reports, by name

    def scored(self, workload: Workload) -> list[Row]:
        """Returns the scored queries. Intervals of cells are kept if the queries are the cells."""
        if self.answers is not None:
            return self.answers
        return answered(self.cells or [], workload)


def answered(cells: list[Row], workload: Workload) -> list[Row]:
    """Returns the scored queries of estimated cells. Intervals are kept if the queries are the cells."""
    if workload.labelled:
        return cells
    estimates = [row.estimate for row in cells]
    answers = workload.answers(estimates)
    return cells if answers == estimates else [Row(answer) for answer in answers]


@dataclass(frozen=True)
class Kept:
    """The epsilon that an entry keeps, and how it is known: "proof", "channel", "attack" or "stated"."""

    epsilon: float
    method: str
    detail: str = ""


class Entry:
    """A mechanism under one workload and one claimed epsilon."""

    name: str
    workload: Workload
    epsilon: float
    source = "own"  # "library", "paper" or "own"

    def collect(self, values: Values, seed: int) -> Collected:
        """Randomizes the values and estimates from the reports. Equal seeds give equal results."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends what the entry started."""


class ReportingEntry(Entry):
    """An entry whose reports the benchmark sees, so that it can attack them."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def randomize(self, values: Values, seed: int) -> list[Any]:
        """Returns a report for each value, in the order of the values."""
        raise NotImplementedError

    def estimate(self, reports: Sequence[Any]) -> list[Row]:
        """Returns the estimates of Workload.cell_truth, or those of a labelled workload."""
        raise NotImplementedError

    def channel(self) -> dict[Any, dict[Any, float]] | None:
        """Returns the probability of each report by input, or None if the entry does not state it."""
        return None

    def collect(self, values: Values, seed: int) -> Collected:
        started = time.perf_counter()
        reports = self.randomize(values, seed)
        seconds = time.perf_counter() - started
        if len(reports) != len(values):
            raise EntryError(f"{self.name} returned {len(reports)} reports for {len(values)} values")
        rows = self.estimate(reports)
        fault = self.workload.fault(rows)
        if fault is not None:
            raise EntryError(f"{self.name} returned {fault}")
        return Collected(rows, None, sum(map(report_size, reports)) / len(reports), seconds)


def report_size(report: Any) -> int:
    """Returns the bytes of a report. Bytes and texts have their length, whole numbers their least number of bytes, and other
    numbers 8. The size of a list or tuple is the sum of its elements. Anything else has the size of its compact JSON."""
    if isinstance(report, (bytes, bytearray)):
        return len(report)
    if isinstance(report, str):
        return len(report.encode())
    if isinstance(report, int):
        return max(1, (report.bit_length() + 7) // 8)
    if isinstance(report, float):
        return 8
    if isinstance(report, (list, tuple)):
        return sum(map(report_size, report))
    if hasattr(report, "tolist"):  # an array or a scalar of numpy
        return int(getattr(report, "nbytes", 8))
    return len(json.dumps(report, separators=(",", ":"), default=str).encode())


def row_of(given: Any, name: str) -> Row:
    """Returns an estimate as a Row. It is a number, or a mapping with "estimate" and optionally "lower" and "upper", or "stderr",
    and "label".

    Raises EntryError if the estimate is no finite number.
    """
    lower = upper = label = None
    try:
        if isinstance(given, Mapping):
            estimate, label = float(given["estimate"]), given.get("label")
            if given.get("lower") is not None and given.get("upper") is not None:
                lower, upper = float(given["lower"]), float(given["upper"])
            elif given.get("stderr") is not None:
                margin = 1.959963984540054 * float(given["stderr"])
                lower, upper = estimate - margin, estimate + margin
        else:
            estimate = float(given)
    except (KeyError, TypeError, ValueError) as error:
        raise EntryError(f"{name} returned {given!r} as an estimate: {error!r}") from error
    if not math.isfinite(estimate):
        raise EntryError(f"{name} returned {estimate} as an estimate")
    return Row(estimate, lower, upper, None if label is None else str(label))


class PythonEntry(ReportingEntry):
    """A class with `epsilon`, `randomize(values)`, `estimate(reports)` and optionally `channel()`.

    It is constructed as Class(workload, epsilon), where epsilon is the one of the contest; its attribute `epsilon` is what it
    claims. Before each call of randomize, `random` and, if it is loaded, `numpy.random` are seeded.
    """

    def __init__(self, kind: Any, workload: Workload, epsilon: float, source: str = "own") -> None:
        super().__init__(workload)
        self.name = str(kind.__name__)
        self.source = source
        with self._failures("the constructor"):
            self._object = kind(workload, epsilon)
        self.name = str(getattr(self._object, "name", self.name))
        with self._failures("epsilon"):
            self.epsilon = float(self._object.epsilon)
        if not 0 < self.epsilon < math.inf:
            raise EntryError(f"{self.name} claims the epsilon {self.epsilon}, which is not positive and finite")

    def randomize(self, values: Values, seed: int) -> list[Any]:
        random.seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed % 2**32)
        with self._failures("randomize"):
            return list(self._object.randomize(values))

    def estimate(self, reports: Sequence[Any]) -> list[Row]:
        with self._failures("estimate"):
            estimates = list(self._object.estimate(list(reports)))
        return [row_of(one, self.name) for one in estimates]

    def channel(self) -> dict[Any, dict[Any, float]] | None:
        stated = getattr(self._object, "channel", None)
        if stated is None:
            return None
        with self._failures("channel"):
            return {one: {report: float(p) for report, p in row.items()} for one, row in stated().items()}

    @contextmanager
    def _failures(self, part: str) -> Iterator[None]:
        """Turns any exception of the class into an EntryError with the same traceback."""
        try:
            yield
        except Exception as error:
            raise EntryError(f"{self.name} failed in {part}: {error!r}") from error


def load_class(text: str) -> Any:
    """Returns the class of "FILE.py:Class". Raises EntryError."""
    path, _, name = text.rpartition(":")
    specification = importlib.util.spec_from_file_location(f"entry_{name}", path) if path else None
    if specification is None or specification.loader is None:
        raise EntryError(f"{text!r} is not FILE.py:Class")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    try:
        specification.loader.exec_module(module)
        return getattr(module, name)
    except Exception as error:  # whatever the file does
        raise EntryError(f"{text} cannot be loaded: {error!r}") from error


class CommandEntry(ReportingEntry):
    """A program that reads a JSON object from each line of its input, and answers with a JSON object on one line.

    A request has `verb`, `workload`, `size`, `people`, `epsilon` and, for "randomize", `seed` and `values`, for "estimate"
    `reports`. The responses are {"reports": [...]} and {"estimates": [...]}; {"error": "..."} ends the benchmark. The program
    runs through the shell until the end of its input. It claims the epsilon of the contest.
    """

    def __init__(self, command: str, workload: Workload, epsilon: float) -> None:
        super().__init__(workload)
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self.epsilon = epsilon
        self.name = " ".join(word.rpartition("/")[2] for word in shlex.split(command))[:40]

    def randomize(self, values: Values, seed: int) -> list[Any]:
        return self._asked("randomize", "reports", seed=seed, values=list(values))

    def estimate(self, reports: Sequence[Any]) -> list[Row]:
        return [row_of(one, self.name) for one in self._asked("estimate", "estimates", reports=list(reports))]

    def _asked(self, verb: str, wanted: str, **content: Any) -> list[Any]:
        if self._process is None:
            self._process = subprocess.Popen(self._command, shell=True, text=True, encoding="utf-8", stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE)
        request = {"verb": verb, "workload": self.workload.name, "size": self.workload.size, "people": self.workload.people,
                   "epsilon": self.epsilon, **content}
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # a program that has ended may have responded before
        line = self._process.stdout.readline()
        if not line:
            raise EntryError(f"{self.name} ended without a response to {verb!r}, with status {self._process.wait()}")
        try:
            response = json.loads(line)
            found = response[wanted]
        except (ValueError, KeyError, TypeError) as error:
            raise EntryError(f"{self.name} responded to {verb!r} with {line.strip()[:200]!r}, without {wanted!r}") from error
        if not isinstance(found, list):
            raise EntryError(f"{self.name} responded to {verb!r} with {wanted!r} that are no array")
        return found

    def close(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        if process.stdin is not None:
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
        if process.stdout is not None:
            process.stdout.close()
        process.wait()
