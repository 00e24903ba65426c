"""`ball`: a codeword near the vector (doc/draws.md, "`ball`"; doc/theory-vectors.md)."""

from __future__ import annotations

import functools
import math
from statistics import NormalDist
from typing import Sequence

from ..binary import Reader, cell_bytes, cell_size, double_bytes, integer_bytes, read_cell, read_runs
from ..errors import Refused
from ..estimate import Estimate
from ..responses import two_weights
from ..weights import odds
from ..words import MASK, Words
from .base import Input, Mechanism, Section, State
from .numbers import read_range, read_steps
from .strings import GOLDEN, mix
from .vectors import Range, ranges_bytes, read_dimension

ENTRIES = 4096  # of the table
LARGEST_ENTRY = 3829
MOST_CODEWORDS = 4096
NORMAL = NormalDist()


@functools.lru_cache(maxsize=1)
def table() -> list[int]:
    """Returns the table of coordinates."""
    densities = [NORMAL.pdf(NORMAL.inv_cdf(i / ENTRIES)) for i in range(ENTRIES // 2, ENTRIES)] + [0.0]
    upper = [round(1024 * ENTRIES * (a - b)) for a, b in zip(densities, densities[1:])]
    return [-entry for entry in reversed(upper)] + upper


@functools.lru_cache(maxsize=1)
def mean_square() -> float:
    """Returns V, the mean square of the table."""
    return sum(entry**2 for entry in table()) / ENTRIES


def codeword(seed: int, number: int, dimension: int) -> list[int]:
    """Returns the coordinates of a codeword of the codebook of a seed."""
    width = (dimension + 3) // 4  # W
    begin = number * width + 1
    words = [mix(seed + n * GOLDEN & MASK) for n in range(begin, begin + width)]
    return [table()[words[j // 4] >> 16 * (j % 4) & ENTRIES - 1] for j in range(dimension)]


def largest(near: int, codewords: int) -> tuple[float, float]:
    """Returns S_1 and S_2: the expected sum, and sum of squares, of the largest of many normal variables.

    The trapezoidal rule has no error in the digits of a float: q is smooth, and no narrower than several steps.
    """
    far = codewords - near
    factor = math.log(codewords) + math.lgamma(codewords) - math.lgamma(near) - math.lgamma(far)
    first, second, steps = 0.0, 0.0, 256  # in a unit of x
    for x in (i / steps for i in range(-10 * steps, 10 * steps + 1)):
        below, above = (math.erfc(side * x / math.sqrt(2)) / 2 for side in (-1, 1))
        tails = (far - 1) * math.log(below) + (near - 1) * math.log(above)
        q = math.exp(factor - x * x - math.log(2 * math.pi) + tails) / steps
        first, second = first + q, second + x * q
    return first, near + second


class Ball(Mechanism):
    """The seed of a codebook, and the number of a codeword that is probably near the vector."""

    name = "ball"

    def __init__(
        self, epsilon: float, steps: int, norm: float, codewords: int, near: int, ranges: list[Range]
    ) -> None:
        self.epsilon, self.steps, self.norm, self.ranges = epsilon, steps, norm, ranges
        self.codewords, self.near = codewords, near  # M and k
        self.heavy, self.light = odds(epsilon, near, codewords - near)
        self.half, root = steps // 2, math.sqrt(len(ranges))
        self.radius = min(norm * self.half + root, root * self.half)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Ball:
        dimension, steps, norm = read_dimension(reader), read_steps(reader), reader.double()
        codewords, near = reader.integer(4), reader.integer(4)
        if steps % 2 or not 0 < norm <= math.sqrt(dimension):
            raise Refused(f"the grid has {steps} steps, and the norm is {norm}")
        if not 2 <= codewords <= MOST_CODEWORDS or not 1 <= near < codewords:
            raise Refused(f"{near} of {codewords} codewords have the higher weight")
        return cls(epsilon, steps, norm, codewords, near, read_runs(reader, dimension, 4, read_range))

    def parameters(self) -> bytes:
        head = integer_bytes(len(self.ranges), 4) + integer_bytes(self.steps, 4) + double_bytes(self.norm)
        head += integer_bytes(self.codewords, 4) + integer_bytes(self.near, 4)
        return head + ranges_bytes(self.ranges)

    def inputs(self) -> list[Input]:
        return [Input(self.steps + 1, bounds, self.steps) for bounds in self.ranges]

    def public(self, words: Words) -> int:
        return words.word()

    def permanent(self, codes: Sequence[int], public: int, words: Words) -> bytes:
        point = [code - self.half for code in codes]
        length = min(1, math.sqrt(sum(z * z for z in point)) / self.radius)
        turned = words.chance64(math.floor(2.0**63 * (1 - length)))
        rank = two_weights(words, self.near, self.heavy, self.codewords - self.near, self.light)
        if turned:
            rank = self.codewords - 1 - rank
        number = self._order(point, public)[rank]
        return integer_bytes(public, 8) + cell_bytes(number, self.codewords)

    def _order(self, point: list[int], seed: int) -> list[int]:
        """Returns the numbers of the codewords in descending order of their inner products with the point."""

        def product(number: int) -> int:
            return sum(z * g for z, g in zip(point, codeword(seed, number, len(point))))

        return sorted(range(self.codewords), key=product, reverse=True)

    @property
    def payload_size(self) -> int:
        return 8 + cell_size(self.codewords)

    def check(self, payload: bytes) -> None:
        read_cell(payload[8:], self.codewords)

    def layout(self) -> list[Section]:
        return [Section(1, signed=True), Section(1)] * len(self.ranges)

    def count(self, state: State, payload: bytes) -> None:
        seed, number = int.from_bytes(payload[:8], "little"), read_cell(payload[8:], self.codewords)
        for index, coordinate in enumerate(codeword(seed, number, len(self.ranges))):
            state[2 * index][0] += coordinate
            state[2 * index + 1][0] += coordinate**2

    def _sums(self, state: State) -> list[tuple[int, int]]:
        """Returns the sum of the coordinates and the sum of their squares, for each attribute."""
        return [(state[i][0], state[i + 1][0]) for i in range(0, len(state), 2)]

    def possible(self, state: State, n: int) -> bool:
        return all(
            s * s <= n * q and q <= LARGEST_ENTRY**2 * n and (s - q) % 2 == 0 for s, q in self._sums(state)
        )

    def estimates(self, state: State, n: int) -> list[Estimate]:
        if n == 0:
            return [Estimate(index, None, "mean", None) for index in range(len(self.ranges))]
        first, second = largest(self.near, self.codewords)
        total = self.near * self.heavy + (self.codewords - self.near) * self.light
        along = (self.heavy - self.light) * first / total  # m
        spread = (self.heavy * second + self.light * (self.codewords - second)) / total  # v
        factor, result = self.radius / (self.half * along), []  # A
        for index, ((low, high), (s, q)) in enumerate(zip(self.ranges, self._sums(state))):
            mean, half = factor * s / n / math.sqrt(mean_square()), (high - low) / 2
            variance = max(1, spread)
            if n > 1:
                variance = (n * q - s * s) / (n * n * mean_square() * (n - 1))
            error = half * factor * math.sqrt(variance)
            result.append(Estimate(index, None, "mean", low + half * (1 + mean), error, error))
        return result
