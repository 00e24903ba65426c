"""Mechanisms for one number (doc/formats.md, tables; doc/draws.md, "Numbers" of both profiles)."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Sequence

from ..binary import Reader, cell_bytes, cell_size, double_bytes, read_cell
from ..errors import Refused, Unsupported
from ..estimate import Estimate, mean_of
from ..words import Words
from .base import Input, Mechanism, Section, State
from .channels import Channel, read_channel

LARGEST_GRID = 1 << 20


def read_range(reader: Reader) -> tuple[float, float]:
    """Returns a range: min < max <= min + 1e300 (doc/formats.md, "A range")."""
    low, high = reader.double(), reader.double()
    if not (math.isfinite(low) and math.isfinite(high) and low < high <= low + 1e300):
        raise Refused("the range is wrong")
    return low, high


def range_bytes(bounds: tuple[float, float]) -> bytes:
    """Returns the bytes of a range."""
    return double_bytes(bounds[0]) + double_bytes(bounds[1])


def read_steps(reader: Reader, most: int = LARGEST_GRID) -> int:
    """Returns S, the number of steps of the grid, which is 2 to `most`. Rounding of `evolving` is unsupported."""
    field = reader.integer(4)
    if field >> 21:
        raise Unsupported("evolving")
    if not 2 <= field <= most:
        raise Refused(f"the grid has {field} steps")
    return field


class Number(Mechanism):
    """One number through a channel."""

    def __init__(self, epsilon: float, channel: Channel, bounds: tuple[float, float]) -> None:
        self.epsilon, self.channel, self.bounds = epsilon, channel, bounds

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Number:
        steps = read_steps(reader, 65536 if cls.name == "square_wave" else LARGEST_GRID)
        channel = read_channel(cls.name, epsilon, steps, reader.integer(4), reader)
        bounds = read_range(reader)
        if cls.name == "optimal" and reader.left() == 8:
            raise Unsupported("two layers")
        return cls(epsilon, channel, bounds)

    def parameters(self) -> bytes:
        return self.channel.head() + self.channel.knots + range_bytes(self.bounds)

    def inputs(self) -> list[Input]:
        return [Input(self.channel.steps + 1, self.bounds, self.channel.steps)]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        return cell_bytes(self.channel.draw(codes[0], words), self.channel.outputs)

    @property
    def payload_size(self) -> int:
        return cell_size(self.channel.outputs)

    def check(self, payload: bytes) -> None:
        read_cell(payload, self.channel.outputs)

    def layout(self) -> list[Section]:
        return self.channel.layout()

    def count(self, state: State, payload: bytes) -> None:
        self.channel.count(state, read_cell(payload, self.channel.outputs))

    def possible(self, state: State, n: int) -> bool:
        return self.channel.possible(state, n)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        if n == 0:
            return [Estimate(0, None, "mean", None)]
        return [mean_of(0, self.channel.moments(state, n), n, *self.bounds, self.channel.steps)]


class Optimal(Number):
    """The warped window, in one layer."""

    name: ClassVar[str] = "optimal"


class Duchi(Number):
    """One bit."""

    name: ClassVar[str] = "duchi"


class Piecewise(Number):
    """The window."""

    name: ClassVar[str] = "piecewise"


class Pdp(Number):
    """The window of another width."""

    name: ClassVar[str] = "pdp"


class LaplaceNoise(Number):
    """Laplace noise."""

    name: ClassVar[str] = "laplace"


class WindowOrBit(Number):
    """The window or one bit."""

    name: ClassVar[str] = "hybrid"


class SquareWave(Number):
    """The window, whose cells are counted: the distribution of a number, of which this class estimates the mean."""

    name: ClassVar[str] = "square_wave"
