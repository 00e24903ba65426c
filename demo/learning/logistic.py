#!/usr/bin/env python3
"""Trains a logistic regression in rounds, from one private report of each person, and compares it with the fit of all records.

    python3 demo/learning/logistic.py [--epsilon 2] [--rounds 20] [--people N] [--csv FILE]

The data are 28,155 men of the Current Population Survey of 1988. The model predicts from education, experience and part time
whether a man earns more than $500 a week. doc/learning.md describes the method. Only the standard library is needed.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from people import CENSUS, Vector, collected, dot, groups_of, ldp, rows_of, shuffled, solve

TERMS = ("intercept", "education", "experience", "experience²", "part time")
#: The longest gradient. With the units of `features`, 84 % of the gradients at the fit are shorter.
NORM = 1.0
#: The step of round t is STEP / √t.
STEP = 4.0
#: The share of the people who take no part in the training and are used to compare the models.
HELD_OUT = 5155 / 28155


@dataclass(frozen=True)
class Person:
    features: Vector
    label: int


def features(education: float, experience: float, part_time: bool) -> Vector:
    """Returns the terms of the model, in units in which each has a mean near 0 and a mean square near 1.

    The units are round numbers that were known before the survey. They do not depend on the records.
    """
    years = (experience - 18) / 13
    return [1.0, (education - 13) / 3, years, (years * years - 1) / 1.4, ((1.0 if part_time else 0.0) - 0.1) / 0.3]


def read_people(path: Path) -> list[Person]:
    return [Person(features(float(row["education"]), float(row["experience"]), row["parttime"] == "yes"),
                   int(float(row["wage"]) > 500)) for row in rows_of(path)]


def probability(model: Vector, person: Person) -> float:
    """Returns the logistic function of the score, 1/(1 + e^−score)."""
    return (1 + math.tanh(dot(model, person.features) / 2)) / 2


def log_loss(model: Vector, people: Sequence[Person]) -> float:
    """Returns the mean of −log P(label), in nats."""
    smallest = sys.float_info.min
    return -sum(math.log(max(smallest, p if person.label else 1 - p))
                for person in people for p in [probability(model, person)]) / len(people)


def accuracy(model: Vector, people: Sequence[Person]) -> float:
    return sum((dot(model, person.features) > 0) == bool(person.label) for person in people) / len(people)


# On the device of a person ---------------------------------------------------------------------------------------

def clipped_gradient(model: Vector, person: Person) -> Vector:
    """Returns the gradient of the person's log-likelihood, shortened to NORM."""
    residual = person.label - probability(model, person)
    gradient = [residual * x for x in person.features]
    length = math.sqrt(dot(gradient, gradient))
    return [x * min(1.0, NORM / length) if length > 0 else x for x in gradient]


# On the server ---------------------------------------------------------------------------------------------------

def spec_of_rounds(epsilon: float) -> dict[str, object]:
    """The spec of all rounds. A report about the whole gradient costs epsilon."""
    return {"mechanism": "ball", "epsilon": epsilon, "norm": 1,
            "attributes": [{"name": "gradient", "vector": list(TERMS), "min": -NORM, "max": NORM}]}


@dataclass(frozen=True)
class Round:
    """The server's knowledge after a round."""

    reports: int
    gradient: Vector  # the estimated mean of the clipped gradients
    errors: Vector    # its standard errors
    model: Vector     # the average of the models up to now, with the weight of the round


def train(people: Sequence[Person], epsilon: float, rounds: int) -> Iterator[Round]:
    """Yields the result of each round. Each person takes part in one round, with one report."""
    collection = ldp.Collection(spec_of_rounds(epsilon))
    model, average, weights = [0.0] * len(TERMS), [0.0] * len(TERMS), 0
    for t, group in enumerate(groups_of(people, rounds), start=1):
        # The server publishes the model. Each device of the group computes its gradient and randomizes it.
        summary = collected(collection, [{"gradient": clipped_gradient(model, person)} for person in group])
        means = summary.rows("estimate", target="population")
        gradient = [row["estimate"] for row in means]
        model = [m + STEP / math.sqrt(t) * g for m, g in zip(model, gradient)]
        weights += t
        average = [a + t / weights * (m - a) for a, m in zip(average, model)]
        yield Round(len(group), gradient, [row["stderr"] for row in means], average)


# Without privacy -------------------------------------------------------------------------------------------------

def fit(people: Sequence[Person], iterations: int = 8) -> Vector:
    """Returns the maximum-likelihood fit of the records, by Newton's method."""
    size = len(TERMS)
    model = [0.0] * size
    for _ in range(iterations):
        slope, curvature = [0.0] * size, [[0.0] * size for _ in range(size)]
        for person in people:
            p, x = probability(model, person), person.features
            for i in range(size):
                slope[i] += (person.label - p) * x[i]
                weight = p * (1 - p) * x[i]
                row = curvature[i]
                for k in range(size):
                    row[k] += weight * x[k]
        model = [m + step for m, step in zip(model, solve(curvature, slope))]
    return model


def split(people: list[Person], seed: int) -> tuple[list[Person], list[Person]]:
    """Returns the people in random order: those of the training, and those who are held out."""
    everybody, held_out = shuffled(people, seed), round(len(people) * HELD_OUT)
    return everybody[held_out:], everybody[:held_out]


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a logistic regression in rounds of private gradients.")
    parser.add_argument("--epsilon", type=float, action="append", help="of a person (default: 1, 2 and 4 in turn)")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--people", type=int, help="number of people of the file to use (default: all)")
    parser.add_argument("--csv", type=Path, default=CENSUS)
    parser.add_argument("--seed", type=int, default=1, help="of the order of the people; reports are always random")
    asked = parser.parse_args()

    training, held_out = split(read_people(asked.csv)[:asked.people], asked.seed)
    best = fit(training)
    print(f"{len(training)} people in {asked.rounds} rounds, {len(held_out)} held out\n")
    print("                 epsilon  log-loss      gap  accuracy   " + "  ".join(f"{name:>13}" for name in TERMS))

    def show(name: str, epsilon: str, model: Vector) -> None:
        loss = log_loss(model, held_out)
        print(f"{name:16} {epsilon:>7}  {loss:8.4f}  {loss - log_loss(best, held_out):7.4f}  {accuracy(model, held_out):7.1%}   "
              + "  ".join(f"{value:13.2f}" for value in model))

    show("no model", "", [0.0] * len(TERMS))
    show("without privacy", "", best)
    for epsilon in asked.epsilon or [1, 2, 4]:
        *_, last = train(training, epsilon, asked.rounds)
        show("private rounds", f"{epsilon:g}", last.model)


if __name__ == "__main__":
    main()
