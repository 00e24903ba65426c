"""The package ldp, installed or from this source tree, and the people of the examples."""

from __future__ import annotations

import csv
import gzip
import os
import random
import sys
from pathlib import Path
from typing import Any, Iterable, Sequence, TypeVar

ROOT = Path(__file__).resolve().parents[2]
try:
    import ldp
except ImportError:  # not installed
    sys.path.insert(0, str(ROOT / "bindings" / "python"))
    os.environ.setdefault("LDP_LIBRARY", str(ROOT / "build" / "lib" / "libldp.so.1"))
    import ldp

__all__ = ["CENSUS", "Vector", "collected", "collection_of", "dot", "groups_of", "ldp", "rows_of", "shuffled", "solve"]

#: 28,155 men of the Current Population Survey of March 1988.
CENSUS = ROOT / "test" / "data" / "cps1988.csv.gz"

Vector = list[float]
Kind = TypeVar("Kind")


def rows_of(path: Path) -> list[dict[str, str]]:
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")
    with opened as file:
        return list(csv.DictReader(file))


def shuffled(people: Sequence[Kind], seed: int) -> list[Kind]:
    return random.Random(seed).sample(people, len(people))


def groups_of(people: Sequence[Kind], count: int) -> list[Sequence[Kind]]:
    """Divides people into groups of nearly equal size."""
    return [people[len(people) * i // count:len(people) * (i + 1) // count] for i in range(count)]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b))


def solve(matrix: list[Vector], right: Vector) -> Vector:
    """Solves a positive definite system of equations. Raises ValueError if the matrix is not positive definite."""
    rows, size = [row + [value] for row, value in zip(matrix, right)], len(right)
    for i in range(size):
        if not rows[i][i] > 0:
            raise ValueError("the matrix is not positive definite")
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return [row[size] for row in rows]


def collection_of(spec: dict[str, Any], people: int) -> ldp.Collection:
    """Returns the collection of a spec, whose open choices are made for this number of people."""
    plan = ldp.plan(spec, people=people)
    return ldp.Collection((plan if isinstance(plan, list) else plan.to_dict("records"))[0]["canonical"])


def collected(collection: ldp.Collection, records: Iterable[dict[str, Any]]) -> ldp.Summary:
    """Returns the summary of one report for each record. Reports are drawn on the devices and counted on the server."""
    return ldp.summarize(collection, [collection.perturb(record) for record in records])
