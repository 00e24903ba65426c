"""`optional_mean`: a number that people may leave out (doc/draws.md, "`optional_mean`"; doc/theory-means.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Sequence, cast

from ..binary import Reader, cell_bytes, integer_bytes
from ..errors import Refused
from ..estimate import UNRELIABLE, Estimate, limited
from ..weights import exponential
from ..words import Words
from .base import Input, OneCell, State
from .channels import Bit, Warped, read_channel
from .numbers import range_bytes, read_range, read_steps

POINTS = 129  # points of the range at which the smallest noise is sought


class OptionalMean(OneCell):
    """The output "none", or an output of `optimal` or of one bit."""

    name = "optional_mean"

    def __init__(self, epsilon: float, channel: Warped | Bit, none: int, bounds: tuple[float, float]) -> None:
        self.epsilon, self.channel, self.field, self.bounds = epsilon, channel, none, bounds
        self.outputs, self.cells = channel.outputs, channel.outputs + 1
        self.with_number = none << 32  # c and d of the page, in 2^-64
        self.without = self._without_number()

    def _without_number(self) -> int:
        """Returns d: the probability of "none" for a person without a number, in 2^-64."""
        if isinstance(self.channel, Warped):
            smallest = self.channel.low
        else:
            smallest = self.channel.base / (2 * self.channel.base + self.channel.steps * self.channel.rise)
        raised = Fraction(smallest) * (1 + Fraction(1, 1 << 52))
        c = self.with_number
        rest = math.ceil(((1 << 64) - c) * raised * self.outputs * (1 + Fraction(1, 1 << 58)))
        first = c * exponential(self.epsilon) * (1 - Fraction(1, 1 << 58)) ** 2
        return math.floor(min(first, ((1 << 64) - rest) * (1 - Fraction(1, 1 << 62))))

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> OptionalMean:
        steps, width = read_steps(reader), reader.integer(4)
        channel = read_channel("optimal" if width else "duchi", epsilon, steps, width, reader)
        none = reader.integer(4)
        result = cls(epsilon, cast("Warped | Bit", channel), none, read_range(reader))
        if not 1 <= none <= 1 << 31 or result.with_number >= result.without:
            raise Refused('the probability of "no number" is wrong')
        return result

    def parameters(self) -> bytes:
        return self.channel.head() + self.channel.knots + integer_bytes(self.field, 4) + range_bytes(self.bounds)

    def inputs(self) -> list[Input]:
        return [Input(self.channel.steps + 2, self.bounds, self.channel.steps, missing=True)]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        has_number = codes[0] <= self.channel.steps
        none = words.chance64(self.with_number if has_number else self.without)
        output = self.channel.draw(codes[0] if has_number else 0, words)
        other = words.below(self.outputs)
        return cell_bytes(0 if none else 1 + (output if has_number else other), self.cells)

    def decoded(self) -> tuple[list[float], list[float]]:
        """Returns v_j and z_j. The squares of one bit are unknown and given as 0."""
        if isinstance(self.channel, Warped):
            return self.channel.values(), self.channel.squares()
        size = (2 * self.channel.base / self.channel.rise + self.channel.steps) / self.channel.steps
        return [-size, size], [0.0, 0.0]

    def smallest_noise(self) -> float:
        """Returns V: the smallest noise of the channel over evenly spaced points of [-1, 1]."""
        if isinstance(self.channel, Bit):
            return self.decoded()[0][1] ** 2 - 1
        x, variances = self.channel.positions(), self.channel.variances()
        noises = []
        for index in range(POINTS):
            point = -1 + 2 * index / (POINTS - 1)
            low = min(max(sum(a <= point for a in x) - 1, 0), len(x) - 2)
            gap = x[low + 1] - x[low]
            part = (point - x[low]) / gap
            noises.append((1 - part) * variances[low] + part * variances[low + 1] + part * (1 - part) * gap**2)
        return min(noises)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        if n == 0:
            return [Estimate(0, None, "mean", None), Estimate(0, None, "response_rate", None)]
        means = Means.of(self, state[0], n)
        errors = [math.sqrt(variance / n) / means.gain for variance in means.rate_variances()]
        rate = Estimate(0, None, "response_rate", means.rate, *errors)
        return [self._mean(means, errors[1], n), rate]

    def _mean(self, means: Means, rate_error: float, n: int) -> Estimate:
        """Returns the mean of the people who answer: the quotient of two means."""
        if means.rate <= 0:
            return Estimate(0, None, "mean", None)
        low, half = self.bounds[0], (self.bounds[1] - self.bounds[0]) / 2
        mean = means.answer / means.rate
        if means.rate < UNRELIABLE * rate_error:
            return Estimate(0, None, "mean", low + half * (1 + limited(mean, -1, 1)))
        population = sample = means.variance(mean)
        extra = 0.0
        if isinstance(self.channel, Warped):
            sample, extra = means.sample_variance(mean, population), 1 / (3 * n**2)
        errors = [math.sqrt(sample / n) / means.rate, math.sqrt(population / n + extra) / means.rate]
        return Estimate(0, None, "mean", low + half * (1 + mean), *(half * error for error in errors))


@dataclass(frozen=True)
class Means:
    """The means of the reports, with the letters of the page: c, d and V, and the means over the outputs."""

    c: float
    d: float
    none: float  # share of "none" among the reports
    v: float  # means of v_j, v_j^2 and z_j over the reports with a number
    v_square: float
    z: float
    even_square: float  # means of v_j^2 and z_j over the outputs
    even_z: float
    least: float  # V

    @classmethod
    def of(cls, mechanism: OptionalMean, counters: list[int], n: int) -> Means:
        """Returns the means of n reports."""
        (values, squares), given = mechanism.decoded(), n - counters[0]
        shares = [counter / given if given else 0.0 for counter in counters[1:]]
        return cls(
            mechanism.with_number / 2.0**64,
            mechanism.without / 2.0**64,
            counters[0] / n,
            math.fsum(share * value for share, value in zip(shares, values)),
            math.fsum(share * value**2 for share, value in zip(shares, values)),
            math.fsum(share * square for share, square in zip(shares, squares)),
            math.fsum(value**2 for value in values) / len(values),
            math.fsum(squares) / len(squares),
            mechanism.smallest_noise(),
        )

    @property
    def gain(self) -> float:
        """Returns d - c."""
        return self.d - self.c

    @property
    def answer(self) -> float:
        """Returns Y, the mean of the numbers over all people."""
        return (1 - self.none) * self.v / (1 - self.c)

    @property
    def rate(self) -> float:
        """Returns the response rate."""
        return (self.d - self.none) / self.gain

    @property
    def possible_rate(self) -> float:
        """Returns the response rate, limited to [0, 1]."""
        return limited(self.rate, 0, 1)

    @property
    def expected_none(self) -> float:
        """Returns the share of "none" at the possible response rate."""
        return self.possible_rate * self.c + (1 - self.possible_rate) * self.d

    def rate_variances(self) -> tuple[float, float]:
        """Returns n times the variance of "none", for the sample and for the population."""
        r, none = self.possible_rate, self.expected_none
        return r * self.c * (1 - self.c) + (1 - r) * self.d * (1 - self.d), none * (1 - none)

    def variance(self, mean: float) -> float:
        """Returns A: n times the variance of the mean of y - mean * r, for the population."""
        c, d, none = self.c, self.d, self.expected_none
        part = self.possible_rate * (1 - c) / (1 - none)
        square = max(self.v_square, part * self.least + (1 - part) * self.even_square)
        inner = square / (1 - c) ** 2 - 2 * mean * self.v * d / ((1 - c) * self.gain) + (mean * d / self.gain) ** 2
        return (1 - none) * inner + none * (mean * (1 - d) / self.gain) ** 2

    def sample_variance(self, mean: float, population: float) -> float:
        """Returns the same for the sample, with a window."""
        c, d, r = self.c, self.d, self.possible_rate
        answer = limited(self.answer, -r, r)
        spread = ((1 - self.none) * self.z - (1 - r) * (1 - d) * self.even_z) / (1 - c)
        spread = limited(spread, answer**2 / r, r)
        floor = r * self.least / (1 - c) + (1 - r) * (1 - d) * self.even_square / (1 - c) ** 2
        return max(population - max(0.0, spread - 2 * mean * answer + mean**2 * r), floor)
