"""`joint_haar`: boxes of ordered attributes (doc/formats.md, "`joint_haar`"; doc/draws.md; doc/theory-joint.md)."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple, Sequence

from ..binary import Reader, cell_bytes, cell_size, read_cell
from ..errors import Refused
from ..estimate import Estimate
from ..responses import SignedIndex
from ..words import Words
from .base import Counting, Input, State
from .joint import Marginal, domains_bytes, marginals_bytes, read_domains, read_marginals


class Query(NamedTuple):
    """A level query: attributes in ascending order, and a level of each."""

    attributes: tuple[int, ...]
    levels: tuple[int, ...]

    @property
    def positions(self) -> int:
        """Returns p: the query has 2^p positions."""
        return sum(self.levels)


class JointHaar(Counting):
    """One bit about a random position of a level query."""

    name = "joint_haar"

    def __init__(
        self, epsilon: float, values: list[int], form: int, marginals: list[Marginal], bits: int, weights: Sequence[int]
    ) -> None:
        """Takes the weights of the kinds of level queries, in their order."""
        self.epsilon, self.values, self.form, self.marginals, self.bits = epsilon, values, form, marginals, bits
        self.kind_weights = list(weights)
        self.depths = [(count - 1).bit_length() for count in values]
        kinds = dict(zip(self.kinds(), weights))
        every = [(query, kinds[self.kind(query)]) for query in self.queries()]
        self.drawn = [(query, weight) for query, weight in every if weight]
        self.indices = [
            SignedIndex.at(epsilon, query.positions, min(bits, query.positions)) for query, _ in self.drawn
        ]
        self.largest = max(index.outputs for index in self.indices)

    def pairs(self) -> list[Marginal]:
        """Returns the marginals of two attributes."""
        return [marginal for marginal in self.marginals if len(marginal) == 2]

    def queries(self) -> list[Query]:
        """Returns all level queries in order: single attributes, then pairs."""
        singles = [Query((a,), (level,)) for a, depth in enumerate(self.depths) for level in range(depth)]
        return singles + [
            Query(pair, levels)
            for pair in self.pairs()
            for levels in itertools.product(*(range(self.depths[a]) for a in pair))
        ]

    def kind(self, query: Query) -> tuple[int, ...]:
        """Returns what level queries of one kind have in common, in the order of comparison."""
        numbers = [(self.depths[a], level) for a, level in zip(query.attributes, query.levels)]
        if len(numbers) == 1:
            pairs = sum(query.attributes[0] in pair for pair in self.pairs())
            return 1, *numbers[0], pairs
        (first, level), (second, other) = sorted(numbers)
        return 2, first, second, level, other

    def kinds(self) -> list[tuple[int, ...]]:
        """Returns the kinds in ascending order."""
        return sorted({self.kind(query) for query in self.queries()})

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> JointHaar:
        values = read_domains(reader, 1 << 20)
        form, marginals = read_marginals(reader, len(values), 2)
        depths = [(count - 1).bit_length() for count in values]
        for pair in (marginal for marginal in marginals if len(marginal) == 2):
            if sum(depths[a] - 1 for a in pair) > 20:
                raise Refused("a pair has too many levels")
        bits = reader.integer(1)
        if bits > 20:
            raise Refused(f"the logarithm of the number of buckets is {bits}")
        kinds = cls.kinds_of(values, marginals)
        weights = reader.take(len(kinds))
        if any(weight == 0 and (kind[0] == 1 or kind[3:] == (0, 0)) for kind, weight in zip(kinds, weights)):
            raise Refused("a weight is 0 that must not be")
        return cls(epsilon, values, form, marginals, bits, weights)

    @classmethod
    def kinds_of(cls, values: list[int], marginals: list[Marginal]) -> list[tuple[int, ...]]:
        """Returns the kinds of level queries of a record, in ascending order."""
        bare = cls.__new__(cls)
        bare.values, bare.marginals = values, marginals
        bare.depths = [(count - 1).bit_length() for count in values]
        if len(bare.queries()) > 65536:
            raise Refused("there are too many level queries")
        return bare.kinds()

    def parameters(self) -> bytes:
        head = domains_bytes(self.values) + marginals_bytes(self.form, self.marginals)
        return head + bytes([self.bits]) + bytes(self.kind_weights)

    def inputs(self) -> list[Input]:
        return [Input(count) for count in self.values]

    def public(self, words: Words) -> int:
        return words.outcome(weight for _, weight in self.drawn)

    def permanent(self, codes: Sequence[int], public: int, words: Words) -> bytes:
        query, _ = self.drawn[public]
        position, negative = 0, 0
        for attribute, level in zip(query.attributes, query.levels):
            below = self.depths[attribute] - level
            position = (position << level) + (codes[attribute] >> below)
            negative ^= codes[attribute] >> (below - 1) & 1
        output = self.indices[public].draw(position, negative, words)
        return cell_bytes(public, len(self.drawn)) + cell_bytes(output, self.largest)

    @property
    def payload_size(self) -> int:
        return cell_size(len(self.drawn)) + cell_size(self.largest)

    def sizes(self) -> list[int]:
        return [index.outputs for index in self.indices]

    def counter(self, payload: bytes) -> tuple[int, int]:
        head = cell_size(len(self.drawn))
        query, output = read_cell(payload[:head], len(self.drawn)), read_cell(payload[head:], self.largest)
        if output >= self.indices[query].outputs:
            raise Refused("the output does not belong to the level query")
        return query, output

    def _coefficient(self, number: int, position: int, counters: list[int]) -> tuple[float, float]:
        """Returns the coefficient of a position, and the share of people in its bucket."""
        index, m = self.indices[number], sum(counters)
        both, difference = index.totals(position, counters)
        p, q = index.response.p, index.response.q
        return difference / (m * (p - q)), (both / m - 2 * q) / (p - q)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        return [
            self._share(attribute, value, state, n)
            for attribute, count in enumerate(self.values)
            for value in range(count)
        ]

    def reports_about(self, attribute: int, state: State, n: int) -> int:
        """Returns the number of reports about the attribute alone: pairs contribute to joint estimates only."""
        singles = (number for number, (query, _) in enumerate(self.drawn) if query.attributes == (attribute,))
        return sum(sum(state[number]) for number in singles)

    def indicator(self, attribute: int, value: int) -> tuple[float, list[float]]:
        """Returns the constant and the weight of each level in the indicator of a value.

        The mean of a node is the mean of the means of its halves. A node without values in its right half has the mean
        of its left half, and no coefficient.
        """
        depth, count = self.depths[attribute], self.values[attribute]
        mean, weights = 1.0, [0.0] * depth
        for level in range(depth - 1, -1, -1):
            half = depth - level - 1
            right = value >> half & 1
            if right or (value >> half) + 1 << half < count:
                mean /= 2
                weights[level] = -mean if right else mean
        return mean, weights

    def _share(self, attribute: int, value: int, state: State, n: int) -> Estimate:
        """Returns the share of a value of an attribute: a constant plus one weighted coefficient of each level."""
        (share, weights), variance = self.indicator(attribute, value), 0.0
        for number, (query, _) in enumerate(self.drawn):
            if query.attributes != (attribute,) or not weights[query.levels[0]]:
                continue
            position, m = value >> (self.depths[attribute] - query.levels[0]), sum(state[number])
            if m < 2:
                return Estimate(attribute, value, "proportion", None)
            weight = weights[query.levels[0]]
            found, bucket_share = self._coefficient(number, position, state[number])
            p, q = self.indices[number].response.p, self.indices[number].response.q
            share += weight * found
            spread = (2 * q + (p - q) * bucket_share) / (p - q) ** 2 - found**2
            variance += weight**2 * spread / (m - 1)
        return self._with_error(attribute, value, share, variance, n)

    @staticmethod
    def _with_error(attribute: int, value: int, share: float, variance: float, n: int) -> Estimate:
        f = min(max(share, 0.0), 1.0)
        sample = math.sqrt(max(0.0, variance - f * (1 - f) / (n - 1)))
        return Estimate(attribute, value, "proportion", share, sample, math.sqrt(max(0.0, variance)))
