"""`joint`: cross tables (doc/formats.md, "`joint`"; doc/draws.md, "`joint`"; doc/theory-joint.md)."""

from __future__ import annotations

import itertools
import math
from typing import Sequence

from ..binary import Reader, integer_bytes, read_runs, runs_of
from ..errors import Refused, Unsupported
from ..estimate import Estimate, limited
from ..responses import Subset
from ..words import Words
from .base import DrawnSet, Input, Section, SetForm, State

Marginal = tuple[int, ...]  # attributes in ascending order


def read_domains(reader: Reader, most: int) -> list[int]:
    """Returns the numbers of values of d attributes, d from 2 to 128."""
    dimension = reader.integer(2)
    if not 2 <= dimension <= 128:
        raise Refused(f"the record has {dimension} attributes")
    values = read_runs(reader, dimension, 2, lambda r: r.integer(4))
    if any(not 2 <= count <= most for count in values):
        raise Refused("a number of values is wrong")
    return values


def domains_bytes(values: list[int]) -> bytes:
    """Returns d and the numbers of values in runs."""
    runs = runs_of(values)
    head = integer_bytes(len(values), 2) + integer_bytes(len(runs), 2)
    return head + b"".join(integer_bytes(length, 2) + integer_bytes(count, 4) for length, count in runs)


def read_marginals(reader: Reader, dimension: int, largest: int) -> tuple[int, list[Marginal]]:
    """Returns the form of the marginals and the marginals in order: fewer attributes first, then by attributes."""
    form = reader.integer(1)
    if form:
        size, singles = form & 15, form & 16
        if size not in range(2, largest + 1) or form & ~31 or (singles and largest < 3) or size > dimension:
            raise Refused(f"the form of the marginals is {form}")
        sizes = [1, size] if singles else [size]
        return form, [each for size in sizes for each in itertools.combinations(range(dimension), size)]
    marginals: list[Marginal] = []
    for _ in range(reader.integer(2)):
        marginal = tuple(reader.take(reader.integer(1)))
        if not 1 <= len(marginal) <= largest or any(a >= b for a, b in zip(marginal, marginal[1:])):
            raise Refused("a marginal is wrong")
        if marginals and (len(marginals[-1]), marginals[-1]) >= (len(marginal), marginal):
            raise Refused("the marginals are not in order")
        marginals.append(marginal)
    if {attribute for marginal in marginals for attribute in marginal} != set(range(dimension)):
        raise Refused("an attribute is in no marginal, or does not exist")
    return form, marginals


def marginals_bytes(form: int, marginals: list[Marginal]) -> bytes:
    """Returns the form of the marginals, and the list of form 0."""
    if form:
        return bytes([form])
    listed = b"".join(bytes([len(marginal), *marginal]) for marginal in marginals)
    return bytes([0]) + integer_bytes(len(marginals), 2) + listed


class Joint(DrawnSet):
    """The cell of one cross table, through subset selection, in one layer."""

    name = "joint"

    def __init__(
        self,
        epsilon: float,
        values: list[int],
        form: int,
        marginals: list[Marginal],
        kinds: dict[tuple[int, int], tuple[int, int]],
    ) -> None:
        """Takes for each pair (cells, attributes) of a marginal its set size and weight."""
        self.epsilon, self.values, self.form, self.marginals, self.kinds = epsilon, values, form, marginals, kinds
        self.cells = [cells_of(marginal, values) for marginal in marginals]
        own = [kinds[cells, len(marginal)] for cells, marginal in zip(self.cells, marginals)]
        self.weights = [weight for _, weight in own]
        made = {kind: Subset.at(epsilon, kind[0], width) for kind, (width, _) in kinds.items()}
        self.responses = [made[cells, len(marginal)] for cells, marginal in zip(self.cells, marginals)]
        self.forms = [SetForm(cells, width) for cells, (width, _) in zip(self.cells, own)]

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Joint:
        values = read_domains(reader, 8192)
        form, marginals = read_marginals(reader, len(values), 3)
        if len(marginals) > 8192 or any(cells_of(marginal, values) > 8192 for marginal in marginals):
            raise Refused("there are too many marginals or cells")
        kinds = {}
        for kind in sorted({(cells_of(marginal, values), len(marginal)) for marginal in marginals}):
            width, weight = reader.integer(2), reader.integer(2)
            if width >= kind[0] or weight == 0:
                raise Refused("a set size or a weight is wrong")
            kinds[kind] = (width, weight)
        if reader.left() == 8:
            raise Unsupported("two layers")
        if any(width == 0 for width, _ in kinds.values()):
            raise Refused("a set has no values")
        return cls(epsilon, values, form, marginals, kinds)

    def parameters(self) -> bytes:
        kinds = [number for _, own in sorted(self.kinds.items()) for number in own]
        head = domains_bytes(self.values) + marginals_bytes(self.form, self.marginals)
        return head + b"".join(integer_bytes(number, 2) for number in kinds)

    def inputs(self) -> list[Input]:
        return [Input(count) for count in self.values]

    def public(self, words: Words) -> int:
        return words.outcome(self.weights)

    def permanent(self, codes: Sequence[int], public: int, words: Words) -> bytes:
        cell = 0
        for attribute in self.marginals[public]:
            cell = cell * self.values[attribute] + codes[attribute]
        return self.write(public, self.responses[public].draw(cell, words))

    def layout(self) -> list[Section]:
        return [section for form in self.forms for section in (Section(1), form.section())]

    def estimates(self, state: State, n: int) -> list[Estimate]:
        attributes = range(len(self.values))
        return [estimate for attribute in attributes for estimate in self._attribute(attribute, state, n)]

    def reports_about(self, attribute: int, state: State, n: int) -> int:
        return sum(state[2 * index][0] for index, marginal in enumerate(self.marginals) if attribute in marginal)

    def _attribute(self, attribute: int, state: State, n: int) -> list[Estimate]:
        """Returns the shares of the values of an attribute by least squares over marginals (`consistent`)."""
        count = self.values[attribute]
        tables = [index for index, marginal in enumerate(self.marginals) if attribute in marginal]
        tables = [index for index in tables if state[2 * index][0] >= 2]  # n - 1 divides the variance
        if not tables:
            return [Estimate(attribute, value, "proportion", None) for value in range(count)]
        precisions = []
        for index in tables:
            even, held = self.responses[index].even_and_held()
            variance = even + held / self.cells[index]
            precisions.append(state[2 * index][0] / (variance * (self.cells[index] // count)))
        total = math.fsum(precisions)
        shares, variances = [1 / count] * count, [0.0] * count
        for index, precision in zip(tables, precisions):
            self._add_table(attribute, index, precision / total, state, shares, variances)
        result = []
        for value, (share, variance) in enumerate(zip(shares, variances)):
            f = limited(share, 0, 1)
            sample = variance - f * (1 - f) / (n - 1) if n > 1 else variance
            result.append(
                Estimate(
                    attribute,
                    value,
                    "proportion",
                    share,
                    math.sqrt(max(0.0, sample)),
                    math.sqrt(max(0.0, variance)),
                )
            )
        return result

    def _add_table(
        self, attribute: int, index: int, weight: float, state: State, shares: list[float], variances: list[float]
    ) -> None:
        """Adds the part of one table, with its weight, to the shares and variances of an attribute's values."""
        count, m, response = self.values[attribute], state[2 * index][0], self.responses[index]
        p, q, (even, held) = response.p, response.q, response.even_and_held()
        marginal = self.marginals[index]
        inner = math.prod(self.values[other] for other in marginal[marginal.index(attribute) + 1 :])
        rows = [0.0] * count
        for cell, counter in enumerate(state[2 * index + 1]):
            rows[cell // inner % count] += (counter / m - q) / (p - q)
        others = self.cells[index] // count
        for value, row in enumerate(rows):
            shares[value] += weight * (row - 1 / count)
            # g is weight (1 - 1/count) in the row and -weight/count elsewhere: it adds up to 0
            high, low = weight * (1 - 1 / count), -weight / count
            squares = others * (high**2 + (count - 1) * low**2)
            held_squares = row * high**2 + (1 - row) * low**2
            mean = row * high + (1 - row) * low
            variances[value] += (even * squares + held * held_squares - mean**2) / (m - 1)


def cells_of(marginal: Marginal, values: list[int]) -> int:
    """Returns the number of cells of a marginal's cross table."""
    return math.prod(values[attribute] for attribute in marginal)
