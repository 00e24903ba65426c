"""The epsilon that an entry keeps: exact from its channel, or a lower bound from its reports."""

from __future__ import annotations

import json
import math
import random
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Sequence

from .entries import EntryError, Kept, ReportingEntry
from .special import proportion_lower, proportion_upper

Score = Callable[[Any], float]


@dataclass(frozen=True)
class Bound:
    """A lower bound of epsilon: the event has `hits` of `total` reports of one input, and `misses` of the other."""

    epsilon: float
    pair: tuple[Any, Any] = (None, None)
    hits: int = 0
    misses: int = 0
    total: int = 0


def channel_epsilon(channel: dict[Any, dict[Any, float]], name: str) -> float:
    """Returns the largest log-ratio of the probabilities of a report under two inputs. It is infinite if a report is possible
    for one input only. Raises EntryError if the probabilities of an input are negative or do not add up to 1."""
    for value, row in channel.items():
        total = math.fsum(row.values())
        if any(p < 0 for p in row.values()) or abs(total - 1) > 1e-9:
            raise EntryError(f"the channel of {name} is no distribution for the input {value!r}: the sum is {total!r}")
    worst = 0.0
    for report in {report for row in channel.values() for report in row}:
        column = [row.get(report, 0.0) for row in channel.values()]
        if max(column) > 0:
            worst = max(worst, math.inf if min(column) == 0 else math.log(max(column) / min(column)))
    return worst


def kept_by(entry: ReportingEntry, samples: int, confidence: float, seed: int) -> Kept:
    """Returns the epsilon that an entry keeps. It is that of its channel, unless the attack refutes the channel."""
    bound = lower_bound(entry, samples, confidence, seed)
    shown = f"inputs {bound.pair[0]!r} and {bound.pair[1]!r}: {bound.hits} and {bound.misses} of {bound.total}"
    channel = entry.channel()
    if channel is not None:
        exact = channel_epsilon(channel, entry.name)
        if bound.epsilon <= exact:
            return Kept(exact, "channel")
    return Kept(bound.epsilon, "attack", shown)


def lower_bound(entry: ReportingEntry, samples: int, confidence: float, seed: int) -> Bound:
    """Returns a lower bound of epsilon that exceeds the true epsilon with probability at most 1 - confidence.

    For each pair of inputs, `samples` reports of each are drawn in one call, in random order. A quarter of the reports fits scores,
    which approximate the likelihood ratio. A second quarter chooses the score and its threshold. The other half counts
    the event; Clopper-Pearson bounds of its two probabilities give the bound (Jagielski, Ullman, Oprea 2020, arXiv:2006.07709).
    The level is divided by the number of bounds and pairs (Bonferroni).
    """
    pairs = entry.workload.attacked()
    alpha = (1 - confidence) / (2 * len(pairs))
    bounds = [_of_pair(entry, pair, samples, alpha, seed + i) for i, pair in enumerate(pairs)]
    return max(bounds, key=lambda bound: bound.epsilon)


def _of_pair(entry: ReportingEntry, pair: tuple[Any, Any], samples: int, alpha: float, seed: int) -> Bound:
    kinds = [0, 1] * samples
    random.Random(seed).shuffle(kinds)
    drawn = entry.randomize([pair[kind] for kind in kinds], seed)
    if len(drawn) != len(kinds):
        raise EntryError(f"{entry.name} returned {len(drawn)} reports for {len(kinds)} values")
    reports: tuple[list[Any], list[Any]] = ([], [])
    for kind, report in zip(kinds, drawn):
        reports[kind].append(report)
    quarter = samples // 4
    fitted = [one[:quarter] for one in reports]
    chosen: tuple[float, Score, float, int] | None = None
    for score in _scores(entry, pair, fitted[0], fitted[1]):
        found = _best_event(score, [one[quarter:2 * quarter] for one in reports], alpha)
        if chosen is None or found[0] > chosen[0]:
            chosen = (found[0], score, *found[1:])
    if chosen is None:
        return Bound(0.0, pair)
    _, score, threshold, likelier = chosen
    tested = [one[2 * quarter:] for one in reports]
    counts = [sum(_inside(score(report), threshold, likelier) for report in one) for one in tested]
    hits, misses = counts[likelier], counts[1 - likelier]
    total = len(tested[0])
    low, high = proportion_lower(hits, total, alpha), proportion_upper(misses, total, alpha)
    return Bound(max(0.0, math.log(low / high)) if low > 0 else 0.0, (pair[likelier], pair[1 - likelier]), hits, misses, total)


def _inside(score: float, threshold: float, likelier: int) -> bool:
    return score >= threshold if likelier == 1 else score <= threshold


def _best_event(score: Score, reports: Sequence[Sequence[Any]], alpha: float) -> tuple[float, float, int]:
    """Returns the largest approximate bound, and the threshold and the likelier input of its event."""
    sorted_scores = [sorted(map(score, one)) for one in reports]
    total = len(sorted_scores[0])
    pooled = sorted({*sorted_scores[0], *sorted_scores[1]})
    step = max(1, len(pooled) // 200)
    # The ends matter most for rare events.
    candidates = {*pooled[::step], *pooled[:50], *pooled[-50:]}
    best = (-1.0, 0.0, 1)
    critical = math.sqrt(-2 * math.log(alpha))  # above the normal quantile, so that events are not too rare
    for threshold in sorted(candidates):
        at_most = [bisect_right(one, threshold) for one in sorted_scores]
        at_least = [total - bisect_left(one, threshold) for one in sorted_scores]
        for likelier, (hits, misses) in ((0, at_most), (1, (at_least[1], at_least[0]))):
            found = _wilson(hits, total, -critical), _wilson(misses, total, critical)
            value = math.log(found[0] / found[1]) if found[0] > 0 else -1.0
            if value > best[0]:
                best = (value, threshold, likelier)
    return best


def _wilson(count: int, total: int, critical: float) -> float:
    """A bound of a probability (Wilson 1927): the lower one for a negative critical value."""
    p, square = count / total, critical * critical
    middle, width = p + square / (2 * total), critical * math.sqrt(p * (1 - p) / total + square / (4 * total * total))
    return max(0.0, (middle + width) / (1 + square / total))


def _scores(entry: ReportingEntry, pair: tuple[Any, Any], first: list[Any], second: list[Any]) -> Iterable[Score]:
    """Approximations of the log-likelihood ratio of the second input to the first one, fitted to reports of both."""
    yield _score_of_texts(first, second)
    features = _features(first + second)
    if features is not None:
        yield _linear(features, first, second)
        if len(features(first[0])) <= 16:
            for index in range(len(features(first[0]))):
                yield _binned(lambda report, i=index: features(report)[i], first, second)  # type: ignore[misc]
    if entry.workload.labelled:
        return  # a search needs many reports
    by_estimate = _by_estimate(entry, pair)
    try:
        finite = all(math.isfinite(by_estimate(report)) for report in first[:20])
    except Exception:  # an estimator need not accept a single report
        finite = False
    if finite:
        yield _remembered(by_estimate)


def _key(report: Any) -> Any:
    try:
        hash(report)
        return report
    except TypeError:
        return json.dumps(report, sort_keys=True, default=str)


def _score_of_texts(first: list[Any], second: list[Any]) -> Score:
    """The ratio of the counts of equal reports."""
    counts = [Counter(map(_key, one)) for one in (first, second)]
    table = {key: math.log((counts[1][key] + 0.5) / (counts[0][key] + 0.5)) for key in {*counts[0], *counts[1]}}
    return lambda report: table.get(_key(report), 0.0)


def _flat(report: Any) -> list[float] | None:
    """The numbers of a report: of bytes and of large whole numbers their bits."""
    if hasattr(report, "tolist"):
        report = report.tolist()
    if isinstance(report, (bytes, bytearray)):
        return [float(byte >> i & 1) for byte in report for i in range(8)]
    if isinstance(report, (int, float)):
        return [float(report)]
    if isinstance(report, (list, tuple)):
        parts = [_flat(part) for part in report]
        return None if any(part is None for part in parts) else [number for part in parts for number in part or []]
    return None


def _features(reports: list[Any]) -> Callable[[Any], list[float]] | None:
    """A function that returns the numbers of a report, or None if the reports have no common number of numbers."""
    found = [_flat(report) for report in reports]
    lengths = {None if one is None else len(one) for one in found}
    length = lengths.pop()
    if lengths or not length or length > 4096:
        return None
    width = max((one.bit_length() for one in reports if isinstance(one, int)), default=0)
    if length == 1 and 8 < width <= 4096 and all(isinstance(one, int) and one >= 0 for one in reports):
        return lambda report: [float(report >> i & 1) for i in range(width)]

    def numbers(report: Any) -> list[float]:
        found = _flat(report)
        return found if found is not None and len(found) == length else [0.0] * (length or 0)
    return numbers


def _linear(features: Callable[[Any], list[float]], first: list[Any], second: list[Any]) -> Score:
    """Fisher's discriminant with a diagonal covariance, which is the likelihood ratio of independent normal features."""
    moments = []
    for one in (first, second):
        columns = list(zip(*map(features, one)))
        means = [sum(column) / len(column) for column in columns]
        moments.append((means, [sum((x - mean) ** 2 for x in column) / len(column) for column, mean in zip(columns, means)]))
    weights = []
    for mean0, mean1, var0, var1 in zip(moments[0][0], moments[1][0], moments[0][1], moments[1][1]):
        noise = math.sqrt((var0 + var1) / len(first))
        # Differences within four standard errors are noise.
        weights.append(0.0 if abs(mean1 - mean0) <= 4 * noise else (mean1 - mean0) / ((var0 + var1) / 2 + 1e-12))
    return lambda report: math.fsum(weight * x for weight, x in zip(weights, features(report)) if weight != 0)


def _binned(feature: Score, first: list[Any], second: list[Any]) -> Score:
    """The ratio of two histograms of a number, with bins of equal count."""
    values = [sorted(map(feature, one)) for one in (first, second)]
    pooled = sorted(values[0] + values[1])
    edges = sorted(set(pooled[::max(1, len(pooled) // 40)]))
    counts = [Counter(bisect_right(edges, value) for value in one) for one in values]
    table = [math.log((counts[1][i] + 0.5) / (counts[0][i] + 0.5)) for i in range(len(edges) + 1)]
    return lambda report: table[bisect_right(edges, feature(report))]


def _by_estimate(entry: ReportingEntry, pair: tuple[Any, Any]) -> Score:
    """What the entry estimates from one report, in the direction of the difference of the inputs."""
    cells = [entry.workload.cell_truth([value]) for value in pair]
    weights = {i: b - a for i, (a, b) in enumerate(zip(*cells)) if a != b}

    def score(report: Any) -> float:
        rows = entry.estimate([report])
        return math.fsum(weight * rows[i].estimate for i, weight in weights.items())
    return score


def _remembered(score: Score) -> Score:
    known: dict[Any, float] = {}

    def remembered(report: Any) -> float:
        key = _key(report)
        if key not in known:
            known[key] = score(report)
        return known[key]
    return remembered
