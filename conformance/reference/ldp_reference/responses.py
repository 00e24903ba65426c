"""Draws that several mechanisms share: doc/draws.md, section "Draws that several mechanisms share"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .weights import odds
from .words import Words


def two_weights(words: Words, high: int, heavy: int, low: int, light: int) -> int:
    """Returns pick(H for each of `high` outcomes, then L for each of `low` outcomes)."""
    drawn = words.below(high * heavy + low * light)
    if drawn < high * heavy:
        return drawn // heavy
    return high + (drawn - high * heavy) // light


@dataclass(frozen=True)
class Symmetric:
    """The symmetric response over `size` values at `epsilon`, with its weights and probabilities."""

    size: int
    heavy: int
    light: int

    @classmethod
    def at(cls, epsilon: float, size: int) -> Symmetric:
        """Returns the response with odds(epsilon, 1, size - 1)."""
        return cls(size, *odds(epsilon, 1, size - 1))

    @property
    def total(self) -> int:
        """Returns T."""
        return self.heavy + (self.size - 1) * self.light

    @property
    def p(self) -> float:
        """Returns the probability of the true value."""
        return self.heavy / self.total

    @property
    def q(self) -> float:
        """Returns the probability of each other value."""
        return self.light / self.total

    def draw(self, value: int, words: Words) -> int:
        """Returns the response of a person with `value`."""
        drawn = words.below(self.total)
        if drawn < self.heavy:
            return value
        other = (drawn - self.heavy) // self.light
        return other if other < value else other + 1


@dataclass(frozen=True)
class Subset:
    """A random set of `width` of `size` values at `epsilon`, with its weights and probabilities."""

    size: int
    width: int
    heavy: int
    light: int

    @classmethod
    def at(cls, epsilon: float, size: int, width: int) -> Subset:
        """Returns the response with odds(epsilon, width, size - width)."""
        return cls(size, width, *odds(epsilon, width, size - width))

    @property
    def total(self) -> int:
        """Returns T."""
        return self.width * self.heavy + (self.size - self.width) * self.light

    @property
    def p(self) -> float:
        """Returns the probability that the set contains the person's value."""
        return self.width * self.heavy / self.total

    @property
    def q(self) -> float:
        """Returns the probability that the set contains another given value."""
        without = (self.width - 1) * self.heavy + (self.size - self.width) * self.light
        return self.width * without / ((self.size - 1) * self.total)

    def draw(self, value: int, words: Words) -> list[int]:
        """Returns the set of a person with `value`, in ascending order."""

        def other(index: int) -> int:
            return index if index < value else index + 1

        inside = words.chance(self.width * self.heavy, self.total)
        first = words.below(self.size - self.width)
        members = {value if inside else other(first)}
        for last in range(self.size - self.width, self.size - 1):
            candidate = other(words.below(last + 1))
            members.add(candidate if candidate not in members else other(last))
        return sorted(members)

    def even_and_held(self) -> tuple[float, float]:
        """Returns "even" and "held" of doc/theory-joint.md, section "`joint`"."""
        p, q = self.p, self.q
        width, size = self.width, self.size
        with_own = p * (width - 1) / (size - 1)
        two_others = 0.0
        if size > 2:
            two_others = (p * (width - 1) * (width - 2) + (1 - p) * width * (width - 1)) / ((size - 1) * (size - 2))
        return (q - two_others) / (p - q) ** 2, (p - q - 2 * (with_own - two_others)) / (p - q) ** 2


def grid_point(position: float, steps: int, words: Words) -> int:
    """Returns the point of the grid of a position: rounded at random, so that its mean is the position."""
    limited = min(max(position, 0.0), float(steps))
    low = min(math.floor(limited), steps - 1)
    fraction = limited - low
    if fraction >= 1:
        words.chance64(0)
        return low + 1
    return low + words.chance64(math.floor(fraction * 2.0**64))


@dataclass(frozen=True)
class SignedIndex:
    """The response of a position among 2^positions and a sign, through 2^buckets buckets."""

    positions: int
    buckets: int
    response: Symmetric

    @classmethod
    def at(cls, epsilon: float, positions: int, buckets: int) -> SignedIndex:
        """Returns the response with odds(epsilon, 1, 2 g - 1)."""
        return cls(positions, buckets, Symmetric.at(epsilon, 2 << buckets))

    @property
    def outputs(self) -> int:
        """Returns the number of outputs."""
        return 2 << self.positions

    @property
    def columns(self) -> int:
        """Returns the number of columns of a bucket."""
        return 1 << (self.positions - self.buckets)

    def bucket(self, position: int) -> int:
        """Returns the bucket of a position: the exclusive or of its digits in base 2^buckets."""
        result = 0
        while position and self.buckets:
            result ^= position & ((1 << self.buckets) - 1)
            position >>= self.buckets
        return result

    def entry(self, position: int, column: int) -> int:
        """Returns the entry of a position's row in a column: 1 for -1, 0 for +1."""
        return ((position >> self.buckets) & column).bit_count() & 1

    def totals(self, position: int, counters: list[int]) -> tuple[int, int]:
        """Returns the reports of a position's bucket, and those for + minus those for - of the position."""
        bucket, both, difference = self.bucket(position), 0, 0
        for column in range(self.columns):
            plus, minus = (counters[(2 * bucket + sign) * self.columns + column] for sign in (0, 1))
            both += plus + minus
            difference += (minus - plus) if self.entry(position, column) else (plus - minus)
        return both, difference

    def draw(self, position: int, negative: int, words: Words) -> int:
        """Returns the output of a person at `position` with the sign - if `negative` is 1."""
        column = words.bits(self.positions - self.buckets)
        symbol = 2 * self.bucket(position) + (negative ^ self.entry(position, column))
        return self.response.draw(symbol, words) * self.columns + column
