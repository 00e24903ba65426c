"""`strings`: prefixes in cohorts (doc/formats.md, "`strings`"; doc/draws.md, "`strings`")."""

from __future__ import annotations

import math
from typing import Sequence

from ..binary import Reader, cell_bytes, cell_size, integer_bytes, read_cell
from ..errors import Refused
from ..estimate import Estimate, limited
from ..responses import Symmetric
from ..words import MASK, Words
from .base import Counting, Input, State

GOLDEN = 0x9E3779B97F4A7C15
MOST_COUNTERS = 1 << 20
MOST_FIRST, MOST_NEXT = 1 << 20, 1 << 17  # strings of the first level, and continuations on a later one


def mix(z: int) -> int:
    """Returns the finalizer of SplitMix64."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def strings_of(alphabet: int, longest: int) -> int:
    """Returns the number of strings of at most `longest` characters."""
    return sum(int(alphabet**length) for length in range(longest + 1))


class Strings(Counting):
    """A level, a cohort and the bucket of the string's prefix."""

    name = "strings"

    def __init__(self, epsilon: float, alphabet: int, longest: int, first: int, step: int, buckets: int, cohorts: int):
        self.epsilon, self.alphabet, self.longest, self.first, self.step = epsilon, alphabet, longest, first, step
        self.buckets, self.cohorts = buckets, cohorts
        self.base = alphabet + 1
        self.lengths = [first]
        while self.lengths[-1] < longest:
            self.lengths.append(min(self.lengths[-1] + step, longest))
        self.response = Symmetric.at(epsilon, buckets)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Strings:
        alphabet, longest, first, step = reader.integer(4), reader.integer(1), reader.integer(1), reader.integer(1)
        buckets, cohorts = reader.integer(4), reader.integer(4)
        if not 1 <= alphabet <= 65535 or not 1 <= longest <= 63 or (alphabet + 1) ** longest > 1 << 63:
            raise Refused("there are too many strings")
        if not 1 <= first <= longest or not 1 <= step <= longest:
            raise Refused("the levels are wrong")
        later = first < longest and strings_of(alphabet, step) > MOST_NEXT
        if later or strings_of(alphabet, first) > MOST_FIRST:
            raise Refused("a search would examine too many prefixes")
        if not 2 <= buckets <= 65536 or not 1 <= cohorts <= 65536:
            raise Refused("buckets or cohorts are wrong")
        result = cls(epsilon, alphabet, longest, first, step, buckets, cohorts)
        if len(result.lengths) * cohorts * buckets > MOST_COUNTERS:
            raise Refused("there are too many counters")
        return result

    def parameters(self) -> bytes:
        head = integer_bytes(self.alphabet, 4) + bytes([self.longest, self.first, self.step])
        return head + integer_bytes(self.buckets, 4) + integer_bytes(self.cohorts, 4)

    def inputs(self) -> list[Input]:
        return [Input(self.base**self.longest)]

    def _term(self, number: int, level: int, cohort: int) -> int:
        """Returns f(x, k) under a cohort."""
        inner = mix((level << 32) + cohort + GOLDEN & MASK)
        return mix((number * GOLDEN & MASK) ^ inner) * self.buckets >> 64

    def prefix(self, code: int, level: int) -> int:
        """Returns the prefix of a code on a level: the code without the other digits."""
        divisor: int = self.base ** (self.longest - self.lengths[level])
        return code // divisor

    def bucket(self, code: int, level: int, cohort: int) -> int:
        """Returns the bucket of the prefix of a code."""
        added = self.lengths[level] - self.lengths[level - 1] if level else min(self.step, self.first)
        head, tail = divmod(self.prefix(code, level), self.base**added)
        return (self._term(head, level, cohort) + self._term(tail, 255, cohort)) % self.buckets

    def public(self, words: Words) -> tuple[int, int]:
        return words.below(len(self.lengths)), words.below(self.cohorts)

    def permanent(self, codes: Sequence[int], public: tuple[int, int], words: Words) -> bytes:
        level, cohort = public
        response = self.response.draw(self.bucket(codes[0], level, cohort), words)
        return bytes([level]) + integer_bytes(cohort, 2) + cell_bytes(response, self.buckets)

    @property
    def payload_size(self) -> int:
        return 3 + cell_size(self.buckets)

    def sizes(self) -> list[int]:
        return [len(self.lengths) * self.cohorts * self.buckets]

    def _number(self, level: int, cohort: int, bucket: int) -> int:
        """Returns the number of a counter."""
        return (level * self.cohorts + cohort) * self.buckets + bucket

    def counter(self, payload: bytes) -> tuple[int, int]:
        level, cohort = payload[0], int.from_bytes(payload[1:3], "little")
        if level >= len(self.lengths) or cohort >= self.cohorts:
            raise Refused("no such level or cohort")
        return 0, self._number(level, cohort, read_cell(payload[3:], self.buckets))

    def estimates(self, state: State, n: int) -> list[Estimate]:
        """Returns no estimates: they belong to given texts, see `share`."""
        return []

    def _level(self, code: int, level: int, state: State) -> tuple[int, float, float]:
        """Returns the reports of a level, the share of a code on it, and the variance by collisions."""
        counters = state[0]
        cohorts = [
            counters[self._number(level, j, 0) : self._number(level, j + 1, 0)] for j in range(self.cohorts)
        ]
        reports = [sum(cohort) for cohort in cohorts]
        n, g = sum(reports), self.buckets
        gain = (self.response.heavy - self.response.light) / self.response.total
        difference = math.fsum(
            cohort[self.bucket(code, level, j)] - m / g for j, (cohort, m) in enumerate(zip(cohorts, reports)) if m
        )
        share = difference / (n * gain * (1 - 1 / g))
        pairs = sum(m * (m - 1) for m in reports)
        squares = 0.0
        if pairs:
            agreeing = sum(c * (c - 1) for cohort in cohorts for c in cohort) / pairs
            squares = limited((agreeing - 1 / g) / (gain**2 * (1 - 1 / g)), 0, 1)
        others = max(0.0, squares - limited(share, 0, 1) ** 2)
        return n, share, others / (self.cohorts * (g - 1))

    def share(self, attribute: int, text: str, code: int, state: State, n: int) -> Estimate:
        """Returns the share of the string with a code."""
        last = len(self.lengths) - 1
        levels = []
        for level in range(last + 1):
            low = self._number(level, 0, 0)
            reports = sum(state[0][low : low + self.cohorts * self.buckets])
            if reports and (level == last or self.prefix(code, level) % self.base == 0):
                levels.append(self._level(code, level, state))
        total = sum(reports for reports, _, _ in levels)
        if total == 0:
            return Estimate(attribute, text, "proportion", None)
        share = math.fsum(reports * part for reports, part, _ in levels) / total
        collisions = math.fsum(reports**2 * part for reports, _, part in levels) / total**2
        f, p, q = limited(share, 0, 1), self.response.p, 1 / self.buckets
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2
        sample = (noise + (1 - total / n) * f * (1 - f)) / total + collisions
        population = (noise + f * (1 - f)) / total + collisions
        return Estimate(attribute, text, "proportion", share, math.sqrt(sample), math.sqrt(population))
