"""`ring`: values on a circle (doc/formats.md; doc/draws.md, "`ring`"; doc/theory-means.md)."""

from __future__ import annotations

import cmath
import math
from statistics import NormalDist
from typing import Any, Sequence

from ..binary import Reader, cell_bytes, integer_bytes
from ..errors import Refused
from ..estimate import Estimate
from ..responses import two_weights
from ..weights import odds
from ..words import Words
from .base import Input, OneCell, State
from .numbers import range_bytes, read_range

LEAST_POINTS, MOST_POINTS = 3, 64
LEAST_HARMONIC = 1e-6
LEAST_VARIANCE = 1e-9  # keeps the matrix of the people invertible
ELLIPSE = -2 * math.log(2 * NormalDist().cdf(-1.959963984540054))  # squared distance of its border, at 95 %


class Ring(OneCell):
    """A point of a circle, more often one of the points of a pattern around the own point."""

    name = "ring"

    def __init__(self, epsilon: float, points: int, pattern: int, bounds: tuple[float, float]) -> None:
        self.epsilon, self.cells, self.pattern, self.bounds = epsilon, points, pattern, bounds
        self.steps = sorted(range(points), key=lambda d: not pattern >> d & 1)  # the bits 1 come first
        self.width = pattern.bit_count()
        self.heavy, self.light = odds(epsilon, self.width, points - self.width)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Ring:
        points, pattern = reader.integer(4), reader.integer(8)
        if not LEAST_POINTS <= points <= MOST_POINTS:
            raise Refused(f"the circle has {points} points")
        if not 0 < pattern < (1 << points) - 1:
            raise Refused("the pattern has no bits, or too many")
        own = cls(epsilon, points, pattern, read_range(reader))
        if any(abs(own.sum_of(m)) < LEAST_HARMONIC for m in range(1, points)):
            raise Refused("the pattern hides a harmonic")
        return own

    def parameters(self) -> bytes:
        return integer_bytes(self.cells, 4) + integer_bytes(self.pattern, 8) + range_bytes(self.bounds)

    def inputs(self) -> list[Input]:
        return [Input(self.cells + 1, self.bounds, self.cells)]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        outcome = two_weights(words, self.width, self.heavy, self.cells - self.width, self.light)
        return cell_bytes((codes[0] + self.steps[outcome]) % self.cells, self.cells)

    def root(self, j: int) -> complex:
        """Returns the unit vector of point j."""
        return cmath.rect(1, 2 * math.pi * (j % self.cells) / self.cells)

    def sum_of(self, m: int) -> complex:
        """Returns the sum of the harmonic m over the steps of the pattern."""
        return sum((self.root(m * d) for d in self.steps[: self.width]), 0j)

    def factor(self, m: int) -> complex:
        """Returns the factor by which the channel multiplies the harmonic m."""
        total = self.width * self.heavy + (self.cells - self.width) * self.light
        return (self.heavy - self.light) / total * self.sum_of(m)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        """Returns the mean direction. Its errors are missing if a mean vector of length 0 is not excluded."""
        if n == 0:
            return [Estimate(0, None, "direction", None)]
        one, two = self.factor(1), self.factor(2)
        first, second = (
            sum(count * self.root(m * point) for point, count in enumerate(state[0])) / n / factor
            for m, factor in ((1, one), (2, two))
        )
        second = shrunk(second, 1 / (n * abs(two) ** 2))
        square = 1 / abs(one) ** 2
        noise = matrix(square - 1, second * (two / one**2 - 1))
        people = matrix(1 + 2 * LEAST_VARIANCE, second)
        sure = max(0.0, abs(first) ** 2 - square / n) / abs(first) ** 2 if first else 0.0
        part = min(sure, 1 / max(distance(first, people), LEAST_VARIANCE))
        axis = (first.real**2, first.real * first.imag, first.imag**2)
        total = tuple(own + of_people - part * of_mean for own, of_people, of_mean in zip(noise, people, axis))
        low, high = self.bounds
        unit = (high - low) / (2 * math.pi)
        angle = cmath.phase(first) % (2 * math.pi)
        value = low + unit * angle
        errors = (error(first, covariance, n) for covariance in (noise, total))
        return [
            Estimate(
                0,
                None,
                "direction",
                (value if value < high else low) if first else None,
                *(None if each is None else unit * each for each in errors),
            )
        ]


Matrix = tuple[float, ...]  # the elements xx, xy and yy of a symmetric matrix


def matrix(trace: float, axis: complex) -> Matrix:
    """Returns half of the trace times the unit matrix, plus half of the matrix of a second harmonic."""
    return (trace + axis.real) / 2, axis.imag / 2, (trace - axis.real) / 2


def shrunk(moment: complex, noise: float) -> complex:
    """Returns an estimated second moment without its expected noise, and at most 1 in length."""
    found = abs(moment) ** 2
    return moment * min(1 - noise / found, 1 / math.sqrt(found)) if found > noise else 0j


def distance(vector: complex, of: Matrix) -> float:
    """Returns the squared distance of 0 from a vector, in errors."""
    xx, xy, yy = of
    x, y = vector.real, vector.imag
    return (yy * x * x - 2 * xy * x * y + xx * y * y) / (xx * yy - xy * xy)


def error(vector: complex, of: Matrix, n: int) -> float | None:
    """Returns the standard error of the angle of a mean vector, or nothing if the vector may have the length 0."""
    xx, xy, yy = of
    if not vector or xx * yy - xy * xy <= 0 or n * distance(vector, of) <= ELLIPSE:
        return None
    x, y = vector.real / abs(vector), vector.imag / abs(vector)
    return math.sqrt(max(0.0, y * y * xx - 2 * x * y * xy + x * x * yy) / n) / abs(vector)
