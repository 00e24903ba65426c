"""`sampled`: a record of parts (doc/formats.md, "`sampled`"; doc/draws.md, "`sampled`")."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Sequence

from ..binary import Reader, cell_bytes, cell_size, integer_bytes, read_cell
from ..errors import Refused
from ..estimate import Estimate
from ..weights import share
from ..words import Words
from .base import Input, Mechanism, Section, State, zero_padding

Maker = Callable[[int, float, Reader], Mechanism]  # of the number of a mechanism, epsilon and its parameters
NOT_A_PART = (18, 21, 32, 33)  # sampled, haar_ranges, gaussian, joint_haar
JOINT = 31


class Sampled(Mechanism):
    """s parts of a record, each through its own mechanism at the s-th part of epsilon."""

    name = "sampled"

    def __init__(self, epsilon: float, reported: int, runs: list[tuple[int, int, int, Mechanism]]) -> None:
        """Takes runs of length, weight, number of the mechanism, mechanism."""
        self.epsilon, self.reported, self.runs = epsilon, reported, runs
        self.parts = [mechanism for length, _, _, mechanism in runs for _ in range(length)]
        self.weights = [weight for length, weight, _, _ in runs for _ in range(length)]
        self.total = sum(self.weights) // reported
        self.ends = [sum(self.weights[: index + 1]) for index in range(len(self.weights))]
        self.longest = max(part.payload_size for part in self.parts)
        self.sections = [[Section(1)] + part.layout() for part in self.parts]

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Sampled:
        raise NotImplementedError("read_sampled has the mechanisms of the parts")

    def parameters(self) -> bytes:
        result = integer_bytes(self.reported, 4) + integer_bytes(len(self.runs), 2)
        kinds: list[bytes] = []
        for length, weight, number, mechanism in self.runs:
            own = mechanism.parameters()
            kind = integer_bytes(weight, 4) + bytes([number]) + integer_bytes(len(own), 2) + own
            result += integer_bytes(length, 2)
            if kind in kinds:
                result += integer_bytes(kinds.index(kind) + 1, 2)
            else:
                result += integer_bytes(0, 2) + kind
                kinds.append(kind)
        return result

    def inputs(self) -> list[Input]:
        return [each for part in self.parts for each in part.inputs()]

    def first_attributes(self) -> list[int]:
        """Returns the number of the first attribute of each part."""
        firsts = [0]
        for part in self.parts:
            firsts.append(firsts[-1] + len(part.inputs()))
        return firsts

    def public(self, words: Words) -> list[tuple[int, Any]]:
        """Returns the drawn parts with their public draws."""
        u = words.below(self.total)
        drawn = []
        for i in range(self.reported):
            part = next(index for index, end in enumerate(self.ends) if u + i * self.total < end)
            drawn.append((part, self.parts[part].public(words)))
        return drawn

    def permanent(self, codes: Sequence[int], public: list[tuple[int, Any]], words: Words) -> bytes:
        firsts, result = self.first_attributes(), b""
        for part, own in public:
            payload = self.parts[part].permanent(codes[firsts[part] : firsts[part + 1]], own, words)
            result += cell_bytes(part, len(self.parts)) + payload.ljust(self.longest, b"\0")
        return result

    @property
    def payload_size(self) -> int:
        return self.reported * (cell_size(len(self.parts)) + self.longest)

    def _split(self, payload: bytes) -> list[tuple[int, bytes]]:
        """Returns the parts of a payload with their own payloads, padded."""
        head = cell_size(len(self.parts))
        size = head + self.longest
        pieces = [payload[index : index + size] for index in range(0, len(payload), size)]
        return [(read_cell(piece[:head], len(self.parts)), piece[head:]) for piece in pieces]

    def check(self, payload: bytes) -> None:
        split = self._split(payload)
        low, high = 0, self.total
        for i, (part, _) in enumerate(split):
            low = max(low, self.ends[part] - self.weights[part] - i * self.total)
            high = min(high, self.ends[part] - i * self.total)
        if low >= high:
            raise Refused("no draw gives these parts")
        for part, own in split:
            size = self.parts[part].payload_size
            self.parts[part].check(own[:size])
            zero_padding(own, size)

    def layout(self) -> list[Section]:
        return [section for sections in self.sections for section in sections]

    def split_state(self, state: State) -> list[tuple[list[int], State]]:
        """Returns the number of reports (a list of one number) and the state of each part."""
        result, begin = [], 0
        for sections in self.sections:
            result.append((state[begin], state[begin + 1 : begin + len(sections)]))
            begin += len(sections)
        return result

    def count(self, state: State, payload: bytes) -> None:
        split = self.split_state(state)
        for part, own in self._split(payload):
            reports, part_state = split[part]
            reports[0] += 1
            self.parts[part].count(part_state, own[: self.parts[part].payload_size])

    def possible(self, state: State, n: int) -> bool:
        split = self.split_state(state)
        reports = [counter[0] for counter, _ in split]
        if sum(reports) != self.reported * n or max(reports) > n:
            return False
        if any(weight == self.total and m != n for weight, m in zip(self.weights, reports)):
            return False
        return all(part.possible(own, m) for part, (_, own), m in zip(self.parts, split, reports))

    def of_record(self, estimate: Estimate, first: int, m: int, n: int) -> Estimate:
        """Returns an estimate of a part as one of the record, with the finite population ("Estimate")."""
        if estimate.sample is None or estimate.population is None:
            return dataclasses.replace(estimate, attribute=first + estimate.attribute)
        sample = math.sqrt(m / n * estimate.sample**2 + (1 - m / n) * estimate.population**2)
        return dataclasses.replace(estimate, attribute=first + estimate.attribute, sample=sample)

    def estimates(self, state: State, n: int) -> list[Estimate]:
        result = []
        for part, first, (reports, own) in zip(self.parts, self.first_attributes(), self.split_state(state)):
            m = reports[0]
            result += [self.of_record(estimate, first, m, n) for estimate in part.estimates(own, m)]
        return result

    def reports_about(self, attribute: int, state: State, n: int) -> int:
        firsts = self.first_attributes()
        part = next(index for index, end in enumerate(firsts[1:]) if attribute < end)
        reports, own = self.split_state(state)[part]
        return self.parts[part].reports_about(attribute - firsts[part], own, reports[0])


def _read_kind(epsilon: float, reader: Reader, maker: Maker) -> tuple[int, int, bytes, Mechanism]:
    """Returns the weight, the number of the mechanism, its parameters and the mechanism of a part."""
    weight, number = reader.integer(4), reader.integer(1)
    own = reader.take(reader.integer(2))
    if weight == 0 or number in NOT_A_PART:
        raise Refused("a run of parts is wrong")
    part = Reader(own)
    mechanism = maker(number, epsilon, part)
    part.end()
    return weight, number, own, mechanism


def read_sampled(epsilon: float, reader: Reader, maker: Maker) -> Sampled:
    """Returns the record with the parameters of a block. `maker` reads the mechanism of a part."""
    reported, runs = reader.integer(4), []
    if not 1 <= reported <= 4096:
        raise Refused(f"a report contains {reported} parts")
    part_epsilon = share(epsilon, reported)
    kinds: list[tuple[int, int, bytes, Mechanism]] = []  # weight, number, parameters, mechanism
    before = None
    for _ in range(reader.integer(2)):
        length, earlier = reader.integer(2), reader.integer(2)
        if not 1 <= length <= 4096 or earlier > len(kinds):
            raise Refused("a run of parts is wrong")
        if earlier == 0:
            kinds.append(_read_kind(part_epsilon, reader, maker))
            if any(kind[:3] == kinds[-1][:3] for kind in kinds[:-1]):
                raise Refused("the parameters of parts are repeated")
            earlier = len(kinds)
        if earlier == before:
            raise Refused("two consecutive runs of parts are equal")
        before = earlier
        weight, number, _, mechanism = kinds[earlier - 1]
        runs.append((length, weight, number, mechanism))
    _check_runs(reported, runs)
    return Sampled(epsilon, reported, runs)


def _check_runs(reported: int, runs: list[tuple[int, int, int, Mechanism]]) -> None:
    attributes = sum(length * len(mechanism.inputs()) for length, _, _, mechanism in runs)
    parts, total = sum(length for length, _, _, _ in runs), sum(length * weight for length, weight, _, _ in runs)
    if not 2 <= attributes <= 4096 or reported > parts:
        raise Refused("the number of attributes or of parts is wrong")
    if total % reported or any(weight > total // reported for _, weight, _, _ in runs):
        raise Refused("the weights of the parts are wrong")
    if sum(length for length, _, number, _ in runs if number == JOINT) > 1:
        raise Refused("there are two joint parts")
