"""`label_sets`: several labels of a person (doc/draws.md, "`label_sets`"; doc/theory-frequencies.md)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Sequence

from ..binary import Reader, cell_bytes, cell_size, integer_bytes, read_cell
from ..errors import Refused
from ..estimate import Estimate, limited, pure
from ..responses import Symmetric
from ..weights import exponential
from ..words import Words
from .base import Input, Mechanism, OneSet, Section, SetForm, State

MOST_LABELS, MOST_SETS = 4096, 1 << 62


def set_code(labels: Sequence[int], values: int) -> int:
    """Returns the input code of a set of labels in ascending order ("Input code")."""
    smaller = sum(math.comb(values, size) for size in range(len(labels)))
    return smaller + sum(math.comb(label, index + 1) for index, label in enumerate(labels))


def combination(number: int, size: int, values: int) -> list[int]:
    """Returns the combination of `size` of the numbers below `values` that has a number (Lehmer 1964), ascending."""
    members = []
    for index in range(size, 0, -1):
        member = next(x for x in range(values - 1, -1, -1) if math.comb(x, index) <= number)
        number -= math.comb(member, index)
        members.append(member)
    return members[::-1]


def set_labels(code: int, values: int) -> list[int]:
    """Returns the labels of an input code, in ascending order."""
    size = 0
    while code >= math.comb(values, size):
        code -= math.comb(values, size)
        size += 1
    return combination(code, size, values)


def sets_of(values: int, most: int) -> int:
    """Returns the number of sets of at most `most` labels."""
    return sum(math.comb(values, size) for size in range(most + 1))


class LabelSubset(OneSet):
    """The response `subset`: a set of w of the labels and dummies."""

    name = "label_sets"

    def __init__(self, epsilon: float, values: int, most: int, width: int) -> None:
        self.epsilon, self.values, self.most, self.width = epsilon, values, most, width
        self.items = values + most
        self.form = SetForm(self.items, width)

    def parameters(self) -> bytes:
        return b"".join(integer_bytes(number, 4) for number in (self.values, self.most, self.width))

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> LabelSubset:
        raise NotImplementedError("LabelSets.read chooses the response")

    def inputs(self) -> list[Input]:
        return [Input(sets_of(self.values, self.most))]

    def _none(self, first: int) -> Fraction:
        """Returns the share of sets without an item of the person, among the sets of d - `first` other items."""
        result = Fraction(1)
        for i in range(self.most):
            result *= Fraction(self.items - self.width - i, self.items - first - i)
        return result

    def weights(self) -> list[int]:
        """Returns G_0, ..., G_{m-1} and N."""
        d, w = self.items, self.width
        none, ratio = self._none(0), exponential(self.epsilon) * (1 - Fraction(1, 1 << 44))
        light = math.floor((1 << 62) * none / (none + ratio * (1 - none)))
        firsts, g = [], Fraction(w, d)
        for i in range(self.most):
            firsts.append(math.floor(light * ratio * g / none))
            g = g * (d - i - w) / (d - i - 1)
        return firsts + [light]

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        labels = set_labels(codes[0], self.values)
        person = labels + [self.values + i for i in range(self.most - len(labels))]
        first = words.outcome(self.weights())
        left_out = set(person[: first + 1])
        others = [item for item in range(self.items) if item not in left_out]
        members: set[int] = set()
        for last in range(len(others) - self.width, len(others)):
            candidate = others[words.below(last + 1)]
            if first < self.most and last == len(others) - self.width:
                continue
            members.add(candidate if candidate not in members else others[last])
        if first < self.most:
            members.add(person[first])
        return self.form.write(sorted(members))

    def layout(self) -> list[Section]:
        return [Section(self.items)]

    def estimates(self, state: State, n: int) -> list[Estimate]:
        ratio = exponential(self.epsilon)
        none, without = self._none(0), self._none(1)
        mean_weight = none + ratio * (1 - none)
        inclusion = Fraction(self.width, self.items)
        p = float(inclusion * ratio / mean_weight)
        q = float(inclusion * (without + ratio * (1 - without)) / mean_weight)
        return [pure(0, label, state[0][label], n, p, q) for label in range(self.values)]


class OneLabel(Mechanism):
    """The response `one_label`: a public label and a bit."""

    name = "label_sets"

    def __init__(self, epsilon: float, values: int, most: int) -> None:
        self.epsilon, self.values, self.most = epsilon, values, most
        self.response = Symmetric.at(epsilon, 2)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> OneLabel:
        raise NotImplementedError("LabelSets.read chooses the response")

    def parameters(self) -> bytes:
        return b"".join(integer_bytes(number, 4) for number in (self.values, self.most, 0))

    def inputs(self) -> list[Input]:
        return [Input(sets_of(self.values, self.most))]

    def public(self, words: Words) -> int:
        return words.below(self.values)

    def permanent(self, codes: Sequence[int], public: int, words: Words) -> bytes:
        true = words.chance(self.response.heavy, self.response.total)
        bit = (public in set_labels(codes[0], self.values)) == true
        return cell_bytes(public, self.values) + bytes([bit])

    @property
    def payload_size(self) -> int:
        return cell_size(self.values) + 1

    def check(self, payload: bytes) -> None:
        read_cell(payload[:-1], self.values)
        read_cell(payload[-1:], 2)

    def layout(self) -> list[Section]:
        return [Section(self.values), Section(self.values)]

    def count(self, state: State, payload: bytes) -> None:
        label = read_cell(payload[:-1], self.values)
        state[0][label] += 1
        state[1][label] += payload[-1]

    def possible(self, state: State, n: int) -> bool:
        return sum(state[0]) == n and all(ones <= reports for reports, ones in zip(*state))

    def estimates(self, state: State, n: int) -> list[Estimate]:
        p, q = self.response.p, self.response.q
        result = []
        for label, (reports, ones) in enumerate(zip(*state)):
            if reports == 0:
                result.append(Estimate(0, label, "proportion", None))
                continue
            share = (ones / reports - q) / (p - q)
            f = limited(share, 0, 1)
            noise, between = p * q / (p - q) ** 2, f * (1 - f)
            sample = math.sqrt((noise + (1 - reports / n) * between) / reports)
            result.append(
                Estimate(0, label, "proportion", share, sample, math.sqrt((noise + between) / reports))
            )
        return result


class LabelSets:
    """Reads the parameters of `label_sets` and chooses the response."""

    name = "label_sets"

    @staticmethod
    def read(epsilon: float, reader: Reader) -> LabelSubset | OneLabel:
        """Returns the mechanism with the parameters of a block."""
        values, most, width = (reader.integer(4) for _ in range(3))
        if not 2 <= values <= MOST_LABELS or not 1 <= most <= values or width > values:
            raise Refused("the parameters of the sets of labels are wrong")
        if sets_of(values, most) > MOST_SETS:
            raise Refused("there are too many sets")
        return LabelSubset(epsilon, values, most, width) if width else OneLabel(epsilon, values, most)
