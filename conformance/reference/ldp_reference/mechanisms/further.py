"""`sue`, `oue`, `hadamard` and `haar_ordered` (doc/formats.md, tables; doc/draws.md, "Further mechanisms")."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Sequence

from ..binary import Reader, bit_bytes, cell_bytes, cell_size, integer_bytes, read_bits, read_cell
from ..errors import Refused
from ..estimate import Estimate, limited, pure
from ..responses import SignedIndex
from ..weights import odds, rare
from ..words import Words
from .base import Counting, Input, Mechanism, OneCell, Section, State
from .frequencies import read_values
from .numbers import range_bytes, read_range
from .ordered import Fit, Ordered


class Unary(Mechanism):
    """A bit for each value, each randomized by a coin."""

    values: int
    other: int  # h of the bit of another value, in 2^-64

    def __init__(self, epsilon: float, values: int) -> None:
        self.epsilon, self.values = epsilon, values
        self.other = rare(epsilon / 2 if self.name == "sue" else epsilon)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Unary:
        return cls(epsilon, read_values(reader, 1 << 16))

    def parameters(self) -> bytes:
        return integer_bytes(self.values, 4)

    def inputs(self) -> list[Input]:
        return [Input(self.values)]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        row = 0
        for begin in range(0, self.values, 64):
            row |= words.coins(min(64, self.values - begin), self.other, 64) << begin
        own = words.coins(1, (1 << 64) - self.other, 64) if self.name == "sue" else words.coins(1, 1, 1)
        row = row & ~(1 << codes[0]) | own << codes[0]
        return integer_bytes(row, self.payload_size)

    @property
    def payload_size(self) -> int:
        return bit_bytes(self.values)

    def check(self, payload: bytes) -> None:
        read_bits(payload, self.values)

    def layout(self) -> list[Section]:
        return [Section(self.values, 0), Section(1, 16)]

    def count(self, state: State, payload: bytes) -> None:
        row = read_bits(payload, self.values)
        for value in range(self.values):
            state[0][value] += row >> value & 1
        state[1][0] += row.bit_count() ** 2

    def possible(self, state: State, n: int) -> bool:
        return max(state[0]) <= n and state[1][0] <= n * self.values**2

    def estimates(self, state: State, n: int) -> list[Estimate]:
        q = self.other / 2**64
        p = 1 - q if self.name == "sue" else 0.5
        return [pure(0, value, count, n, p, q) for value, count in enumerate(state[0])]


class SymmetricUnary(Unary):
    """Symmetric unary encoding."""

    name: ClassVar[str] = "sue"


class OptimizedUnary(Unary):
    """Optimized unary encoding."""

    name: ClassVar[str] = "oue"


class Hadamard(OneCell):
    """A column in a block of Hadamard matrices."""

    name = "hadamard"

    def __init__(self, epsilon: float, values: int, blocks: int) -> None:
        self.epsilon, self.values, self.blocks = epsilon, values, blocks
        self.order = 1 << (-(-values // blocks)).bit_length()
        self.cells = blocks * self.order
        self.heavy, self.light = odds(epsilon, 1, 2 * blocks - 1)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Hadamard:
        values, blocks = read_values(reader, 1 << 24), reader.integer(4)
        if not 1 <= blocks <= values:
            raise Refused(f"the number of blocks is {blocks}")
        return cls(epsilon, values, blocks)

    def parameters(self) -> bytes:
        return integer_bytes(self.values, 4) + integer_bytes(self.blocks, 4)

    def inputs(self) -> list[Input]:
        return [Input(self.values)]

    @staticmethod
    def _side(row: int, column: int, inside: bool) -> int:
        positive = (row & column).bit_count() % 2 == 0
        return column if inside == positive else column ^ (row & -row)

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        row, own = codes[0] // self.blocks + 1, codes[0] % self.blocks
        others = 2 * self.blocks - 1
        inside = words.chance(self.heavy, self.heavy + others * self.light)
        if self.blocks == 1:
            return cell_bytes(self._side(row, words.bits(self.order.bit_length() - 1), inside), self.cells)
        drawn = words.below(others * self.order)
        column, half = drawn % self.order, 0 if inside else drawn // self.order
        if half == 0:
            return cell_bytes(own * self.order + self._side(row, column, inside), self.cells)
        block = (half - 1) // 2
        return cell_bytes((block + (block >= own)) * self.order + column, self.cells)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        return [self._share(value, state[0], n) for value in range(self.values)]

    def _share(self, value: int, counters: list[int], n: int) -> Estimate:
        row, own = value // self.blocks + 1, value % self.blocks
        block = counters[own * self.order : (own + 1) * self.order]
        positive = sum(c for column, c in enumerate(block) if (row & column).bit_count() % 2 == 0)
        total = self.heavy + (2 * self.blocks - 1) * self.light
        if self.blocks == 1:
            return pure(0, value, positive, n, self.heavy / total, 0.5)
        if n == 0:
            return Estimate(0, value, "proportion", None)
        reports, gain = sum(block), (self.heavy - self.light) / total
        share = (2 * positive - reports) / (n * gain)
        f = limited(share, 0, 1)
        noise = (reports + 0.5) / (n * gain**2)
        errors = (math.sqrt(max(0.0, noise - known) / n) for known in (f, f**2))
        return Estimate(0, value, "proportion", share, *errors)


class HaarOrdered(Counting, Ordered):
    """One bit about a node of a binary tree over k points in order."""

    name = "haar_ordered"

    def __init__(
        self, epsilon: float, points: int, bits: int, numbers: int, bounds: tuple[float, float] | None
    ) -> None:
        self.epsilon, self.points, self.bits, self.numbers, self.bounds = epsilon, points, bits, numbers, bounds
        self.depth = (points - 1).bit_length()
        self.indices = [SignedIndex.at(epsilon, level, min(bits, level)) for level in range(self.depth)]

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> HaarOrdered:
        points, bits, numbers = reader.integer(4), reader.integer(1), reader.integer(1)
        if not 2 <= points <= 1 << 20 or numbers > 2 or bits >= (points - 1).bit_length():
            raise Refused("points, numbers or buckets are wrong")
        if numbers == 2 and points < 3:
            raise Refused("one point and missing numbers")
        return cls(epsilon, points, bits, numbers, read_range(reader) if numbers else None)

    def parameters(self) -> bytes:
        head = integer_bytes(self.points, 4) + bytes([self.bits, self.numbers])
        return head + (range_bytes(self.bounds) if self.bounds else b"")

    def weights(self) -> list[int]:
        """Returns the weights of the levels."""
        result = []
        for level, index in enumerate(self.indices):
            width, p, q = 2.0 ** (self.depth - level), index.response.p, index.response.q
            squares = 1 / 6 + 1 / (3 * width * width) - 1 / (8 * 2.0**level)
            noise = (2 * q + (p - q) * (1 / (1 << index.buckets))) / ((p - q) * (p - q))
            result.append(math.floor(2.0**32 * math.sqrt(squares * noise)))
        return result

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        level = words.outcome(self.weights())
        below = self.depth - level
        output = self.indices[level].draw(codes[0] >> below, codes[0] >> (below - 1) & 1, words)
        return bytes([level]) + cell_bytes(output, 1 << self.depth)

    @property
    def payload_size(self) -> int:
        return 1 + cell_size(1 << self.depth)

    def sizes(self) -> list[int]:
        return [index.outputs for index in self.indices]

    def counter(self, payload: bytes) -> tuple[int, int]:
        level, output = payload[0], read_cell(payload[1:], 1 << self.depth)
        if level >= self.depth or output >= self.indices[level].outputs:
            raise Refused("the output does not belong to the level")
        return level, output

    def fit(self, state: State, n: int) -> Fit:
        return HaarFit(self, state, n)


class HaarFit(Fit):
    """The unbiased estimate from the coefficients of all nodes, and its errors."""

    def __init__(self, mechanism: HaarOrdered, state: State, n: int) -> None:
        self.mechanism, self.n, self.points = mechanism, n, mechanism.points
        self.reports = [sum(counters) for counters in state]
        self.coefficients = [
            [self._coefficient(level, node, state[level]) for node in range(self._nodes(level))]
            for level in range(mechanism.depth)
        ]
        self.people = self.pooled_shares()

    def _nodes(self, level: int) -> int:
        return -(-self.points // (1 << (self.mechanism.depth - level)))

    def _coefficient(self, level: int, node: int, counters: list[int]) -> float:
        """Returns the estimated coefficient of a node."""
        index = self.mechanism.indices[level]
        _, difference = index.totals(node, counters)
        return difference / ((index.response.p - index.response.q) * max(self.reports[level], 1))

    def weights(self, function: Sequence[float]) -> tuple[float, list[list[float]]]:
        """Returns the constant and the Haar coefficients of a function of the points, level by level."""
        means, levels = list(function), list[list[float]]()
        for level in range(self.mechanism.depth - 1, -1, -1):
            pairs = [means[2 * node : 2 * node + 2] for node in range(self._nodes(level))]
            levels.insert(0, [(pair[0] - pair[1]) / 2 if len(pair) == 2 else 0.0 for pair in pairs])
            means = [sum(pair) / len(pair) for pair in pairs]
        return means[0], levels

    def value(self, function: Sequence[float]) -> float:
        constant, levels = self.weights(function)
        sums = (math.fsum(v * d for v, d in zip(own, found)) for own, found in zip(levels, self.coefficients))
        return constant + math.fsum(sums)

    def variance(self, function: Sequence[float]) -> float:
        _, levels = self.weights(function)
        return math.fsum(self._level(level, own) for level, own in enumerate(levels))

    def _level(self, level: int, weights: list[float]) -> float:
        """Returns the contribution of a level to n times the variance."""
        m, index = self.reports[level], self.mechanism.indices[level]
        if m == 0:
            return self.n * max(v**2 for v in weights)
        p, q, buckets = index.response.p, index.response.q, 1 << index.buckets
        squares = [0.0] * buckets
        for node, v in enumerate(weights):
            squares[index.bucket(node)] += v**2
        below, mean, held = self.mechanism.depth - level, 0.0, 0.0
        for point, share in enumerate(self.people):
            node = point >> below
            mean += share * (-weights[node] if point >> (below - 1) & 1 else weights[node])
            held += share * squares[index.bucket(node)]
        known, total = m / (m + 1), math.fsum(squares)
        mean *= known
        held = known * held + (1 - known) * total / buckets
        return self.n / m * ((2 * q * total + (p - q) * held) / (p - q) ** 2 - mean**2)
