"""`duchi_vector` and the sampled form of `haar` (doc/draws.md, "Core profile: vectors"; doc/theory-vectors.md)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple, Sequence

from ..binary import Reader, bit_bytes, cell_bytes, cell_size, integer_bytes, read_bits, read_cell, read_runs, runs_of
from ..block import NUMBERS
from ..errors import Refused, Unsupported
from ..estimate import Estimate, Moments, limited
from ..responses import grid_point
from ..weights import rare
from ..words import Words
from .base import Input, Mechanism, Section, State
from .channels import Bit, Channel, read_channel
from .numbers import range_bytes, read_range, read_steps

Range = tuple[float, float]
# The channels in the field "response": 0 for the window of any width, otherwise the number of the mechanism.
CHANNELS = {0: "pdp"} | {NUMBERS[name]: name for name in ("laplace", "duchi", "hybrid", "optimal")}


def read_dimension(reader: Reader) -> int:
    """Returns d, which is 2 to 4096."""
    dimension = reader.integer(4)
    if not 2 <= dimension <= 4096:
        raise Refused(f"the vector has {dimension} elements")
    return dimension


def ranges_bytes(ranges: list[Range]) -> bytes:
    """Returns the ranges of the attributes in runs."""
    runs = runs_of(ranges)
    return integer_bytes(len(runs), 2) + b"".join(integer_bytes(n, 4) + range_bytes(bounds) for n, bounds in runs)


class DuchiVector(Mechanism):
    """A sign vector for all attributes."""

    name = "duchi_vector"

    def __init__(self, epsilon: float, steps: int, ranges: list[Range]) -> None:
        self.epsilon, self.steps, self.ranges = epsilon, steps, ranges
        self.turned = rare(epsilon)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> DuchiVector:
        dimension, steps = read_dimension(reader), read_steps(reader)
        return cls(epsilon, steps, read_runs(reader, dimension, 4, read_range))

    def parameters(self) -> bytes:
        return integer_bytes(len(self.ranges), 4) + integer_bytes(self.steps, 4) + ranges_bytes(self.ranges)

    def inputs(self) -> list[Input]:
        return [Input(self.steps + 1, bounds, self.steps) for bounds in self.ranges]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        dimension = len(self.ranges)
        turned = words.chance64(self.turned)
        signs, own = 0, 0
        for begin in range(0, dimension, 64):
            size = min(64, dimension - begin)
            signs |= words.bits(size) << begin
            for index in range(begin, begin + size):
                own |= words.chance(codes[index], self.steps) << index
        against = (signs ^ own).bit_count()
        if turned:
            against = dimension - against
        if 2 * against > dimension:
            signs ^= (1 << dimension) - 1
        return integer_bytes(signs, self.payload_size)

    @property
    def payload_size(self) -> int:
        return bit_bytes(len(self.ranges))

    def check(self, payload: bytes) -> None:
        read_bits(payload, len(self.ranges))

    def layout(self) -> list[Section]:
        return [Section(len(self.ranges), 0), Section(1, 16)]

    def count(self, state: State, payload: bytes) -> None:
        signs = read_bits(payload, len(self.ranges))
        for index in range(len(self.ranges)):
            state[0][index] += signs >> index & 1
        state[1][0] += signs.bit_count() ** 2

    def possible(self, state: State, n: int) -> bool:
        ones, squares = sum(state[0]), state[1][0]
        return max(state[0]) <= n and squares <= len(self.ranges) * ones and ones**2 <= n * squares

    def magnitude(self) -> float:
        """Returns B, the length of each coordinate of a decoded sign vector."""
        average = Fraction(1)
        for i in range(1, len(self.ranges) // 2 + 1):
            average *= Fraction(2 * i - 1, 2 * i)
        return float(1 / (average * (1 - Fraction(2 * self.turned, 1 << 64))))

    def estimates(self, state: State, n: int) -> list[Estimate]:
        if n == 0:
            return [Estimate(index, None, "mean", None) for index in range(len(self.ranges))]
        magnitude, result = self.magnitude(), []
        for index, (low, high) in enumerate(self.ranges):
            mean, half = magnitude * (2 * state[0][index] / n - 1), (high - low) / 2
            error = half * math.sqrt((magnitude**2 - limited(mean, -1, 1) ** 2) / n)
            result.append(Estimate(index, None, "mean", low + half * (1 + mean), error, error))
        return result


class Node(NamedTuple):
    """A node of the tree of attributes that has a coefficient: the attributes of its halves, as ranges of numbers."""

    begin: int
    middle: int
    end: int


def nodes_of(dimension: int) -> list[Node]:
    """Returns the nodes with a coefficient, from the root, level by level, from left to right ("Coefficients")."""
    width = 1 << (dimension - 1).bit_length()
    nodes = []
    while width > 1:
        for begin in range(0, dimension, width):
            if begin + width // 2 < dimension:
                nodes.append(Node(begin, begin + width // 2, min(begin + width, dimension)))
        width //= 2
    return nodes


def coefficients_of(leaves: Sequence[float]) -> list[float]:
    """Returns the coefficients of a vector: the mean, then those of `nodes_of`."""
    found: dict[tuple[int, int], float] = {}

    def mean(begin: int, width: int) -> float:
        if width == 1:
            return leaves[begin]
        left = mean(begin, width // 2)
        if begin + width // 2 >= len(leaves):
            return left
        right = mean(begin + width // 2, width // 2)
        found[begin, begin + width // 2] = (left - right) / 2
        return (left + right) / 2

    root = mean(0, 1 << (len(leaves) - 1).bit_length())
    return [root] + [found[node.begin, node.middle] for node in nodes_of(len(leaves))]


class Haar(Mechanism):
    """One coefficient of the Haar transform, in one layer."""

    name = "haar"

    def __init__(
        self,
        epsilon: float,
        response: int,
        channel: Channel,
        ranges: list[Range],
        aim: int,
        limits: list[tuple[int, int]],
    ) -> None:
        self.response = response
        self.epsilon, self.channel, self.ranges, self.aim, self.limits = epsilon, channel, ranges, aim, limits
        self.nodes = nodes_of(len(ranges))
        self.weights = self._weights()

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Haar:
        dimension, steps, width = read_dimension(reader), read_steps(reader), reader.integer(4)
        form, response = reader.integer(1), reader.integer(1)
        if form > 1 or response not in CHANNELS:
            raise Refused("form or response of the vector is wrong")
        if form == 1:
            raise Unsupported("haar with global coefficients")
        channel = read_channel(CHANNELS[response], epsilon, steps, width, reader)
        ranges, aim = read_runs(reader, dimension, 4, read_range), reader.integer(1)
        limits = read_runs(reader, dimension, 2, lambda r: (r.integer(1, signed=True), r.integer(1, signed=True)))
        if aim > 2 or any(not -127 <= low < high for low, high in limits):
            raise Refused("the aim or a range of a coefficient is wrong")
        if reader.left() == 8:
            raise Unsupported("two layers")
        return cls(epsilon, response, channel, ranges, aim, limits)

    def parameters(self) -> bytes:
        head = integer_bytes(len(self.ranges), 4) + self.channel.head() + bytes([0, self.response])
        head += self.channel.knots + ranges_bytes(self.ranges) + bytes([self.aim])
        runs = runs_of(self.limits)
        head += integer_bytes(len(runs), 2)
        return head + b"".join(integer_bytes(n, 2) + bytes([low & 255, high & 255]) for n, (low, high) in runs)

    def inputs(self) -> list[Input]:
        return [Input(self.channel.steps + 1, bounds, self.channel.steps) for bounds in self.ranges]

    def _need(self, coefficient: int, aim: int) -> float:
        """Returns the need of a coefficient for an aim ("Weights of the draw")."""
        dimension = len(self.ranges)
        begin, middle, end = (0, dimension, dimension) if coefficient == 0 else self.nodes[coefficient - 1]
        plus, minus = middle - begin, end - middle
        if aim == 0:
            return plus + minus
        if aim == 1:
            return ((plus - minus) / dimension) ** 2
        weights = [
            min(max(t - begin, 0), plus) - min(max(t - middle, 0), minus) for t in range(1, dimension + 1)
        ]
        total, squares = sum(weights), sum(weight**2 for weight in weights)
        return ((dimension + 1) * squares - total**2) / (dimension * (dimension + 1) / 2)

    def _weights(self) -> list[int]:
        """Returns W_c."""

        def scaled(aim: int) -> list[float]:
            return [
                (high - low) / 254 * math.sqrt(self._need(c, aim)) for c, (low, high) in enumerate(self.limits)
            ]

        if self.aim != 1:
            return [math.floor(2.0**32 * weight) for weight in scaled(self.aim)]
        own, leaves = scaled(1), scaled(0)
        own_sum, leaves_sum = sum(own), sum(leaves)
        return [math.floor(2.0**56 * (7 / 8 * w / own_sum + 1 / 8 * u / leaves_sum)) for w, u in zip(own, leaves)]

    def public(self, words: Words) -> int:
        return words.outcome(self.weights)

    def permanent(self, codes: Sequence[int], public: int, words: Words) -> bytes:
        steps = self.channel.steps
        value = coefficients_of([2 * code / steps - 1 for code in codes])[public]
        low, high = self.limits[public]
        point = grid_point((value - low / 127) / (2 * ((high - low) / 254)) * steps, steps, words)
        return cell_bytes(public, len(self.ranges)) + cell_bytes(self.channel.draw(point, words), self.channel.outputs)

    @property
    def payload_size(self) -> int:
        return cell_size(len(self.ranges)) + cell_size(self.channel.outputs)

    def _split(self, payload: bytes) -> tuple[int, int]:
        """Returns the coefficient and the cell of a payload."""
        head = cell_size(len(self.ranges))
        return read_cell(payload[:head], len(self.ranges)), read_cell(payload[head:], self.channel.outputs)

    def check(self, payload: bytes) -> None:
        self._split(payload)

    def layout(self) -> list[Section]:
        return [Section(1), *self.channel.layout()] * len(self.ranges)

    def _parts(self, state: State) -> list[tuple[list[int], State]]:
        """Returns the number of reports (a list of one number) and the state of each coefficient."""
        size = 1 + len(self.channel.layout())
        return [(state[i], state[i + 1 : i + size]) for i in range(0, len(state), size)]

    def count(self, state: State, payload: bytes) -> None:
        coefficient, cell = self._split(payload)
        reports, own = self._parts(state)[coefficient]
        reports[0] += 1
        self.channel.count(own, cell)

    def possible(self, state: State, n: int) -> bool:
        parts = self._parts(state)
        if sum(reports[0] for reports, _ in parts) != n:
            return False
        return all(self.channel.possible(own, reports[0]) for reports, own in parts)

    def _moments(self, state: State) -> list[tuple[int, Moments | None]]:
        """Returns the number of reports and the moments of each coefficient, in steps."""
        parts = [(reports[0], own) for reports, own in self._parts(state)]
        return [(m, self.channel.moments(own, m) if m else None) for m, own in parts]

    def values(self, state: State) -> list[tuple[float, float] | None]:
        """Returns value and variance of each coefficient, for combinations; None without reports."""
        moments, steps = self._moments(state), self.channel.steps
        known = [(m, part) for m, part in moments if part]
        degrees = sum(m - 1 for m, _ in known)
        pooled = steps**2 / 12
        if degrees:
            pooled = math.fsum(m * part.sampling + part.noise for m, part in known) / degrees
        result: list[tuple[float, float] | None] = []
        for (m, part), (low, high) in zip(moments, self.limits):
            if part is None:
                result.append(None)
                continue
            step = 2 * ((high - low) / 254) / steps
            spread = part.sampling
            if not isinstance(self.channel, Bit):
                spread += (part.noise + pooled) / m
            result.append((low / 127 + step * part.mean, step**2 * (part.noise + spread) / m))
        return result

    def estimates(self, state: State, n: int) -> list[Estimate]:
        values, result = self.values(state), []
        for index, (low, high) in enumerate(self.ranges):
            path = [(1.0, values[0])]
            for node, value in zip(self.nodes, values[1:]):
                if node.begin <= index < node.end:
                    path.append((1.0 if index < node.middle else -1.0, value))
            known = [(sign, value) for sign, value in path if value is not None]
            if len(known) < len(path):
                result.append(Estimate(index, None, "mean", None))
                continue
            half = (high - low) / 2
            mean = math.fsum(sign * value[0] for sign, value in known)
            error = half * math.sqrt(math.fsum(value[1] for _, value in known))
            result.append(Estimate(index, None, "mean", low + half * (1 + mean), error, error))
        return result
