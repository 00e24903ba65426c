"""Channels of numbers: windows, one bit, both, Laplace noise (doc/draws.md; doc/theory-means.md)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction

from ..binary import Reader, integer_bytes
from ..errors import Refused
from ..estimate import Moments, limited
from ..responses import two_weights
from ..weights import DIGITS, odds, ramp
from ..words import Words
from .base import PlainCounters, Section, State

OUTPUTS = 95
KNOTS = 9
LARGEST_WINDOW = 1 << 22
WIDE = 1 << 23  # cells beyond which a sum of cells takes 16 bytes


class Channel(ABC):
    """A numeric randomizer on a grid: its input is a grid point, its output a cell."""

    epsilon: float
    steps: int
    width: int = 0  # of the window
    knots: bytes = b""  # decoded values of the knots of `optimal`

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Returns the number of cells."""

    @abstractmethod
    def draw(self, point: int, words: Words) -> int:
        """Returns the cell of a person at a grid point."""

    @abstractmethod
    def layout(self) -> list[Section]:
        """Returns the sections of the state."""

    @abstractmethod
    def count(self, state: State, cell: int) -> None:
        """Adds a cell to a state."""

    @abstractmethod
    def possible(self, state: State, n: int) -> bool:
        """Returns whether the state can be the state of n reports."""

    @abstractmethod
    def moments(self, state: State, n: int) -> Moments:
        """Returns the moments of n reports, n > 0, in grid steps."""

    def head(self) -> bytes:
        """Returns grid steps and window width as they stand in a block."""
        return integer_bytes(self.steps, 4) + integer_bytes(self.width, 4)


class Counted(PlainCounters, Channel):
    """A channel whose state has a counter for each cell."""

    def sizes(self) -> list[int]:
        return [self.outputs]

    def count(self, state: State, cell: int) -> None:
        state[0][cell] += 1


def segment_starts(width: int) -> list[int]:
    """Returns the beginnings of the three segments of the outputs above the middle, and the end ("Decoded values")."""
    return [48, OUTPUTS - width, (OUTPUTS - 1) // width * width, OUTPUTS]


def knots_of(width: int) -> list[list[int]]:
    """Returns the knots of each segment that is not empty."""
    starts = segment_starts(width)
    segments = []
    for most, begin, end in zip((3, 1, 2), starts, starts[1:]):
        count = end - begin
        if count > 0:
            pieces = min(most, count - 1)
            segments.append([begin + i * (count - 1) // max(pieces, 1) for i in range(pieces + 1)])
    return segments


def decoded_values(width: int, knots: bytes) -> list[int]:
    """Returns the decoded values of the 95 outputs ("Decoded values"). Values that do not increase are refused."""
    values = [0] * OUTPUTS
    used = 0
    for segment in knots_of(width):
        levels = knots[used : used + len(segment)]
        used += len(segment)
        for index, level in zip(segment, levels):
            values[index] = level << 16
        for (begin, a), (end, b) in zip(zip(segment, levels), list(zip(segment, levels))[1:]):
            for index in range(begin + 1, end):
                product = 65536 * (b - a) * (index - begin)
                values[index] = (a << 16) + (abs(product) // (end - begin)) * (1 if product >= 0 else -1)
    if any(knots[used:]):
        raise Refused("a byte beyond the last knot is not 0")
    for index in range(48, OUTPUTS):
        values[OUTPUTS - 1 - index] = -values[index]
    if any(values[i + width] <= values[i] for i in range(OUTPUTS - width)):
        raise Refused("the decoded values do not increase")
    return values


class Warped(Counted):
    """The channel of `optimal`: 95 outputs, a window of `width`, and the decoded values of the knots."""

    def __init__(self, epsilon: float, steps: int, width: int, knots: bytes) -> None:
        self.epsilon, self.steps, self.width, self.knots = epsilon, steps, width, knots
        self.decoded = decoded_values(width, knots)
        self.sums = [sum(self.decoded[t : t + width]) for t in range(OUTPUTS - width + 1)]
        self.heavy, self.light = odds(epsilon, width, OUTPUTS - width)

    @property
    def outputs(self) -> int:
        return OUTPUTS

    def draw(self, point: int, words: Words) -> int:
        last, steps = self.sums[-1], self.steps
        target = (2 * point - steps) * last
        low = min(sum(total * steps <= target for total in self.sums), OUTPUTS - self.width) - 1
        part = (target - self.sums[low] * steps << 64) // ((self.sums[low + 1] - self.sums[low]) * steps)
        position = low + words.chance64(part)
        drawn = two_weights(words, self.width, self.heavy, OUTPUTS - self.width, self.light)
        if drawn < self.width:
            return position + drawn
        other = drawn - self.width
        return other if other < position else other + self.width

    @property
    def low(self) -> float:
        """Returns the probability of an output outside the window."""
        return self.light / (self.width * self.heavy + (OUTPUTS - self.width) * self.light)

    @property
    def tilt(self) -> float:
        """Returns the additional probability of an output in the window."""
        return (self.heavy - self.light) / (self.width * self.heavy + (OUTPUTS - self.width) * self.light)

    def values(self) -> list[float]:
        """Returns v_j, the decoded outputs on [-1, 1]."""
        return [y / (self.tilt * self.sums[-1]) for y in self.decoded]

    def positions(self) -> list[float]:
        """Returns x_t, the numbers of the positions on [-1, 1]."""
        return [total / self.sums[-1] for total in self.sums]

    def variances(self) -> list[float]:
        """Returns V_t, the variance at each position."""
        squares = [v * v for v in self.values()]
        everywhere = self.low * math.fsum(squares)
        return [
            everywhere + self.tilt * math.fsum(squares[t : t + self.width]) - x * x
            for t, x in enumerate(self.positions())
        ]

    def squares(self) -> list[float]:
        """Returns z_j, whose mean at each position is the square of the position ("Squares")."""
        x, width = self.positions(), self.width
        z = [0.0] * OUTPUTS
        for j in range(width, OUTPUTS):
            z[j] = z[j - width] + (x[j - width + 1] ** 2 - x[j - width] ** 2) / self.tilt
        classes = [range(c, OUTPUTS, width) for c in range(width)]
        sums = [math.fsum(z[j] for j in members) for members in classes]
        weights = [self.low * len(members) + self.tilt for members in classes]
        difference = x[0] ** 2 - math.fsum(
            self.low * total - weight * total / len(members)
            for members, total, weight in zip(classes, sums, weights)
        )
        scale = math.fsum(weight**2 / len(members) for members, weight in zip(classes, weights))
        return [
            z[j] + (difference * weights[j % width] / scale - sums[j % width]) / len(classes[j % width])
            for j in range(OUTPUTS)
        ]

    def moments(self, state: State, n: int) -> Moments:
        values, squares, variances, x = self.values(), self.squares(), self.variances(), self.positions()
        shares = [counter / n for counter in state[0]]
        mean = math.fsum(share * v for share, v in zip(shares, values))
        square = math.fsum(share * z for share, z in zip(shares, squares))
        noise = math.fsum(share * (v * v - z) for share, v, z in zip(shares, values, squares))
        gap = max(b - a for a, b in zip(x, x[1:]))
        inside = limited(mean, -1, 1)
        sampling = limited(square, inside**2, 1) - inside**2
        noise = limited(noise, min(variances), max(variances)) + gap**2 / 4
        half = self.steps / 2
        return Moments(half * (1 + mean), noise * half**2, sampling * half**2)


class Bit(Channel):
    """The channel of `duchi`: one bit."""

    def __init__(self, epsilon: float, steps: int) -> None:
        self.epsilon, self.steps = epsilon, steps
        self.base, self.rise = ramp(epsilon, steps)

    @property
    def outputs(self) -> int:
        return 2

    def draw(self, point: int, words: Words) -> int:
        return int(words.chance(self.base + point * self.rise, 2 * self.base + self.steps * self.rise))

    def layout(self) -> list[Section]:
        return [Section(1)]

    def count(self, state: State, cell: int) -> None:
        state[0][0] += cell

    def possible(self, state: State, n: int) -> bool:
        return state[0][0] <= n

    def moments(self, state: State, n: int) -> Moments:
        steps, b = self.steps, self.base / self.rise
        low = b / (2 * b + steps)
        mean = steps * (state[0][0] / n - low) / ((1 - low) - low)
        inside = limited(mean, 0, steps)
        return Moments(mean, (b + inside) * (b + steps - inside), 0.0)


class Quadratic:
    """E[output] and E[output^2] at a grid point s: slope s + offset, and a s^2 + b s + c ("Noise from moments")."""

    def __init__(self, slope: float, offset: float, a: float, b: float, c: float) -> None:
        self.slope, self.offset, self.a, self.b, self.c = slope, offset, a, b, c

    def inputs(self, first: float, second: float) -> tuple[float, float]:
        """Returns the mean input and the mean squared input from the mean output and the mean squared output."""
        mean = (first - self.offset) / self.slope
        return mean, (second - self.b * mean - self.c) / self.a

    def noise(self) -> tuple[float, float, float]:
        """Returns a', b' and c' of the noise as a function of the inputs."""
        scale = self.slope**2
        a = (self.a - scale) / scale
        return a, (self.b - 2 * self.slope * self.offset) / scale, (self.c - self.offset**2) / scale


def from_moments(mean: float, square: float | None, noise: tuple[float, float, float], steps: int) -> Moments:
    """Returns the moments with the noise at the possible moments that are nearest to the estimated ones."""
    first = limited(mean, 0, steps)
    second = first**2 if square is None else limited(square, first**2, steps * first)
    a, b, c = noise
    return Moments(mean, a * second + b * first + c, second - first**2)


class Sums(Channel):
    """A channel whose state has the sum of the cells and the sum of their squares."""

    def layout(self) -> list[Section]:
        return [Section(1, 16 if self.outputs > WIDE else 8), Section(1, 16)]

    def count(self, state: State, cell: int) -> None:
        state[0][0] += cell
        state[1][0] += cell**2

    def possible(self, state: State, n: int) -> bool:
        return possible_sums(state[0][0], state[1][0], n, self.outputs - 1)

    def centred(self, total: int, squares: int, n: int) -> tuple[float, float]:
        """Returns the means of cell - (N - 1)/2 and of its square."""
        middle = Fraction(self.outputs - 1, 2)
        first = Fraction(total, n) - middle
        return float(first), float(Fraction(squares, n) - 2 * middle * Fraction(total, n) + middle**2)


def possible_sums(total: int, squares: int, n: int, largest: int) -> bool:
    """Returns whether n cells up to `largest` can have this sum and this sum of squares."""
    if n == 0:
        return total == squares == 0
    quotient, rest = divmod(total, n)
    return total <= n * largest and n * quotient**2 + (2 * quotient + 1) * rest <= squares <= largest * total


class Window(Sums):
    """The window of `piecewise`, `pdp` and `square_wave`: W cells from the grid point on are more probable."""

    def __init__(self, epsilon: float, steps: int, width: int) -> None:
        self.epsilon, self.steps, self.width = epsilon, steps, width
        self.heavy, self.light = odds(epsilon, width, steps)

    @property
    def outputs(self) -> int:
        return self.steps + self.width

    def draw(self, point: int, words: Words) -> int:
        drawn = two_weights(words, self.width, self.heavy, self.steps, self.light)
        if drawn < self.width:
            return point + drawn
        other = drawn - self.width
        return other if other < point else other + self.width

    def quadratic(self) -> Quadratic:
        """Returns the moments of a centred cell as functions of the grid point."""
        total, cells = self.width * self.heavy + self.steps * self.light, self.outputs
        slope = (self.heavy - self.light) / total * self.width
        shift = (self.width - 1) / 2 - (cells - 1) / 2
        even = self.light / total * cells * (cells**2 - 1) / 12
        constant = slope * (shift**2 + (self.width**2 - 1) / 12) + even
        return Quadratic(slope, slope * shift, slope, 2 * slope * shift, constant)

    def moments(self, state: State, n: int) -> Moments:
        quadratic = self.quadratic()
        mean, square = quadratic.inputs(*self.centred(state[0][0], state[1][0], n))
        return from_moments(mean, square, quadratic.noise(), self.steps)


class CountedWindow(Counted, Window):
    """The window of `square_wave`, whose cells are counted."""

    def moments(self, state: State, n: int) -> Moments:
        total = sum(cell * counter for cell, counter in enumerate(state[0]))
        squares = sum(cell**2 * counter for cell, counter in enumerate(state[0]))
        return super().moments([[total], [squares]], n)


def bit_only() -> float:
    """Returns the largest epsilon at which `hybrid` has no window: 0.60935... (Wang, Xiao et al. 2019)."""
    root = 405 * math.sqrt(241)
    return math.log((2 * (6353 - root) ** (1 / 3) + 2 * (6353 + root) ** (1 / 3) - 5) / 27)


def hybrid(epsilon: float, steps: int, width: int) -> Channel:
    """Returns the channel of `hybrid`: with a window above `bit_only`, otherwise one bit."""
    if (width == 0) != (epsilon <= bit_only()):
        raise Refused(f"the width of the window is {width}")
    return Hybrid(epsilon, steps, width) if width else Bit(epsilon, steps)


class Hybrid(Channel):
    """The window of `piecewise` or one bit, by a public draw."""

    def __init__(self, epsilon: float, steps: int, width: int) -> None:
        self.epsilon, self.steps, self.width = epsilon, steps, width
        self.window, self.bit = Window(epsilon, steps, width), Bit(epsilon, steps)
        self.part = math.floor(2.0**64 * -math.expm1(-epsilon / 2))

    @property
    def outputs(self) -> int:
        return self.window.outputs + 2

    def draw(self, point: int, words: Words) -> int:
        if words.chance64(self.part):
            return self.window.draw(point, words)
        return self.window.outputs + self.bit.draw(point, words)

    def layout(self) -> list[Section]:
        return [Section(1), *self.window.layout(), *self.bit.layout()]

    def count(self, state: State, cell: int) -> None:
        if cell < self.window.outputs:
            state[0][0] += 1
            self.window.count(state[1:3], cell)
        else:
            self.bit.count(state[3:], cell - self.window.outputs)

    def possible(self, state: State, n: int) -> bool:
        reports = state[0][0]
        if not self.window.possible(state[1:3], reports):
            return False
        return reports <= n and self.bit.possible(state[3:], n - reports)

    def moments(self, state: State, n: int) -> Moments:
        reports, total, squares, ones = (numbers[0] for numbers in state)
        share, steps = reports / n, self.steps
        mean, square, noise = 0.0, None, [0.0, 0.0, 0.0]
        if n > reports:
            b = self.bit.base / self.bit.rise
            bit = self.bit.moments([[ones]], n - reports)
            mean += (1 - share) * bit.mean
            noise = [(1 - share) * part for part in (-1, steps, b * (b + steps))]
        if reports:
            quadratic = self.window.quadratic()
            inner, inner_square = quadratic.inputs(*self.window.centred(total, squares, reports))
            mean += share * inner
            square = inner_square - steps * inner + steps * mean
            noise = [own + share * part for own, part in zip(noise, quadratic.noise())]
        return from_moments(mean, square, (noise[0], noise[1], noise[2]), steps)


def extended(number: Fraction) -> Fraction:
    """Returns the nearest number with 64 significant bits, ties to even."""
    if number == 0:
        return number
    shift = 64 - (number.numerator.bit_length() - number.denominator.bit_length())
    for bits in (shift - 1, shift, shift + 1):
        scaled = round(number * Fraction(2) ** bits)
        if scaled.bit_length() == 64 or (scaled == 1 << 64):
            return scaled / Fraction(2) ** bits
    raise AssertionError("one of three neighbouring powers of two is right")


class Laplace(Sums):
    """Noise in whole steps, from coins for its binary digits ("Coins")."""

    def __init__(self, epsilon: float, steps: int) -> None:
        self.epsilon, self.steps = epsilon, steps
        rate = extended(Fraction(epsilon) / steps)
        margin = 1 + Fraction(1, 1 << 54)
        fall = extended(extended(1 / exponential_of(rate)) * margin)
        needed = steps + 64 * math.log(2) / float(rate)
        self.coins: list[int] = []
        below = largest = Fraction(1)
        while 1 << len(self.coins) < needed:
            weight = extended(fall * below)
            self.coins.append(math.ceil((1 << 128) * extended(weight / extended(1 + weight))))
            one = extended(Fraction(self.coins[-1], 1 << 128))
            below = extended(below * extended(one / extended(1 - one)))
            largest = extended(largest * one)
        beyond = extended(extended(exponential_of(rate)) - 1)
        self.larger = math.ceil((1 << 128) * extended(extended(largest / beyond) * margin))

    @property
    def outputs(self) -> int:
        return (2 << len(self.coins)) - self.steps + 2

    def draw(self, point: int, words: Words) -> int:
        magnitude = sum(words.chance128(coin) << digit for digit, coin in enumerate(self.coins))
        if words.chance128(self.larger):
            magnitude = 1 << len(self.coins)
        first = point + (1 << len(self.coins)) - self.steps
        if words.bits(1):
            return min(first + 1 + magnitude, self.outputs - 1)
        return first - min(magnitude, first)

    def moments(self, state: State, n: int) -> Moments:
        steps, odd = self.steps, 1 / math.expm1(self.epsilon / self.steps)
        constant = steps**2 / 4 + 2 * odd * (odd + 1) + 1 / 4
        quadratic = Quadratic(1.0, -steps / 2, 1.0, -float(steps), constant)
        mean, square = quadratic.inputs(*self.centred(state[0][0], state[1][0], n))
        return from_moments(mean, square, quadratic.noise(), steps)


def exponential_of(number: Fraction) -> Fraction:
    """Returns e^number to 60 digits."""
    exact = DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(exact.exp(DIGITS))


def read_channel(name: str, epsilon: float, steps: int, width: int, reader: Reader) -> Channel:
    """Returns the channel of a mechanism with a grid and the width of its window. `reader` is at the knots of `optimal`."""
    if name == "optimal" and 1 <= width <= 47:
        return Warped(epsilon, steps, width, reader.take(KNOTS))
    if name == "square_wave" and 1 <= width <= steps:
        return CountedWindow(epsilon, steps, width)
    if name in ("piecewise", "pdp") and 1 <= width <= LARGEST_WINDOW:
        return Window(epsilon, steps, width)
    if name == "hybrid" and width <= LARGEST_WINDOW:
        return hybrid(epsilon, steps, width)
    if name in ("duchi", "laplace") and width == 0:
        return Bit(epsilon, steps) if name == "duchi" else Laplace(epsilon, steps)
    raise Refused(f"the width of the window is {width}")
