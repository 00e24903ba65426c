"""Numbers, cells, bits, bit counters and runs in bytes: doc/formats.md, sections "The block" to "Summary"."""

from __future__ import annotations

import struct
from typing import Callable, TypeVar

from .errors import Refused

PLANES = 41  # doc/formats.md, "Bit counters"
Item = TypeVar("Item")


class Reader:
    """Reads little-endian numbers from bytes, from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def left(self) -> int:
        """Returns the number of bytes that were not read."""
        return len(self.data) - self.position

    def take(self, count: int) -> bytes:
        """Returns the next bytes."""
        if count > self.left():
            raise Refused("the bytes end too early")
        self.position += count
        return self.data[self.position - count : self.position]

    def integer(self, size: int, signed: bool = False) -> int:
        """Returns a whole number of the given number of bytes."""
        return int.from_bytes(self.take(size), "little", signed=signed)

    def double(self) -> float:
        """Returns an IEEE 754 double."""
        return float(struct.unpack("<d", self.take(8))[0])

    def end(self) -> None:
        """Refuses additional bytes."""
        if self.left():
            raise Refused("there are additional bytes")


def integer_bytes(number: int, size: int) -> bytes:
    """Returns a whole number, little-endian."""
    return number.to_bytes(size, "little")


def double_bytes(number: float) -> bytes:
    """Returns an IEEE 754 double, little-endian."""
    return struct.pack("<d", number)


def cell_size(count: int) -> int:
    """Returns the bytes of a cell of `count` codes: those of the largest code (section "Report")."""
    return max(1, ((count - 1).bit_length() + 7) // 8)


def cell_bytes(code: int, count: int) -> bytes:
    """Returns a cell of `count` codes."""
    return integer_bytes(code, cell_size(count))


def read_cell(data: bytes, count: int) -> int:
    """Returns the code in a cell. A code of `count` or more is refused."""
    code = int.from_bytes(data, "little")
    if len(data) != cell_size(count) or code >= count:
        raise Refused(f"the cell {code} is not below {count}")
    return code


def bit_bytes(count: int) -> int:
    """Returns the bytes of `count` bits."""
    return (count + 7) // 8


def read_bits(data: bytes, count: int) -> int:
    """Returns `count` bits as a number, the lowest first. Bits past the last one must be 0."""
    bits = int.from_bytes(data, "little")
    if len(data) != bit_bytes(count) or bits >> count:
        raise Refused("a bit past the last one is 1")
    return bits


def write_counters(counters: list[int], size: int = 8, signed: bool = False) -> bytes:
    """Returns counters of `size` bytes each."""
    return b"".join(counter.to_bytes(size, "little", signed=signed) for counter in counters)


def read_counters(reader: Reader, count: int, size: int = 8, signed: bool = False) -> list[int]:
    """Returns `count` counters of `size` bytes each."""
    return [reader.integer(size, signed) for _ in range(count)]


def write_bit_counters(counters: list[int]) -> bytes:
    """Returns bit counters: 41 planes, plane j with the j-th binary digit of each counter (section "Summary")."""
    planes = []
    for plane in range(PLANES):
        bits = sum(((counter >> plane) & 1) << index for index, counter in enumerate(counters))
        planes.append(bits.to_bytes(bit_bytes(len(counters)), "little"))
    return b"".join(planes)


def read_bit_counters(reader: Reader, count: int) -> list[int]:
    """Returns bit counters. The spare bits of each plane must be 0."""
    counters = [0] * count
    for plane in range(PLANES):
        bits = read_bits(reader.take(bit_bytes(count)), count)
        for index in range(count):
            counters[index] |= ((bits >> index) & 1) << plane
    return counters


def read_runs(reader: Reader, total: int, length_size: int, item: Callable[[Reader], Item]) -> list[Item]:
    """Returns `total` items that are stored in runs (section "The block", "Runs")."""
    items: list[Item] = []
    for run in range(reader.integer(2)):
        length = reader.integer(length_size)
        value = item(reader)
        if length == 0 or (run and value == items[-1]) or len(items) + length > total:
            raise Refused("the runs of the block are wrong")
        items += [value] * length
    if len(items) != total:
        raise Refused("the lengths of the runs do not add up")
    return items


def runs_of(items: list[Item]) -> list[tuple[int, Item]]:
    """Returns equal consecutive items as pairs of a length and the item."""
    runs: list[tuple[int, Item]] = []
    for value in items:
        if runs and runs[-1][1] == value:
            runs[-1] = (runs[-1][0] + 1, value)
        else:
            runs.append((1, value))
    return runs
