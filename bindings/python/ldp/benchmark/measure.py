"""Measures entries: error, coverage, size, time, and the error of the library at the epsilon that an entry keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from statistics import fmean, median, stdev
from typing import Callable, Dict, Iterable, Sequence, Tuple

from . import library
from .attack import kept_by
from .entries import Collected, Entry, Kept, ReportingEntry, answered
from .populations import Population
from .postprocess import METHODS
from .special import proportion_lower, proportion_upper, student_critical
from .workloads import Row, Truth, Workload

#: Two values of epsilon that differ by less are equal: exact ones are sums of rounded logarithms.
_SAME = 1e-6


@dataclass(frozen=True)
class Settings:
    """How entries are measured."""

    repetitions: int | None = None  # collections of each entry; None: usual_repetitions of the workload
    samples: int = 20_000      # reports of each input of a pair that the attack draws
    confidence: float = 0.99   # of the lower bound of epsilon
    seed: int = 1
    processing: tuple[str, ...] = ("clip", "norm-sub")


@dataclass(frozen=True)
class Result:
    """A row of the output. Errors are about the scored queries of the workload, all together."""

    workload: str
    population: str
    entry: str
    source: str                # "library", "paper" or "own"
    people: int
    repetitions: int
    epsilon_claimed: float
    epsilon_kept: float
    kept_method: str           # "proof", "channel", "attack" (a lower bound) or "stated"
    kept_detail: str
    epsilon_compared: float    # the one at which the entry is compared with the library
    overspends: bool           # whether it spends more than it claims
    rmse: float
    rmse_lower: float          # 95 % Monte Carlo interval
    rmse_upper: float
    predicted: float | None    # closed form of the library
    f1: float | None           # of the labels of a labelled workload, mean of the repetitions
    library_ratio: float | None  # mean squared error, divided by the least one of the library at epsilon_compared
    coverage: float | None     # share of the 95 % intervals of the entry that contain the truth
    coverage_lower: float | None
    coverage_upper: float | None
    report_bytes: float
    report_microseconds: float

    @property
    def n_mse(self) -> float:
        """The number of people times the mean squared error, which hardly depends on the number of people."""
        return self.people * self.rmse * self.rmse


@dataclass
class _Tally:
    """What the repetitions of one variant of an entry add up to."""

    workload: Workload
    squares: list[float] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)
    covered: list[tuple[int, int]] = field(default_factory=list)  # of each repetition: intervals that contain the truth, and all intervals

    def add(self, rows: Sequence[Row], truth: Truth) -> None:
        self.squares.append(self.workload.error(rows, truth))
        found = self.workload.f1(rows, truth)
        if found is not None:
            self.f1.append(found)
        stated = [(row.lower, row.upper, true) for row, true in self.workload.pairs(rows, truth)
                  if row.lower is not None and row.upper is not None]
        self.covered.append((sum(low <= true + 1e-12 and true - 1e-12 <= high for low, high, true in stated), len(stated)))


Progress = Callable[[str], None]
Maker = Callable[[Workload], Entry]
#: The epsilon that entries keep, by source, key, size and claim.
_Known = Dict[Tuple[str, str, int, float], Kept]


def contest(kind: type[Workload], populations: Iterable[Population], makers: Sequence[Maker], epsilon: float, settings: Settings,
            progress: Progress = lambda text: None) -> list[Result]:
    """Measures the library's mechanisms and the entries of `makers` on each population, and returns the rows by the
    epsilon at which they are compared and then by error.

    If an entry keeps another epsilon than that of the contest, the library's mechanisms are measured at that epsilon, too.
    Raises EntryError, and Error of the library.
    """
    results: list[Result] = []
    known: _Known = {}
    for population in populations:
        workload = kind(population.size, len(population.values))
        rows: list[Result] = []
        for index, maker in enumerate(makers):
            entry = maker(workload)
            progress(f"{workload.name}, {population.name}: {entry.name}")
            try:
                rows += measured(entry, population, _kept(entry, str(index), settings, known), settings)
            finally:
                entry.close()
        for other in sorted({epsilon, *(row.epsilon_compared for row in rows)}):
            if other == epsilon or library.LEAST_EPSILON <= other <= library.MOST_EPSILON:
                rows += _library_rows(workload, population, other, settings, progress, known)
        results += _compared(rows)
    return results


def _library_rows(workload: Workload, population: Population, epsilon: float, settings: Settings, progress: Progress,
                  known: _Known) -> list[Result]:
    rows: list[Result] = []
    for entry in library.entries(workload, epsilon, [name for name in settings.processing if name in library.CONSISTENCY]):
        progress(f"{workload.name}, {population.name}: {entry.name} at {epsilon:.3g}")
        rows += measured(entry, population, _kept(entry, entry.name, settings, known), settings)
    return rows


def _kept(entry: Entry, key: str, settings: Settings, known: _Known) -> Kept:
    """The epsilon that an entry keeps, computed once for all populations. `key` is unique within the source of the entry."""
    whole = (entry.source, key, entry.workload.size, entry.epsilon)
    if whole not in known:
        if isinstance(entry, library.LibraryEntry):
            known[whole] = entry.kept()
        else:
            assert isinstance(entry, ReportingEntry)
            known[whole] = kept_by(entry, settings.samples, settings.confidence, settings.seed)
    return known[whole]


def compared_at(claimed: float, kept: Kept) -> float:
    """Returns the epsilon at which an entry is compared: the kept one if it is exact; if it is a lower bound, the
    claimed one unless the bound refutes it."""
    found = max(claimed, kept.epsilon) if kept.method in ("attack", "stated") else kept.epsilon
    return claimed if abs(found - claimed) <= _SAME else found


def measured(entry: Entry, population: Population, kept: Kept, settings: Settings) -> list[Result]:
    """Measures one entry on a population, and returns a row for each variant, without the ratio to the library."""
    workload, values = entry.workload, population.values
    truth = workload.truth(values)
    tallies: dict[str, _Tally] = {}
    collected: list[Collected] = []
    for repetition in range(settings.repetitions or workload.usual_repetitions):
        one = entry.collect(values, settings.seed * 1_000_003 + repetition)
        collected.append(one)
        for name, rows in _variants(one, workload, settings).items():
            tallies.setdefault(name, _Tally(workload)).add(rows, truth)
    compared = compared_at(entry.epsilon, kept)
    predicted = entry.predicted(values, settings.seed) if isinstance(entry, library.LibraryEntry) else None
    found = []
    for name, tally in tallies.items():
        if name in METHODS and "" in tallies and all(map(math.isclose, tally.squares, tallies[""].squares)):
            continue  # the entry's estimates have this form already
        error, lower, upper = _interval(tally.squares)
        found.append(Result(
            workload.name, population.name, entry.name + (f" + {name}" if name else ""), entry.source, len(values), len(collected),
            entry.epsilon, kept.epsilon, kept.method, kept.detail, compared, compared > entry.epsilon, error, lower, upper,
            None if name else predicted, fmean(tally.f1) if tally.f1 else None, None, *_coverage(tally.covered),
            fmean(one.report_bytes for one in collected), median(one.seconds for one in collected) / len(values) * 1e6))
    return found


def _variants(one: Collected, workload: Workload, settings: Settings) -> dict[str, list[Row]]:
    """The scored queries of each variant: the entry's own, other estimates of the library, and post-processed cells."""
    found = {"": one.scored(workload)} if one.answers is not None or one.cells is not None else {}
    found.update({name: answered(cells, workload) for name, cells in one.variants.items()})
    if one.cells is not None and workload.shares:
        cells = [row.estimate for row in one.cells]
        for name in (name for name in settings.processing if name in METHODS):
            found[name] = [Row(answer) for answer in workload.answers(METHODS[name](cells))]
    return found


def _interval(squares: Sequence[float]) -> tuple[float, float, float]:
    """The root mean squared error, and its 95 % Monte Carlo interval: Student's, for the logarithm of the mean of the repetitions'
    squared errors (delta method), whose distribution is skewed."""
    mean = fmean(squares)
    if mean == 0:
        return 0.0, 0.0, 0.0
    margin = student_critical(len(squares) - 1) * stdev(squares) / math.sqrt(len(squares)) / mean
    return math.sqrt(mean), math.sqrt(mean) * math.exp(-margin / 2), math.sqrt(mean) * math.exp(margin / 2)


def _coverage(covered: Sequence[tuple[int, int]]) -> tuple[float | None, float | None, float | None]:
    """The coverage and its 95 % interval. With one query it is Clopper and Pearson's; intervals of several queries of a repetition
    depend on one another, so it is Student's over the repetitions."""
    hits, total = sum(hit for hit, _ in covered), sum(count for _, count in covered)
    if total == 0:
        return None, None, None
    if total <= len(covered):
        return hits / total, proportion_lower(hits, total, 0.025), proportion_upper(hits, total, 0.025)
    shares = [hit / count for hit, count in covered if count]
    margin = student_critical(len(shares) - 1) * stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else 1.0
    return hits / total, max(0.0, hits / total - margin), min(1.0, hits / total + margin)


def _compared(rows: Sequence[Result]) -> list[Result]:
    """The rows with their ratio to the library's least error at the same epsilon, sorted by that epsilon and by error."""
    least: dict[float, float] = {}
    for row in rows:
        if row.source == "library":
            least[row.epsilon_compared] = min(row.rmse, least.get(row.epsilon_compared, math.inf))
    found = []
    for row in rows:
        best = least.get(row.epsilon_compared)
        found.append(replace(row, library_ratio=(row.rmse / best) ** 2 if best else None))
    return sorted(found, key=lambda row: (row.epsilon_compared, row.rmse, row.entry))
