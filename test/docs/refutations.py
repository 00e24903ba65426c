#!/usr/bin/env python3
"""Computes the figures of doc/sources-by-row.md that contradict a source, from the formulas as the source prints them.

Each figure must stand in the row of the page that begins with the given place and contains the given words. Prints what
differs, and the number of figures.
"""

import itertools
import math
import sys
from pathlib import Path

exp, sqrt = math.exp, math.sqrt
page = (Path(__file__).resolve().parents[2] / "doc/sources-by-row.md").read_text().splitlines()
figures = []


def figure(place, words, text):
    """Declares a figure of the row."""
    figures.append((place, words, text))


def pdp(epsilon):
    """Δ, b and q of equation 3-5."""
    e = exp(epsilon)
    delta = 24 / (exp(epsilon / 6) * (6 + 5 * epsilon) - 6)
    b = (e - 1) * delta * (delta + 2) / (2 * ((e - 1) * delta - 2))
    return delta, b, 2 / ((e - 1) * delta * (2 * b - delta))


delta, b, q = pdp(1)


def total(width):
    """The total probability, with q·e^ε on a window of this width and q elsewhere."""
    return q * (exp(1) * width + 2 * b - width)


assert abs(total(delta) - 1) < 1e-12
figure("3-1-3-1, eq. 3-5", "PDP", f"{total(delta / 2):.2f}")
figure("3-1-3-1, eq. 3-5", "PDP", f"{q * (exp(1) - 1) * delta:.2f}·x")  # the mean output if the window is centred at x


def gpm(details):
    """The largest log-ratio of a report under Algorithm 1 at ε = 1. The windows of two opposite inputs are disjoint, so that a
    report may have each detail inside its window under one input and outside under the other."""
    e = exp(1)
    assert 2 / (e - 1) < 2 * e / (e - 1)

    def likelihood(mask):
        coin = e / (e + 1) if sum(mask) % 2 == 0 else 1 / (e + 1)
        return coin * math.prod((e - 1) / (2 * e) if outside else (e - 1) / 2 for outside in mask)

    masks = [likelihood(mask) for mask in itertools.product((0, 1), repeat=details)]
    return math.log(max(masks) / min(masks))


for details in range(1, 12):
    assert abs(gpm(details) - 2 * math.ceil(details / 2)) < 1e-9
figure("3-1-3-1, Alg. 1", "GPM", "2ε⌈d/2⌉")
figure("4-9", "satisfies", f"{2 * math.ceil(15 / 2)}")

figure("3-1-3-1", "worked example", f"is {math.floor(math.log2(8 + 1) - 1)} for d = 8")
figure("3-2-3-1", "spends no budget", f"{2 * exp(1) / (1 + exp(1)):.2f}")
assert all(abs(1 / 4 + v / 4 + 1 / 4 - v / 4 - 1 / 2) < 1e-12 for v in (-1, 1))
figure("3-2-3-1, Alg. 2", "randomization", "add up to 1/2")


def loloha(permanent, first, buckets):
    """The ε of one report with the printed ε_IRR."""
    second = math.log((exp(permanent + first) - 1) / (exp(permanent) - exp(first)))
    p1, p2 = (exp(x) / (exp(x) + buckets - 1) for x in (permanent, second))
    q1, q2 = ((1 - p) / (buckets - 1) for p in (p1, p2))
    return math.log((p1 * p2 + (buckets - 1) * q1 * q2) / (p1 * q2 + q1 * p2 + (buckets - 2) * q1 * q2))


assert abs(loloha(2, 1, 2) - 1) < 1e-12
figure("3-2-5-1, Alg. 3, eq. 3-7 to 3-9", "LOLOHA", f"{loloha(2, 1, 4):.2f} instead of 1")


def noise_of_cell(values, epsilon):
    """n·Var of a cell of two attributes with evenly distributed values: through two grr at ε/2, and through subset at ε."""
    e, k = exp(epsilon / 2), values
    p, q = e / (e + k - 1), 1 / (e + k - 1)
    square = [share * ((1 - q) / (p - q)) ** 2 + (1 - share) * (q / (p - q)) ** 2 for share in (p, q)]
    apart = (square[0] / k + square[1] * (k - 1) / k) ** 2 - 1 / k**2
    e, k = exp(epsilon), values**2
    together = math.inf
    for w in range(1, k):
        p = w * e / (w * e + k - w)
        q = (p * (w - 1) + (1 - p) * w) / (k - 1)
        together = min(together, (p * (1 - p) / k + q * (1 - q) * (k - 1) / k) / (p - q) ** 2)
    return apart, together


apart, together = noise_of_cell(4, 1)
figure("3-1-1-2", "SamPrivSyn", f"{together:.1f} instead of {apart:.0f}")
figure("3-1", "Laplace noise on every attribute", f"{8 * 15**2}")


def gaussian_excess(epsilon, delta):
    """The exact δ of normal noise with the σ of theorem 2-3, as a multiple of the claimed one."""
    sigma = sqrt(2 * math.log(1.25 / delta)) / epsilon

    def normal(x):
        return math.erfc(-x / sqrt(2)) / 2

    return (normal(1 / (2 * sigma) - epsilon * sigma) - exp(epsilon) * normal(-1 / (2 * sigma) - epsilon * sigma)) / delta


assert gaussian_excess(1, 1e-5) < 1
figure("thm. 2-3", "Gaussian", f"{gaussian_excess(10, 1e-5):.1f} times")
figure("thm. 2-3", "Gaussian", f"{round(gaussian_excess(20, 1e-5), -1):.0f} times")

e, k = exp(1), 10
p, q = e / (e + k - 1), 1 / (e + k - 1)
assert abs(p * (1 - p) / (p - q) ** 2 - e * (k - 1) / (e - 1) ** 2) < 1e-9
assert abs(q * (1 - q) / (p - q) ** 2 - (e + k - 2) / (e - 1) ** 2) < 1e-9
figure("3-4-1 to 3-4-3", "GRR", "(e^ε + k − 2)/(e^ε − 1)² at share 0")

# The contraction coefficients of randomized response, and the printed one.
p = exp(1) / (exp(1) + 1)
near = [0.5 + x for x in (1e-4, -1e-4)]
through = [x * p + (1 - x) * (1 - p) for x in near]
ratio = [sum((a - b) ** 2 / c for a, b, c in zip((y[0], 1 - y[0]), (y[1], 1 - y[1]), (y[1], 1 - y[1]))) for y in (through, near)]
assert abs(ratio[0] / ratio[1] - ((exp(1) - 1) / (exp(1) + 1)) ** 2) < 1e-6 and (exp(1) - 1) ** 2 > 1
figure("5-1-1", "contraction coefficient", "((e^α − 1)/(e^α + 1))²")

advanced = sqrt(2 * 365 * math.log(1e6)) * 0.05 + 365 * 0.05 * (exp(0.05) - 1)
figure("thm. 3.20", "advanced", f"{advanced:.2f}")
figure("approximate privacy", "δ = 1/n", f"{100 * (1 - (1 - 1e-6) ** 1e6):.0f} %")

wrong = 0
for place, words, text in figures:
    rows = [row for row in page if row.startswith(f"| {place} |") and words in row]
    if len(rows) != 1 or text not in rows[0]:
        print(f"{place} ({words}): {text} is not in {len(rows)} row(s)")
        wrong += 1
print(f"{len(figures)} figures, {wrong} differ")
sys.exit(1 if wrong else 0)
