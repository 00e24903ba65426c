#!/usr/bin/env python3
"""Estimates the slopes of a linear regression in rounds, from one private report of each person.

    python3 demo/learning/slopes.py [--epsilon 2] [--csv FILE]

The data are 28,155 men of the Current Population Survey of 1988: how pay increases with education and experience. In the first
round, people report one moment each, and ldp_regression estimates all coefficients. In each later round, a person reports the
influence of the own record on the slopes, a short vector. doc/learning.md describes the method.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

from people import CENSUS, Vector, collected, collection_of, dot, groups_of, ldp, rows_of, shuffled, solve

OF, ON = "wage", ("education", "experience")
RANGES = {"wage": (0.0, 1500.0), "education": (8.0, 18.0), "experience": (0.0, 40.0)}
#: The share of the people in the first round.
FIRST = 0.3
#: The number of later rounds, with equal numbers of people.
ROUNDS = 7
#: The longest influence, in root mean squares of the influences.
LENGTH = 3.0
#: Of a normal distribution: 95 % are within as many standard deviations.
CRITICAL_VALUE = 1.959964

Record = dict[str, float]


def half(name: str) -> float:
    low, high = RANGES[name]
    return (high - low) / 2


def unit(name: str, value: float) -> float:
    """Returns a number clamped to its range, and scaled to −1 to 1."""
    low, high = RANGES[name]
    return (min(max(value, low), high) - (low + high) / 2) / half(name)


def read_people(path: Path) -> list[Record]:
    return [{name: float(row[name]) for name in RANGES} for row in rows_of(path)]


# The first round -------------------------------------------------------------------------------------------------

def spec_of_moments(epsilon: float) -> dict[str, Any]:
    return {"mechanism": "sampled", "epsilon": epsilon, "regression": {"of": OF, "on": list(ON)},
            "attributes": [{"name": name, "min": low, "max": high} for name, (low, high) in RANGES.items()]}


def moments(people: Sequence[Record], epsilon: float) -> ldp.Summary:
    """Returns the summary of one report of each person about a moment."""
    return collected(collection_of(spec_of_moments(epsilon), len(people)), people)


@dataclass(frozen=True)
class FirstRound:
    """Estimates from the first round, with numbers scaled to −1 to 1."""

    coefficients: Vector    # the intercept and the slopes
    influence: list[Vector]  # of a slope each: the row of the inverse of E[zzᵀ], with z = (1, numbers)
    length: float           # the longest influence that a device reports


def first_round(people: Sequence[Record], epsilon: float) -> FirstRound:
    """Raises ValueError if the estimated predictors are not linearly independent."""
    rows = {row["attribute"]: row for row in moments(people, epsilon).rows("estimate", target="population")}
    terms = ("",) + ON

    def moment(a: str, b: str) -> tuple[float, float]:
        """Returns the mean of a product of scaled numbers and its standard error."""
        if not a or not b:
            name = a or b
            if not name:
                return 1.0, 0.0
            low, high = RANGES[name]
            return (rows[name]["estimate"] - (low + high) / 2) / half(name), rows[name]["stderr"] / half(name)
        row = rows.get(f"{a}*{b}") or rows[f"{b}*{a}"]
        return row["estimate"] / half(a) / half(b), row["stderr"] / half(a) / half(b)

    gram = [[moment(a, b)[0] for b in terms] for a in terms]
    coefficients = solve(gram, [moment(a, OF)[0] for a in terms])
    inverse = [solve(gram, [float(i == k) for k in range(len(terms))]) for i in range(len(terms))]
    # The residual variance is a quadratic form in (1, x, y). It is at least its error, because the estimate may be 0.
    weights, names = [-c for c in coefficients] + [1.0], terms + (OF,)
    variance, square_error = 0.0, 0.0
    for i, a in enumerate(names):
        for k, b in enumerate(names[:i + 1]):
            weight = weights[i] * weights[k] * (1 if i == k else 2)
            value, error = moment(a, b)
            variance, square_error = variance + weight * value, square_error + (weight * error) ** 2
    variance = max(variance, math.sqrt(square_error), 0.02)
    length = LENGTH * math.sqrt(variance * sum(inverse[i][i] for i in range(1, len(terms))))
    return FirstRound(coefficients, inverse[1:], length)


# Later rounds ----------------------------------------------------------------------------------------------------

def influence(person: Record, first: FirstRound, coefficients: Vector) -> Vector:
    """Returns the influence of a person on the slopes, shortened to first.length. Computed on the device."""
    terms = [1.0] + [unit(name, person[name]) for name in ON]
    residual = unit(OF, person[OF]) - dot(terms, coefficients)
    vector = [dot(row, terms) * residual for row in first.influence]
    length = math.sqrt(dot(vector, vector))
    return [x * min(1.0, first.length / length) if length > 0 else x for x in vector]


def spec_of_influences(epsilon: float, length: float) -> dict[str, Any]:
    return {"mechanism": "ball", "epsilon": epsilon, "norm": 1,
            "attributes": [{"name": "slopes", "vector": list(ON), "min": -length, "max": length}]}


@dataclass(frozen=True)
class Slope:
    estimate: float
    error: float

    @property
    def lower(self) -> float:
        return self.estimate - CRITICAL_VALUE * self.error

    @property
    def upper(self) -> float:
        return self.estimate + CRITICAL_VALUE * self.error


def slopes_in_rounds(people: Sequence[Record], epsilon: float) -> list[Slope]:
    """Returns the slopes. Each person takes part in one round. Raises ValueError as first_round() does."""
    early = round(FIRST * len(people))
    first = first_round(people[:early], epsilon)
    collection = ldp.Collection(spec_of_influences(epsilon, first.length))
    coefficients, variances = list(first.coefficients), [0.0] * len(ON)
    for t, group in enumerate(groups_of(people[early:], ROUNDS), start=1):
        summary = collected(collection, [{"slopes": influence(person, first, coefficients)} for person in group])
        means = summary.rows("estimate", target="population")
        # The step 2/(t + 1) makes the result an average over the rounds with the weights t.
        for j, row in enumerate(means):
            coefficients[1 + j] += 2 / (t + 1) * row["estimate"]
            variances[j] += (t * row["stderr"]) ** 2
    weights = ROUNDS * (ROUNDS + 1) / 2
    return [Slope(coefficients[1 + j] * half(OF) / half(name), math.sqrt(variances[j]) / weights * half(OF) / half(name))
            for j, name in enumerate(ON)]


# For comparison --------------------------------------------------------------------------------------------------

def slopes_in_one_round(people: Sequence[Record], epsilon: float) -> list[Slope]:
    """Returns the slopes of ldp_regression, from one report of each person about a moment."""
    rows = {row["term"]: row for row in moments(people, epsilon).rows("regression", of=OF, predictors=list(ON), target="population")}
    return [Slope(rows[name]["estimate"], rows[name]["stderr"]) for name in ON]


def slopes_without_privacy(people: Sequence[Record]) -> Vector:
    terms = [[1.0] + [unit(name, person[name]) for name in ON] for person in people]
    size = 1 + len(ON)
    gram = [[sum(z[i] * z[k] for z in terms) for k in range(size)] for i in range(size)]
    right = [sum(z[i] * unit(OF, person[OF]) for z, person in zip(terms, people)) for i in range(size)]
    return [c * half(OF) / half(name) for c, name in zip(solve(gram, right)[1:], ON)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Estimates the slopes of a linear regression in rounds of private reports.")
    parser.add_argument("--epsilon", type=float, action="append", help="of a person (default: 2 and 4 in turn)")
    parser.add_argument("--csv", type=Path, default=CENSUS)
    parser.add_argument("--seed", type=int, default=1, help="of the order of the people; reports are always random")
    asked = parser.parse_args()
    people = shuffled(read_people(asked.csv), asked.seed)
    print(f"{len(people)} people\n\n{'':16} epsilon  term        estimate  stderr    lower    upper")
    for name, slope in zip(ON, slopes_without_privacy(people)):
        print(f"{'without privacy':16} {'':>7}  {name:10}  {slope:8.2f}")
    for epsilon in asked.epsilon or [2, 4]:
        for way, slopes in (("one round", slopes_in_one_round(people, epsilon)),
                            (f"{1 + ROUNDS} rounds", slopes_in_rounds(people, epsilon))):
            for name, one in zip(ON, slopes):
                print(f"{way:16} {epsilon:7g}  {name:10}  {one.estimate:8.2f}  {one.error:6.2f} {one.lower:8.2f} {one.upper:8.2f}")


if __name__ == "__main__":
    main()
