"""`tree`: ranges by least squares (doc/formats.md, "`tree`"; doc/draws.md, "`tree`"; doc/theory-ordered.md)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Sequence

from ..binary import Reader, integer_bytes
from ..errors import Refused
from ..estimate import UNRELIABLE, Estimate, limited
from ..responses import Subset
from ..words import Words
from .base import DrawnSet, Input, Mechanism, Section, SetForm, State
from .numbers import range_bytes, read_range

MOST_POINTS = 1 << 14


class Fit(ABC):
    """An unbiased estimate of the shares of ordered points, which is linear in the reports."""

    n: int
    points: int
    people: list[float]  # the assumed distribution of the people over the points

    @abstractmethod
    def value(self, function: Sequence[float]) -> float:
        """Returns the estimated mean of a function of the points."""

    @abstractmethod
    def variance(self, function: Sequence[float]) -> float:
        """Returns n times the variance of this mean, with the variance of the function over the people."""

    def pooled_shares(self) -> list[float]:
        """Returns the assumed distribution (doc/draws.md, "Estimates"): cumulative shares, pooled without weights."""
        count = self.points
        cumulative = [self.value([float(point <= last) for point in range(count)]) for last in range(count - 1)]
        curve = [limited(share, 0, 1) for share in monotone(cumulative)] + [1.0]
        return [share - before for share, before in zip(curve, [0.0] + curve)]

    def errors(self, function: Sequence[float]) -> tuple[float, float]:
        """Returns the standard errors of the mean of a function, for the sample and for the population."""
        mean = math.fsum(share * value for share, value in zip(self.people, function))
        between = math.fsum(share * value**2 for share, value in zip(self.people, function)) - mean**2
        noise = max(0.0, self.variance(function) - between)
        return math.sqrt(noise / self.n), math.sqrt((noise + between) / self.n)


class Ordered(Mechanism):
    """A mechanism for ordered points: one number, or one category with ordered values."""

    points: int
    numbers: int  # 1 for numbers, 2 if the last point stands for a missing number, 0 for categories
    bounds: tuple[float, float] | None

    @abstractmethod
    def fit(self, state: State, n: int) -> Fit:
        """Returns the estimate from the state of n reports, n > 0."""

    @property
    def valued_points(self) -> int:
        """Returns the number of points without the one that stands for a missing number."""
        return self.points - (self.numbers == 2)

    def inputs(self) -> list[Input]:
        return [Input(self.points, self.bounds, self.valued_points - 1 if self.bounds else 0, self.numbers == 2)]

    def estimates(self, state: State, n: int) -> list[Estimate]:
        if self.bounds is None:
            return self._proportions(state, n)
        low, high = self.bounds
        count = self.valued_points
        numbers = [low + (high - low) * point / (count - 1) for point in range(count)]
        if self.numbers == 2:
            return self._mean_of_answers(numbers, state, n)
        if n == 0:
            return [Estimate(0, None, "mean", None)]
        fit = self.fit(state, n)
        return [Estimate(0, None, "mean", fit.value(numbers), *fit.errors(numbers))]

    def _proportions(self, state: State, n: int) -> list[Estimate]:
        """Returns the share of each point."""
        if n == 0:
            return [Estimate(0, value, "proportion", None) for value in range(self.points)]
        fit, result = self.fit(state, n), []
        for value in range(self.points):
            indicator = [float(point == value) for point in range(self.points)]
            result.append(Estimate(0, value, "proportion", fit.value(indicator), *fit.errors(indicator)))
        return result

    def _mean_of_answers(self, numbers: list[float], state: State, n: int) -> list[Estimate]:
        """Returns mean and share of the people who answer: quotients of two estimates."""
        nothing = Estimate(0, None, "mean", None)
        if n == 0:
            return [nothing, Estimate(0, None, "response_rate", None)]
        fit = self.fit(state, n)
        answers, values = [1.0] * len(numbers) + [0.0], numbers + [0.0]
        rate = fit.value(answers)
        rate_estimate = Estimate(0, None, "response_rate", rate, *fit.errors(answers))
        if rate <= 0:
            return [nothing, rate_estimate]
        mean = fit.value(values) / rate
        inside = limited(mean, numbers[0], numbers[-1])
        if rate < UNRELIABLE * (rate_estimate.population or 0.0):
            return [Estimate(0, None, "mean", inside), rate_estimate]
        residual = [value - inside * answer for value, answer in zip(values, answers)]
        errors = [error / rate for error in fit.errors(residual)]
        return [Estimate(0, None, "mean", mean, *errors), rate_estimate]


class Level(NamedTuple):
    """A drawn level of a tree."""

    depth: int
    weight: int
    nodes: int
    response: Subset


class Tree(DrawnSet, Ordered):
    """A set of nodes of a level of a binary tree over k points in order."""

    name = "tree"

    def __init__(
        self,
        epsilon: float,
        points: int,
        numbers: int,
        levels: list[tuple[int, int, int]],
        bounds: tuple[float, float] | None,
    ) -> None:
        """Takes depth, weight and set size of each drawn level."""
        self.epsilon, self.points, self.numbers, self.bounds = epsilon, points, numbers, bounds
        self.depth = (points - 1).bit_length()
        self.levels = []
        for depth, weight, width in levels:
            nodes = self.nodes(depth)
            response = Subset.at(epsilon, nodes, width)
            self.levels.append(Level(depth, weight, nodes, response))
        self.forms = [SetForm(level.nodes, level.response.width) for level in self.levels]

    def nodes(self, depth: int) -> int:
        """Returns the number of nodes of a depth."""
        return -(-self.points // (1 << (self.depth - depth)))

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Tree:
        points, numbers, count = reader.integer(4), reader.integer(1), reader.integer(1)
        depth = (points - 1).bit_length()
        if not 2 <= points <= MOST_POINTS or numbers > 2 or not 1 <= count <= depth:
            raise Refused("points, numbers or levels of the tree are wrong")
        if numbers == 2 and points < 3:
            raise Refused("a tree of one point and of missing numbers")
        levels = [(reader.integer(1), reader.integer(2), reader.integer(4)) for _ in range(count)]
        depths = [level[0] for level in levels]
        if depths != sorted(set(depths)) or depths[0] < 1 or depths[-1] != depth:
            raise Refused("the depths of the tree are wrong")
        for own, weight, width in levels:
            if weight == 0 or not 1 <= width < -(-points // (1 << (depth - own))):
                raise Refused("a weight or a set size of the tree is wrong")
        return cls(epsilon, points, numbers, levels, read_range(reader) if numbers else None)

    def parameters(self) -> bytes:
        head = integer_bytes(self.points, 4) + bytes([self.numbers, len(self.levels)])
        for level in self.levels:
            head += bytes([level.depth]) + integer_bytes(level.weight, 2) + integer_bytes(level.response.width, 4)
        return head + (range_bytes(self.bounds) if self.bounds else b"")

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        drawn = words.outcome(level.weight for level in self.levels)
        level = self.levels[drawn]
        members = level.response.draw(codes[0] >> (self.depth - level.depth), words)
        return self.write(drawn, members)

    def layout(self) -> list[Section]:
        return [section for level in self.levels for section in (Section(1), Section(level.nodes, 0))]

    def fit(self, state: State, n: int) -> Fit:
        return TreeFit(self, state, n)


class TreeFit(Fit):
    """The estimate of the shares of all points by least squares, and its errors."""

    def __init__(self, tree: Tree, state: State, n: int) -> None:
        self.tree, self.n, self.points = tree, n, tree.points
        total = sum(level.weight for level in tree.levels)
        self.reports = [state[2 * index][0] for index in range(len(tree.levels))]
        self.levels = {level.depth: index for index, level in enumerate(tree.levels) if self.reports[index]}
        self.shares: dict[int, list[float]] = {}  # f of each node, by depth
        precision, above = 0.0, {}
        for depth in range(tree.depth, 0, -1):  # P of the page, from the leaves up
            own = 0.0
            if depth in self.levels:
                level, m = tree.levels[self.levels[depth]], self.reports[self.levels[depth]]
                even, held = level.response.even_and_held()
                own = level.weight / total / (even + held / level.nodes)
                p, q = level.response.p, level.response.q
                counters = state[2 * self.levels[depth] + 1]
                self.shares[depth] = [(counter / m - q) / (p - q) for counter in counters]
            precision = own + precision / 2
            above[depth] = own / precision if own else 0.0
        self.own_part = above  # a of the page
        self.deepest = max(self.levels)
        self.people = self.pooled_shares()

    def _fold(self, function: Sequence[float]) -> list[list[float]]:
        """Returns the mean of a function at each node, by depth: a node has the mean of its children's means."""
        tree = self.tree
        means = [list(function)]
        for depth in range(tree.depth - 1, -1, -1):
            below = means[0]
            own = []
            for node in range(tree.nodes(depth)):
                pair = below[2 * node : 2 * node + 2]
                own.append(sum(pair) / len(pair))
            means.insert(0, own)
        return means

    def weights(self, function: Sequence[float]) -> tuple[float, dict[int, list[float]]]:
        """Returns the constant and the weight of each share f of a node in the mean of a function of the points."""
        means, result = self._fold(function), {}
        above, left_over = [0.0], 0.0  # the weights of z at the depth above, and 1 - a there
        for depth in range(1, self.deepest + 1):
            own = []
            for node, mean in enumerate(means[depth]):
                sibling = node ^ 1
                difference = (mean - means[depth][sibling]) / 2 if sibling < len(means[depth]) else 0.0
                own.append(left_over * above[node // 2] + difference)
            part = self.own_part[depth]
            if part:
                result[depth] = [part * weight for weight in own]
            above, left_over = own, 1 - part
        return means[0][0], result

    def value(self, function: Sequence[float]) -> float:
        constant, weights = self.weights(function)
        sums = (math.fsum(w * f for w, f in zip(own, self.shares[depth])) for depth, own in weights.items())
        return constant + math.fsum(sums)

    def variance(self, function: Sequence[float]) -> float:
        _, weights = self.weights(function)
        variance = math.fsum(
            self.n / self.reports[self.levels[depth]] * self._depth_variance(depth, own)
            for depth, own in weights.items()
        )
        means, shift = self._fold(function)[self.deepest], self.tree.depth - self.deepest
        variation = max(abs(value - means[point >> shift]) for point, value in enumerate(function))
        return variance + self.n * variation**2

    def _depth_variance(self, depth: int, weights: Sequence[float]) -> float:
        """Returns Q - o_1^2 of a depth."""
        level = self.tree.levels[self.levels[depth]]
        nodes, width, p, q = level.nodes, level.response.width, level.response.p, level.response.q
        shares = [0.0] * nodes
        for point, share in enumerate(self.people):
            shares[point >> (self.tree.depth - depth)] += share
        known, least, greatest = self.n / (self.n + 1), min(weights), max(weights)
        first = math.fsum(share * w for share, w in zip(shares, weights))
        second = math.fsum(share * w * w for share, w in zip(shares, weights))
        first = known * first + (1 - known) * (least + greatest) / 2
        second = known * second + (1 - known) * (least**2 + greatest**2) / 2
        total, squares = math.fsum(weights), math.fsum(w * w for w in weights)
        others, pairs = squares - second, total**2 - 2 * total * first + second

        def of_set(count: int) -> float:
            result = count / (nodes - 1) * others
            if nodes > 2:
                result += count * (count - 1) / ((nodes - 1) * (nodes - 2)) * (pairs - others)
            return result

        inside = second + 2 * (width - 1) / (nodes - 1) * (total * first - second) + of_set(width - 1)
        raw = p * inside + (1 - p) * of_set(width)
        raw += (q * total) ** 2 - 2 * q * total * (p * first + q * (total - first))
        return raw / (p - q) ** 2 - first**2


def monotone(values: Sequence[float]) -> list[float]:
    """Returns the non-decreasing sequence nearest to values by squares: decreasing neighbours are pooled."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pool = (value, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, count = pools.pop()
            pool = ((mean * count + pool[0] * pool[1]) / (count + pool[1]), count + pool[1])
        pools.append(pool)
    return [mean for mean, count in pools for _ in range(count)]
