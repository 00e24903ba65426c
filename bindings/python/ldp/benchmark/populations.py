"""The people: synthetic families for each workload, and columns of a CSV file."""

from __future__ import annotations

import csv
import gzip
import io
import math
import random
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Callable

from .workloads import Changing, Strings, Values

FAMILIES = ("uniform", "skewed", "bimodal")


@dataclass(frozen=True)
class Population:
    """Named values of people. `size` is the size of the workload for these values."""

    name: str
    values: Values
    size: int


def synthetic(family: str, workload: str, size: int, people: int, seed: int) -> Population:
    """Returns a synthetic population. Equal arguments give equal values.

    Categories and ordered values: uniform; skewed, with Zipf weights 1/(i + 1); bimodal, two normal curves. Numbers: uniform on
    [-1, 1]; skewed towards -1; near -0.8 and 0.8. Pairs: the second category equals the first for half of the people. Vectors of
    length 1: uniform directions; directions near one another; two groups of directions. Strings: 200 random words of 3 to 6 letters,
    with the weights of categories. Series: no, one or two changes with equal probability, in random rounds and to any other category.
    In the skewed family, five eighths of the people begin with the first category. In the bimodal family, half of the people keep the
    first category, and the others change from the second to the last one near the middle.
    """
    draw = random.Random(f"{family} {workload} {size} {seed}")  # the seed of a text does not depend on PYTHONHASHSEED
    makers: dict[str, Callable[[random.Random, str, int, int], list[Any]]] = {
        "mean": _numbers, "pairs": _pairs, "vectors": _vectors, "strings": _strings, "changing": _series}
    return Population(family, makers.get(workload, _categories)(draw, family, size, people), size)


def _weights(family: str, size: int) -> list[float]:
    if family == "uniform":
        return [1.0] * size
    if family == "skewed":
        return [1 / (i + 1) for i in range(size)]

    def near(i: int, part: float) -> float:
        return math.exp(-0.5 * ((i - part * (size - 1)) / (0.08 * size)) ** 2)
    return [near(i, 0.25) + 0.6 * near(i, 0.7) for i in range(size)]


def _categories(draw: random.Random, family: str, size: int, people: int) -> list[int]:
    return draw.choices(range(size), cum_weights=list(accumulate(_weights(family, size))), k=people)


def _numbers(draw: random.Random, family: str, size: int, people: int) -> list[float]:
    if family == "uniform":
        return [draw.uniform(-1, 1) for _ in range(people)]
    if family == "skewed":
        return [2 * draw.betavariate(1, 5) - 1 for _ in range(people)]
    return [min(1.0, max(-1.0, draw.gauss(draw.choice((-0.8, 0.8)), 0.1))) for _ in range(people)]


def _pairs(draw: random.Random, family: str, size: int, people: int) -> list[tuple[int, int]]:
    first, other = (_categories(draw, family, size, people) for _ in range(2))
    return [(a, a if draw.random() < 0.5 else b) for a, b in zip(first, other)]


def _vectors(draw: random.Random, family: str, size: int, people: int) -> list[tuple[float, ...]]:
    found = []
    for _ in range(people):
        if family == "uniform":
            centre = [0.0] * size
        elif family == "skewed":
            centre = [2 / (i + 1) for i in range(size)]
        else:
            group = draw.random() < 0.6
            centre = [2.0 if (i % 2 == 0) == group else 0.0 for i in range(size)]
        vector = [draw.gauss(mean, 1) for mean in centre]
        length = math.sqrt(sum(x * x for x in vector))
        found.append(tuple(x / length for x in vector))
    return found


def _strings(draw: random.Random, family: str, size: int, people: int) -> list[str]:
    words: list[str] = []
    while len(words) < 200:
        word = "".join(draw.choices(Strings.ALPHABET, k=draw.randrange(3, Strings.LENGTH + 1)))
        if word not in words:
            words.append(word)
    return [words[code] for code in _categories(draw, family, len(words), people)]


def _series(draw: random.Random, family: str, size: int, people: int) -> list[tuple[int, ...]]:
    return [_series_of_one(draw, family, size) for _ in range(people)]


def _series_of_one(draw: random.Random, family: str, size: int) -> tuple[int, ...]:
    if family == "bimodal":
        change = min(Changing.ROUNDS, max(0, round(draw.gauss(Changing.ROUNDS / 2, 2))))
        return (0,) * Changing.ROUNDS if draw.random() < 0.5 else (1,) * change + (size - 1,) * (Changing.ROUNDS - change)
    value = draw.randrange(size) if family == "uniform" or draw.random() < 0.5 else 0
    series = [value] * Changing.ROUNDS
    for change in sorted(draw.sample(range(1, Changing.ROUNDS), draw.randrange(Changing.CHANGES + 1))):
        value = (value + draw.randrange(1, size)) % size
        series[change:] = [value] * (Changing.ROUNDS - change)
    return tuple(series)


def from_file(path: str, columns: list[str], workload: str, size: int) -> Population:
    """Returns the people of a CSV file with a header, which may be compressed by gzip. Rows with an empty field are omitted.

    `columns` names one column, two for pairs, at least two for vectors, and the rounds in their order for changing. Categories are the
    distinct texts in sorted order, at most 1024 (pairs: 64). Strings are the first letters a to z of a text in lower case. Numbers are
    scaled from the least and the largest value of the column to [-1, 1]. Ordered values are `size` bins of equal width. Coordinates of a
    vector are also divided by the root of their number. Raises ValueError.
    """
    rows = _rows(path, columns)
    name = "+".join(columns)
    wanted = {"pairs": 2, "changing": Changing.ROUNDS}.get(workload, 1)
    if len(columns) != wanted if workload != "vectors" else len(columns) < 2:
        raise ValueError(f"{workload} needs {'at least 2' if workload == 'vectors' else wanted} --column")
    if workload == "shares":
        codes, count = _coded([row[0] for row in rows], 1024, columns[0])
        return Population(name, codes, max(2, count))
    if workload == "pairs":
        coded = [_coded([row[i] for row in rows], 64, columns[i]) for i in range(2)]
        return Population(name, list(zip(coded[0][0], coded[1][0])), max(2, coded[0][1], coded[1][1]))
    if workload == "changing":
        codes, count = _coded([text for row in rows for text in row], 1024, name)
        return Population(name, list(zip(*[iter(codes)] * len(columns))), max(2, count))
    if workload == "strings":
        letters = ["".join(c for c in row[0].lower() if c in Strings.ALPHABET)[:Strings.LENGTH] for row in rows]
        return Population(name, [text for text in letters if text], size)
    scaled = [_scaled([row[i] for row in rows], column) for i, column in enumerate(columns)]
    if workload == "mean":
        return Population(name, scaled[0], 1)
    if workload == "vectors":
        shrink = len(columns) ** -0.5
        return Population(name, [tuple(x * shrink for x in row) for row in zip(*scaled)], len(columns))
    return Population(name, [min(size - 1, int((x + 1) / 2 * size)) for x in scaled[0]], size)


def _rows(path: str, columns: list[str]) -> list[list[str]]:
    with open(path, "rb") as file:
        content = file.read()
    text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8-sig")
    reader = csv.DictReader(io.StringIO(text))
    missing = [column for column in columns if column not in (reader.fieldnames or [])]
    if missing or not columns:
        raise ValueError(f"{path} has no column {', '.join(missing)}" if missing else "--data needs --column")
    rows = [[row[column] or "" for column in columns] for row in reader]
    complete = [row for row in rows if all(field.strip() for field in row)]
    if len(complete) < 2:
        raise ValueError(f"{path} has fewer than two complete rows")
    return complete


def _coded(texts: list[str], most: int, column: str) -> tuple[list[int], int]:
    labels = sorted(set(texts))
    if len(labels) > most:
        raise ValueError(f"column {column} has {len(labels)} distinct values; at most {most} are allowed")
    codes = {label: code for code, label in enumerate(labels)}
    return [codes[text] for text in texts], len(labels)


def _scaled(texts: list[str], column: str) -> list[float]:
    try:
        numbers = [float(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"column {column} has a value that is no number: {error}") from error
    low, high = min(numbers), max(numbers)
    if not all(map(math.isfinite, numbers)) or low == high:
        raise ValueError(f"column {column} needs at least two different finite numbers")
    return [2 * (number - low) / (high - low) - 1 for number in numbers]
