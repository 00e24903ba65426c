"""The interface of a mechanism, and the layout of its state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Sequence

from ..binary import (
    Reader,
    bit_bytes,
    cell_bytes,
    cell_size,
    integer_bytes,
    read_bit_counters,
    read_bits,
    read_cell,
    read_counters,
    write_bit_counters,
    write_counters,
)
from ..errors import Refused
from ..estimate import Estimate
from ..words import Words

State = list[list[int]]  # one list of numbers for each section of the state


@dataclass(frozen=True)
class Section:
    """A section of a state: `count` numbers of `size` bytes each, or bit counters if `size` is 0."""

    count: int
    size: int = 8
    signed: bool = False


@dataclass(frozen=True)
class Input:
    """The input of one attribute of a mechanism."""

    codes: int  # number of input codes, from 0
    range: tuple[float, float] | None = None  # of a number
    steps: int = 0  # of a number: its grid has the points 0 to steps
    missing: bool = False  # of a number: the last code stands for "no number"


class Mechanism(ABC):
    """A mechanism with its parameters."""

    name: ClassVar[str]
    epsilon: float

    @classmethod
    @abstractmethod
    def read(cls, epsilon: float, reader: Reader) -> Mechanism:
        """Returns the mechanism with the parameters of a block. Wrong parameters are refused."""

    @abstractmethod
    def parameters(self) -> bytes:
        """Returns the parameters as they stand in a block."""

    @abstractmethod
    def inputs(self) -> list[Input]:
        """Returns the input of each attribute."""

    def public(self, words: Words) -> Any:
        """Makes the public draws of a report. Most mechanisms have none."""
        return None

    @abstractmethod
    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        """Makes the draws that depend on the input codes, and returns the payload."""

    @property
    @abstractmethod
    def payload_size(self) -> int:
        """Returns the bytes of a payload."""

    @abstractmethod
    def check(self, payload: bytes) -> None:
        """Refuses a payload that no report can have. The length is already right."""

    @abstractmethod
    def layout(self) -> list[Section]:
        """Returns the sections of the state."""

    @abstractmethod
    def count(self, state: State, payload: bytes) -> None:
        """Adds a checked payload to a state."""

    @abstractmethod
    def possible(self, state: State, n: int) -> bool:
        """Returns whether the state can be the state of n reports ("possible if" of doc/formats.md, "Summary")."""

    @abstractmethod
    def estimates(self, state: State, n: int) -> list[Estimate]:
        """Returns the estimates from the state of n reports."""

    def reports_about(self, attribute: int, state: State, n: int) -> int:
        """Returns how many of n reports are about an attribute."""
        return n


class PlainCounters(ABC):
    """A state of plain counters: each report adds 1 to one of them, so they sum to n (doc/formats.md, "Summary")."""

    @abstractmethod
    def sizes(self) -> list[int]:
        """Returns the number of counters of each section."""

    def layout(self) -> list[Section]:
        return [Section(size) for size in self.sizes()]

    def possible(self, state: State, n: int) -> bool:
        return sum(sum(counters) for counters in state) == n


class Counting(PlainCounters, Mechanism):
    """A mechanism whose state has plain counters."""

    @abstractmethod
    def counter(self, payload: bytes) -> tuple[int, int]:
        """Returns section and number of the counter of a payload. A payload that no report can have is refused."""

    def check(self, payload: bytes) -> None:
        self.counter(payload)

    def count(self, state: State, payload: bytes) -> None:
        section, number = self.counter(payload)
        state[section][number] += 1


class OneCell(Counting):
    """A mechanism whose payload is a cell of `cells`, with a counter for each."""

    cells: int

    @property
    def payload_size(self) -> int:
        return cell_size(self.cells)

    def sizes(self) -> list[int]:
        return [self.cells]

    def counter(self, payload: bytes) -> tuple[int, int]:
        return 0, read_cell(payload, self.cells)


def draw(mechanism: Mechanism, codes: Sequence[int], words: Words) -> bytes:
    """Returns the payload of a fresh report: public draws, then permanent draws (doc/draws.md, "Steps of a report")."""
    return mechanism.permanent(codes, mechanism.public(words), words)


def new_state(mechanism: Mechanism) -> State:
    """Returns the state of no reports."""
    return [[0] * section.count for section in mechanism.layout()]


def write_state(mechanism: Mechanism, state: State) -> bytes:
    """Returns the bytes of a state."""
    parts = []
    for section, numbers in zip(mechanism.layout(), state, strict=True):
        bits = section.size == 0
        parts.append(write_bit_counters(numbers) if bits else write_counters(numbers, section.size, section.signed))
    return b"".join(parts)


def state_size(mechanism: Mechanism) -> int:
    """Returns the bytes of a state."""
    return sum(s.count * s.size if s.size else 41 * bit_bytes(s.count) for s in mechanism.layout())


def read_state(mechanism: Mechanism, reader: Reader, n: int) -> State:
    """Returns the state of n reports. An impossible state is refused."""
    if reader.left() < state_size(mechanism):
        raise Refused("the state is too short")
    state = [
        read_counters(reader, s.count, s.size, s.signed) if s.size else read_bit_counters(reader, s.count)
        for s in mechanism.layout()
    ]
    if not mechanism.possible(state, n):
        raise Refused("the state is not possible")
    return state


def add_state(state: State, other: State) -> None:
    """Adds another state to a state, number by number (doc/formats.md, "Addition")."""
    for numbers, added in zip(state, other, strict=True):
        for index, number in enumerate(added):
            numbers[index] += number


@dataclass(frozen=True)
class SetForm:
    """A set of `width` of `size` values in a payload: cells in ascending order, or bits if they are not longer."""

    size: int
    width: int

    @property
    def bits(self) -> bool:
        """Returns whether the set is written as bits."""
        return bit_bytes(self.size) <= self.width * cell_size(self.size)

    @property
    def length(self) -> int:
        """Returns the bytes of a set."""
        return min(bit_bytes(self.size), self.width * cell_size(self.size))

    def write(self, members: Sequence[int]) -> bytes:
        """Returns the bytes of a set, whose members are in ascending order."""
        if self.bits:
            return integer_bytes(sum(1 << member for member in members), bit_bytes(self.size))
        return b"".join(cell_bytes(member, self.size) for member in members)

    def read(self, data: bytes) -> list[int]:
        """Returns the members of a set. A wrong number of members, or a wrong order, is refused."""
        if self.bits:
            number = read_bits(data, self.size)
            members = [index for index in range(self.size) if number >> index & 1]
        else:
            size = cell_size(self.size)
            members = [read_cell(data[i : i + size], self.size) for i in range(0, len(data), size)]
        if len(members) != self.width or any(a >= b for a, b in zip(members, members[1:])):
            raise Refused("the set is not in ascending order, or has the wrong size")
        return members

    def section(self) -> Section:
        """Returns the section of the state that counts the members: bit counters if the sets are bits."""
        return Section(self.size, 0 if self.bits else 8)

    def possible(self, counters: list[int], n: int) -> bool:
        """Returns whether the counters can be those of n sets."""
        return max(counters) <= n and sum(counters) == n * self.width


class OneSet(Mechanism):
    """A mechanism whose payload is a set, with a counter for each member."""

    form: SetForm

    @property
    def payload_size(self) -> int:
        return self.form.length

    def check(self, payload: bytes) -> None:
        self.form.read(payload)

    def count(self, state: State, payload: bytes) -> None:
        for member in self.form.read(payload):
            state[0][member] += 1

    def possible(self, state: State, n: int) -> bool:
        return self.form.possible(state[0], n)


class DrawnSet(Mechanism):
    """A mechanism whose payload is the number of a domain, such as a marginal or a level, and a set of its values.

    The state has for each domain the number of its reports, and a counter for each of its values.
    """

    forms: list[SetForm]

    @property
    def longest(self) -> int:
        """Returns the bytes of the longest set."""
        return max(form.length for form in self.forms)

    def write(self, drawn: int, members: Sequence[int]) -> bytes:
        """Returns the payload with a set of a domain."""
        return cell_bytes(drawn, len(self.forms)) + self.forms[drawn].write(members).ljust(self.longest, b"\0")

    @property
    def payload_size(self) -> int:
        return cell_size(len(self.forms)) + self.longest

    def _split(self, payload: bytes) -> tuple[int, list[int]]:
        """Returns the domain and the set of a payload."""
        head = cell_size(len(self.forms))
        drawn = read_cell(payload[:head], len(self.forms))
        end = head + self.forms[drawn].length
        zero_padding(payload, end)
        return drawn, self.forms[drawn].read(payload[head:end])

    def check(self, payload: bytes) -> None:
        self._split(payload)

    def count(self, state: State, payload: bytes) -> None:
        drawn, members = self._split(payload)
        state[2 * drawn][0] += 1
        for member in members:
            state[2 * drawn + 1][member] += 1

    def possible(self, state: State, n: int) -> bool:
        reports = [counter[0] for counter in state[::2]]
        sets = zip(self.forms, state[1::2], reports)
        return sum(reports) == n and all(form.possible(counters, m) for form, counters, m in sets)


def zero_padding(payload: bytes, start: int) -> None:
    """Refuses bytes other than 0 from `start` on."""
    if any(payload[start:]):
        raise Refused("the padding is not 0")
