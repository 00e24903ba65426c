"""`grr`, `subset`, `olh` and `blh`: one category (doc/formats.md; doc/draws.md, "Core profile: frequencies")."""

from __future__ import annotations

from typing import Any, ClassVar, Sequence

from ..binary import Reader, cell_bytes, cell_size, integer_bytes, read_cell
from ..errors import Refused
from ..estimate import Estimate, pure
from ..responses import Subset, Symmetric
from ..words import MASK, Words
from .base import Input, Mechanism, OneCell, OneSet, Section, SetForm, State


def read_values(reader: Reader, most: int) -> int:
    """Returns k, the number of values, which is 2 to `most`."""
    values = reader.integer(4)
    if not 2 <= values <= most:
        raise Refused(f"the number of values is {values}")
    return values


class Grr(OneCell):
    """Generalized randomized response."""

    name = "grr"

    def __init__(self, epsilon: float, values: int) -> None:
        self.epsilon, self.cells = epsilon, values
        self.response = Symmetric.at(epsilon, values)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Grr:
        return cls(epsilon, read_values(reader, 1 << 24))

    def parameters(self) -> bytes:
        return integer_bytes(self.cells, 4)

    def inputs(self) -> list[Input]:
        return [Input(self.cells)]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        return cell_bytes(self.response.draw(codes[0], words), self.cells)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        p, q = self.response.p, self.response.q
        return [pure(0, value, count, n, p, q) for value, count in enumerate(state[0])]


class SubsetSelection(OneSet):
    """Subset selection: a set of w of k values."""

    name = "subset"

    def __init__(self, epsilon: float, values: int, width: int) -> None:
        self.epsilon, self.values, self.width = epsilon, values, width
        self.response = Subset.at(epsilon, values, width)
        self.form = SetForm(values, width)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> SubsetSelection:
        values, width = read_values(reader, 1 << 16), reader.integer(4)
        if not 1 <= width < values:
            raise Refused(f"the set size is {width} of {values}")
        return cls(epsilon, values, width)

    def parameters(self) -> bytes:
        return integer_bytes(self.values, 4) + integer_bytes(self.width, 4)

    def inputs(self) -> list[Input]:
        return [Input(self.values)]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        return self.form.write(self.response.draw(codes[0], words))

    def layout(self) -> list[Section]:
        return [self.form.section()]

    def estimates(self, state: State, n: int) -> list[Estimate]:
        p, q = self.response.p, self.response.q
        return [pure(0, value, count, n, p, q) for value, count in enumerate(state[0])]


class LocalHashing(Mechanism):
    """Optimal local hashing: a hash function and a bucket."""

    name: ClassVar[str] = "olh"

    def __init__(self, epsilon: float, values: int, buckets: int) -> None:
        self.epsilon, self.values, self.buckets = epsilon, values, buckets
        self.response = Symmetric.at(epsilon, buckets)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> LocalHashing:
        values, buckets = read_values(reader, 1 << 20), reader.integer(4)
        if not 2 <= buckets <= (2 if cls.name == "blh" else 1 << 16):
            raise Refused(f"the number of buckets is {buckets}")
        return cls(epsilon, values, buckets)

    def parameters(self) -> bytes:
        return integer_bytes(self.values, 4) + integer_bytes(self.buckets, 4)

    def inputs(self) -> list[Input]:
        return [Input(self.values)]

    def bucket(self, value: int, a: int, b: int) -> int:
        """Returns the bucket of a value under the hash function (a, b)."""
        return self.buckets * (((a * (value * (value + 1) // 2) + b) & MASK) >> 32) >> 32

    def public(self, words: Words) -> tuple[int, int]:
        return words.word(), words.word()

    def permanent(self, codes: Sequence[int], public: tuple[int, int], words: Words) -> bytes:
        a, b = public
        response = self.response.draw(self.bucket(codes[0], a, b), words)
        return integer_bytes(a, 8) + integer_bytes(b, 8) + cell_bytes(response, self.buckets)

    @property
    def payload_size(self) -> int:
        return 16 + cell_size(self.buckets)

    def check(self, payload: bytes) -> None:
        read_cell(payload[16:], self.buckets)

    def layout(self) -> list[Section]:
        return [Section(self.values, 0), Section(1, 16), Section(16), Section(16)]

    def count(self, state: State, payload: bytes) -> None:
        a, b = int.from_bytes(payload[:8], "little"), int.from_bytes(payload[8:16], "little")
        bucket = read_cell(payload[16:], self.buckets)
        supported = [value for value in range(self.values) if self.bucket(value, a, b) == bucket]
        for value in supported:
            state[0][value] += 1
        state[1][0] += len(supported) ** 2
        state[2][a >> 60] += 1
        state[3][b >> 60] += 1

    def possible(self, state: State, n: int) -> bool:
        counted = max(state[0]) <= n and state[1][0] <= n * self.values**2
        return counted and sum(state[2]) == n and sum(state[3]) == n

    def estimates(self, state: State, n: int) -> list[Estimate]:
        p, q = self.response.p, 1 / self.buckets
        return [pure(0, value, count, n, p, q) for value, count in enumerate(state[0])]


class BinaryLocalHashing(LocalHashing):
    """Binary local hashing: local hashing with two buckets."""

    name = "blh"
