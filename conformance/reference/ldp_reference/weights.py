"""Integer weights from epsilon: doc/draws.md, section "Integer weights".

Every function evaluates its formula in exact fractions. Only e^epsilon is rounded, to 60 decimal digits.
"""

from __future__ import annotations

import functools
import math
from decimal import Context, Decimal
from fractions import Fraction

from .errors import Refused

DIGITS = Context(prec=60)
UNIT = 1 - Fraction(1, 1 << 60)  # "u" of the page


@functools.lru_cache(maxsize=1024)
def exponential(epsilon: float) -> Fraction:
    """Returns e^epsilon, for the exact value of the float, to 60 digits."""
    return Fraction(Decimal(epsilon).exp(DIGITS))


def odds(epsilon: float, high: int, low: int) -> tuple[int, int]:
    """Returns the weights H of `high` outputs and L of `low` outputs, with H/L <= e^epsilon."""
    ratio = exponential(epsilon) * UNIT
    light = math.floor(((1 << 64) - 1) / (high * ratio + low) * UNIT)
    if light == 0:
        raise Refused("epsilon is too large for the number of values")
    return max(light, math.floor(light * ratio * UNIT)), light


def rare(epsilon: float) -> int:
    """Returns h of a coin in 2^64, with (2^64 - h)/h <= e^epsilon."""
    return math.ceil((1 << 64) / ((1 + exponential(epsilon) * UNIT) * UNIT))


def ramp(epsilon: float, steps: int) -> tuple[int, int]:
    """Returns base B and rise R of a bit: the weight of 1 at grid point s is B + s R, of 2 B + S R in all."""
    gain = (exponential(epsilon) - 1) * UNIT
    rise = math.floor(((1 << 64) - 4) / (steps * (1 + 2 / gain)) * UNIT)
    if rise == 0:
        raise Refused("epsilon is too small for the grid")
    return math.ceil(steps * rise / (gain * UNIT)), rise


def share(epsilon: float, parts: int) -> float:
    """Returns the largest float e for which parts * e, computed exactly, is at most epsilon."""
    part = epsilon / parts
    while Fraction(part) * parts > Fraction(epsilon):
        part = math.nextafter(part, 0)
    while Fraction(math.nextafter(part, math.inf)) * parts <= Fraction(epsilon):
        part = math.nextafter(part, math.inf)
    return part
