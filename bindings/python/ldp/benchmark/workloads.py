"""The workloads: what people hold, what an entry estimates, and the queries that are scored."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Iterable, Mapping, Sequence

Values = Sequence[Any]
#: The true values of the scored queries, in their order; of a labelled workload by label.
Truth = Any


@dataclass(frozen=True)
class Row:
    """An estimate, with the bounds of its 95 % interval if the entry states them. `label` is its string in the workload `strings`."""

    estimate: float
    lower: float | None = None
    upper: float | None = None
    label: str | None = None


@dataclass(frozen=True)
class Workload:
    """A kind of question to people. An entry receives it and reads `name`, `size` and `people`.

    `size` is the number of categories, of ordered values, of coordinates, or of the values of each attribute of a pair.
    `people` is the number of people who report, which is public. An entry returns `cells` estimates, in the order of
    the values. `answers` derives the scored queries from them, and `truth` computes the same queries from the values.
    """

    size: int
    people: int
    name = ""
    #: What the estimates and the values are, for the page and for the help.
    title = ""
    #: The default of `size`.
    usual_size = 1
    #: The least size that all entries support, and the default of the repetitions: more of them for fewer queries.
    least_size = 2
    usual_repetitions = 20
    #: The default number of people.
    usual_people = 10_000
    #: Whether the estimates are the shares of one table, which post-processing may change.
    shares = True
    #: Whether an entry chooses what it estimates: it returns at most `cells` estimates, each with a label.
    labelled = False

    @property
    def cells(self) -> int:
        """The number of estimates that an entry returns."""
        return self.size

    def cell_truth(self, values: Values) -> list[float]:
        """Returns the true value of each estimate: here, the share of each value 0 to size - 1."""
        counts = [0] * self.cells
        for value in values:
            counts[self.cell_of(value)] += 1
        return [count / len(values) for count in counts]

    def cell_of(self, value: Any) -> int:
        """Returns the index of the share to which a person with this value contributes."""
        return int(value)

    def answers(self, cells: Sequence[float]) -> list[float]:
        """Returns the scored queries, computed from the estimates of an entry."""
        return list(cells)

    def truth(self, values: Values) -> Truth:
        """Returns the scored queries, computed from the values of the people."""
        return self.answers(self.cell_truth(values))

    def fault(self, rows: Sequence[Row]) -> str | None:
        """Returns what is wrong with the estimates of an entry, or None."""
        return None if len(rows) == self.cells else f"{len(rows)} estimates; {self.name} has {self.cells}"

    def pairs(self, rows: Sequence[Row], truth: Truth) -> Iterable[tuple[Row, float]]:
        """Returns the scored estimates with their true values."""
        return zip(rows, truth)

    def error(self, rows: Sequence[Row], truth: Truth) -> float:
        """Returns the mean squared error of the scored queries."""
        return fmean((row.estimate - true) ** 2 for row, true in self.pairs(rows, truth))

    def f1(self, rows: Sequence[Row], truth: Truth) -> float | None:
        """Returns the harmonic mean of precision and recall of the labels, or None if the workload has no labels."""
        return None

    def attacked(self) -> list[tuple[Any, Any]]:
        """Returns the pairs of inputs whose reports the attack compares."""
        last = self.size - 1
        pairs = [(0, last), (0, 1), (last // 2, last)]
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


@dataclass(frozen=True)
class Shares(Workload):
    """Each person has one of `size` categories. The scored queries are all shares."""

    name = "shares"
    title = "the share of each category; values 0 to size - 1"
    usual_size = 32


@dataclass(frozen=True)
class Mean(Workload):
    """Each person has a number in [-1, 1]. The scored query is the mean."""

    name = "mean"
    title = "the mean of a number in [-1, 1]"
    shares = False
    least_size = 1
    usual_repetitions = 200

    @property
    def cells(self) -> int:
        return 1

    def cell_truth(self, values: Values) -> list[float]:
        return [sum(values) / len(values)]

    def attacked(self) -> list[tuple[Any, Any]]:
        return [(-1.0, 1.0), (-1.0, 0.0), (0.0, 1.0)]


@dataclass(frozen=True)
class Ordered(Workload):
    """Each person has one of `size` ordered values, and an entry estimates the share of each value."""

    usual_size = 64
    least_size = 3


@dataclass(frozen=True)
class Distribution(Ordered):
    """Each person has one of `size` ordered values. The scored queries are the deciles, divided by size - 1."""

    name = "distribution"
    title = "the deciles of an ordered value 0 to size - 1, on a scale from 0 to 1; an entry estimates the share of each value"
    PROBABILITIES = tuple(i / 10 for i in range(1, 10))

    def answers(self, cells: Sequence[float]) -> list[float]:
        """Returns the deciles. The decile p is the least value at which the sum of the shares is at least p."""
        sums = list(itertools.accumulate(cells))
        found = []
        for p in self.PROBABILITIES:
            at = next((value for value, total in enumerate(sums) if total >= p - 1e-12), self.size - 1)
            found.append(at / (self.size - 1))
        return found


@dataclass(frozen=True)
class Ranges(Ordered):
    """Each person has one of `size` ordered values. The scored queries are shares of 24 ranges of values."""

    name = "ranges"
    title = "the shares of 24 ranges of an ordered value 0 to size - 1; an entry estimates the share of each value"

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The first and the last value of each range. They depend only on `size`, and no range contains all values."""
        draw = random.Random(self.size)
        found: list[tuple[int, int]] = []
        while len(found) < 24:
            low, high = sorted((draw.randrange(self.size), draw.randrange(self.size)))
            if (low, high) != (0, self.size - 1):
                found.append((low, high))
        return found

    def answers(self, cells: Sequence[float]) -> list[float]:
        sums = [0.0, *itertools.accumulate(cells)]
        return [sums[high + 1] - sums[low] for low, high in self.ranges]


@dataclass(frozen=True)
class Pairs(Workload):
    """Each person has two categories, each 0 to size - 1. The scored queries are the cells of their joint table, by rows."""

    name = "pairs"
    title = "the joint table of two categories; values [a, b], each 0 to size - 1; the estimates are the rows of the table"
    usual_size = 8

    @property
    def cells(self) -> int:
        return self.size * self.size

    def cell_of(self, value: Any) -> int:
        return int(value[0]) * self.size + int(value[1])

    def attacked(self) -> list[tuple[Any, Any]]:
        last = self.size - 1
        return [((0, 0), (last, last)), ((0, 0), (0, last)), ((0, 0), (last, 0))]


@dataclass(frozen=True)
class Vectors(Workload):
    """Each person has a vector of `size` coordinates whose Euclidean length is at most 1. The queries are the means."""

    name = "vectors"
    title = "the mean of each coordinate of a vector of length at most 1"
    usual_size = 8
    shares = False

    def cell_truth(self, values: Values) -> list[float]:
        return [sum(column) / len(values) for column in zip(*values)]

    def attacked(self) -> list[tuple[Any, Any]]:
        def unit(index: int, sign: float) -> tuple[float, ...]:
            return tuple(sign if i == index else 0.0 for i in range(self.size))
        even = self.size ** -0.5
        return [(unit(0, 1.0), unit(0, -1.0)), (unit(0, 1.0), unit(self.size - 1, 1.0)), ((even,) * self.size, (-even,) * self.size)]


@dataclass(frozen=True)
class Strings(Workload):
    """Each person has a string of 1 to 6 letters a to z. An entry lists the `size` most frequent strings with their shares.

    The scored queries are the shares of the strings that are among the most frequent ones or in the list. The estimate of a string
    that is not listed is 0. The sum of their squared errors is divided by `size`.
    """

    name = "strings"
    title = "the size most frequent strings of 1 to 6 letters a to z, with their shares"
    usual_size = 10
    least_size = 1
    usual_people = 20_000
    shares = False
    labelled = True
    ALPHABET = "abcdefghijklmnopqrstuvwxyz"
    LENGTH = 6

    def truth(self, values: Values) -> Truth:
        """Returns the share of each string that occurs."""
        return {text: count / len(values) for text, count in Counter(values).items()}

    def fault(self, rows: Sequence[Row]) -> str | None:
        if len(rows) > self.cells:
            return f"{len(rows)} estimates; {self.name} has at most {self.cells}"
        labels = [row.label for row in rows]
        if None in labels:
            return "an estimate without a label"
        return None if len(set(labels)) == len(labels) else "two estimates of one string"

    def pairs(self, rows: Sequence[Row], truth: Truth) -> Iterable[tuple[Row, float]]:
        """Returns the listed strings with their true shares."""
        return [(row, truth.get(row.label, 0.0)) for row in rows]

    def error(self, rows: Sequence[Row], truth: Truth) -> float:
        listed = {row.label for row in rows}
        missed = sorted((share for text, share in truth.items() if text not in listed), reverse=True)
        of_missed = math.fsum(share * share for share in missed[:self.size - self._right(rows, truth)])
        return (math.fsum((row.estimate - true) ** 2 for row, true in self.pairs(rows, truth)) + of_missed) / self.size

    def f1(self, rows: Sequence[Row], truth: Truth) -> float | None:
        return 2 * self._right(rows, truth) / (len(rows) + min(self.size, len(truth)))

    def _right(self, rows: Sequence[Row], truth: Mapping[str, float]) -> int:
        """The number of listed strings that are among the `size` most frequent ones. Ties with the last of these count."""
        least = sorted(truth.values(), reverse=True)[:self.size][-1]
        return sum(true >= least for _, true in self.pairs(rows, truth))

    def attacked(self) -> list[tuple[Any, Any]]:
        return [("a" * self.LENGTH, "z" * self.LENGTH), ("a" * self.LENGTH, "a" * (self.LENGTH - 1) + "b"), ("a", "zzz")]


@dataclass(frozen=True)
class Changing(Workload):
    """Each person has one of `size` categories in each of 16 rounds, and changes it at most twice. The scored queries are the
    shares of all categories in all rounds. epsilon is that of the whole series of a person, with the times of the changes."""

    name = "changing"
    title = "the shares of each category in 16 rounds; values are series of 16 categories with at most 2 changes"
    usual_size = 4
    shares = False
    ROUNDS = 16
    CHANGES = 2

    @property
    def cells(self) -> int:
        return self.size * self.ROUNDS

    def cell_truth(self, values: Values) -> list[float]:
        """Returns the share of each category in the first round, then in the second round, and so on."""
        counts = [Counter(of_round) for of_round in zip(*values)]
        return [count[category] / len(values) for count in counts for category in range(self.size)]

    def attacked(self) -> list[tuple[Any, Any]]:
        def change(rounds: int) -> tuple[int, ...]:
            return (0,) * rounds + (self.size - 1,) * (self.ROUNDS - rounds)
        return [(change(self.ROUNDS), change(0)), (change(self.ROUNDS), change(8)), (change(4), change(12))]


#: All workloads by name, in the order of the output.
WORKLOADS: dict[str, type[Workload]] = {
    kind.name: kind for kind in (Shares, Mean, Distribution, Ranges, Pairs, Vectors, Strings, Changing)}
