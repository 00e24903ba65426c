"""Words of randomness and the draws that use them: doc/formats.md, section "A client of your own", "Vectors"."""

from __future__ import annotations

import secrets
from typing import Iterable, Iterator

from .errors import Refused

MASK = (1 << 64) - 1


def mt19937_64(seed: int) -> Iterator[int]:
    """Yields the words of the Mersenne Twister of 64 bits (Nishimura 2000), as `std::mt19937_64` of C++ gives them."""
    size, middle = 312, 156
    state = [seed & MASK]
    for index in range(1, size):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + index) & MASK)
    while True:
        for index in range(size):
            joined = (state[index] & 0xFFFFFFFF80000000) | (state[(index + 1) % size] & 0x7FFFFFFF)
            twisted = (joined >> 1) ^ (0xB5026F5AA96619E9 if joined & 1 else 0)
            state[index] = state[(index + middle) % size] ^ twisted
        for word in state:
            word ^= (word >> 29) & 0x5555555555555555
            word ^= (word << 17) & 0x71D67FFFEDA60000
            word ^= (word << 37) & 0xFFF7EEE000000000
            yield word ^ (word >> 43)


def system_words() -> Iterator[int]:
    """Yields words of the random generator of the operating system, for real reports."""
    while True:
        yield secrets.randbits(64)


class Words:
    """A source of words of 64 bits, with the draws of the table "Draws use the words as follows"."""

    def __init__(self, source: Iterable[int]) -> None:
        self._source = iter(source)
        self.used = 0

    def word(self) -> int:
        """Returns the next word."""
        self.used += 1
        try:
            return next(self._source)
        except StopIteration:
            raise Refused("the list of words is too short") from None

    def below(self, bound: int) -> int:
        """Returns a uniform number below `bound`, at most 2^64 (Lemire 2019)."""
        while True:
            product = self.word() * bound
            if (product & MASK) >= (1 << 64) % bound:
                return product >> 64

    def bits(self, count: int) -> int:
        """Returns `count` fair bits, at most 64: the lowest bits of a word."""
        return self.word() & ((1 << count) - 1)

    def chance(self, part: int, total: int) -> bool:
        """Returns true with probability part/total ("h in t")."""
        return self.below(total) < part

    def chance64(self, part: int) -> bool:
        """Returns true with probability part/2^64."""
        return self.word() < part

    def chance128(self, part: int) -> bool:
        """Returns true with probability part/2^128; the first word is the high half."""
        high = self.word()
        return (high << 64 | self.word()) < part

    def coins(self, count: int, part: int, digits: int) -> int:
        """Returns `count` coins, at most 64, each 1 with probability part/2^digits, as the bits of a number."""
        undecided, result = MASK, 0
        for digit in range(digits - 1, -1, -1):
            word = self.word()
            wanted = MASK if (part >> digit) & 1 else 0
            differs = undecided & (word ^ wanted)
            result |= differs & wanted
            undecided &= ~differs
            if not undecided:
                break
        return result & ((1 << count) - 1)

    def outcome(self, weights: Iterable[int]) -> int:
        """Returns an index with probability proportional to its weight; outcomes are consecutive."""
        listed = list(weights)
        drawn = self.below(sum(listed))
        for index, weight in enumerate(listed):
            if drawn < weight:
                return index
            drawn -= weight
        raise AssertionError("a number below the sum is below one of the partial sums")


def words_of(source: str | list[str]) -> Words:
    """Returns the words that the verb `report` names: "mt19937_64:SEED", "system", or a list of hexadecimal words."""
    if isinstance(source, list):
        return Words(int(word, 16) for word in source)
    if source == "system":
        return Words(system_words())
    name, _, seed = source.partition(":")
    if name != "mt19937_64" or not seed.isdigit():
        raise Refused(f"unknown source of words: {source}")
    return Words(mt19937_64(int(seed)))
