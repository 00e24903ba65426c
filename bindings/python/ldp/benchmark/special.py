"""The distributions that the intervals of the benchmark need: beta, Clopper-Pearson and Student."""

from __future__ import annotations

import math

_TINY = 1e-300


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Returns the regularized incomplete beta function I_x(a, b) for x in [0, 1] and positive a and b.

    Source: the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions, by Lentz's method.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    value, c, d = 1.0, 1.0, 0.0
    for i in range(1, 10_000):
        m = i // 2
        if i % 2 == 0:
            term = m * (b - m) * x / ((a + i - 1) * (a + i))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + i - 1) * (a + i))
        d = 1 / ((1 + term * d) or _TINY)
        c = (1 + term / c) or _TINY
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def beta_quantile(p: float, a: float, b: float) -> float:
    """Returns the quantile of the beta distribution at probability p, within 1e-16, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if incomplete_beta(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def proportion_lower(count: int, total: int, alpha: float) -> float:
    """Returns the lower Clopper-Pearson bound of a probability at confidence 1 - alpha (Clopper, Pearson 1934)."""
    return 0.0 if count == 0 else beta_quantile(alpha, count, total - count + 1)


def proportion_upper(count: int, total: int, alpha: float) -> float:
    """Returns the upper Clopper-Pearson bound of a probability at confidence 1 - alpha."""
    return 1.0 if count == total else beta_quantile(1 - alpha, count + 1, total - count)


def student_critical(degrees: int, confidence: float = 0.95) -> float:
    """Returns the two-sided critical value of Student's distribution: P(|T| <= value) = confidence."""
    x = beta_quantile(1 - confidence, degrees / 2, 0.5)  # P(|T| > t) = I_x(degrees/2, 1/2) with x = degrees/(degrees + t^2)
    return math.sqrt(degrees * (1 - x) / x)
