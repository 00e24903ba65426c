"""Estimates that several mechanisms share: doc/draws.md, section "Estimates"."""

from __future__ import annotations

import math
from dataclasses import dataclass

UNRELIABLE = 1.96  # standard errors of a response rate below which a mean is limited to its range, without an error


def limited(number: float, low: float, high: float) -> float:
    """Returns the number in [low, high] that is nearest to `number`."""
    return min(max(number, low), high)


@dataclass(frozen=True)
class Estimate:
    """An estimate with its standard errors. None: no report contains information about it."""

    attribute: int  # number of the attribute within the mechanism
    value: int | str | None  # number of the value, the text, or None for a statistic of the whole attribute
    statistic: str  # "proportion", "mean", "direction", "response_rate", "set_size"
    estimate: float | None
    sample: float | None = None  # against the people who reported
    population: float | None = None  # against the population from which they were drawn


def pure(attribute: int, value: int | str | None, count: int, n: int, p: float, q: float) -> Estimate:
    """Returns the share of a value that `count` of n reports support ("Pure protocols")."""
    if n == 0:
        return Estimate(attribute, value, "proportion", None)
    share = (count / n - q) / (p - q)
    f = limited(share, 0, 1)
    noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2
    return Estimate(
        attribute, value, "proportion", share, math.sqrt(noise / n), math.sqrt((noise + f * (1 - f)) / n)
    )


@dataclass(frozen=True)
class Moments:
    """What a numeric randomizer returns from its state, in grid steps ("Means of numbers")."""

    mean: float
    noise: float
    sampling: float


def mean_of(attribute: int, moments: Moments, n: int, low: float, high: float, steps: int) -> Estimate:
    """Returns the mean of a number on [low, high] from the moments of n reports, n > 0."""
    step = (high - low) / steps
    return Estimate(
        attribute,
        None,
        "mean",
        low + step * moments.mean,
        step * math.sqrt(moments.noise / n),
        step * math.sqrt((moments.noise + moments.sampling) / n),
    )
