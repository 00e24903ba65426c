"""Mechanisms of other authors, written from their papers. They are entries like those of one's own."""

from __future__ import annotations

import math
import random
from typing import Any, Sequence

from .postprocess import norm_sub
from .special import beta_quantile, incomplete_beta
from .workloads import Strings, Workload


class UnaryTables:
    """Optimized unary encoding of several tables (T. Wang, Blocki, Li, Jha 2017, USENIX Security).

    Each person is assigned to one table at random. The bit of the person's cell is 1 with probability 1/2, and every other bit
    is 1 with probability 1/(e^epsilon + 1).
    """

    def __init__(self, epsilon: float, sizes: Sequence[int]) -> None:
        self.epsilon = epsilon
        self.sizes = list(sizes)
        self._other = 1 / (math.exp(epsilon) + 1)

    def report(self, cells: Sequence[int]) -> tuple[int, int]:
        """Returns the report of a person, whose cell in each table is given."""
        table = random.randrange(len(self.sizes))
        bits, at = 0, -1
        scale = math.log1p(-self._other)
        while True:  # jumps to the next bit that is 1 with probability _other
            at += 1 + int(math.log(1 - random.random()) / scale)
            if at >= self.sizes[table]:
                break
            bits |= 1 << at
        own = 1 << cells[table]
        return table, bits | own if random.random() < 0.5 else bits & ~own

    def shares(self, reports: Sequence[tuple[int, int]]) -> list[list[float]]:
        """Returns the unbiased shares of the cells of each table. Those of a table without reports are uniform."""
        found = []
        for table, size in enumerate(self.sizes):
            own = [bits for index, bits in reports if index == table]
            if not own:
                found.append([1 / size] * size)
                continue
            counts = [sum(bits >> cell & 1 for bits in own) for cell in range(size)]
            found.append([(count / len(own) - self._other) / (0.5 - self._other) for count in counts])
        return found


class HierarchicalHistograms:
    """HH_B with consistency: Cormode, Kulkarni, Srivastava 2019 (PVLDB 12, doi:10.14778/3339490.3339496).

    Each person reports the node on a random level of a tree of fan-out 4 by unary encoding. The levels are combined by the
    constrained inference of Hay et al. 2010 (doi:10.14778/1920841.1920970), with a root of exactly 1. Upwards, a node of height l
    keeps the weight (B^l - B^(l-1))/(B^l - 1) of its own estimate. Downwards, the children of a node share the difference.
    """

    name = "HH_4"
    FANOUT = 4

    def __init__(self, workload: Workload, epsilon: float) -> None:
        self.epsilon = epsilon
        self._size = workload.size
        self._depth = next(depth for depth in range(1, 32) if self.FANOUT ** depth >= workload.size)
        self._tables = UnaryTables(epsilon, [self.FANOUT ** level for level in range(1, self._depth + 1)])

    def randomize(self, values: Sequence[int]) -> list[tuple[int, int]]:
        """Returns a report for each value."""
        steps = [self.FANOUT ** (self._depth - level) for level in range(1, self._depth + 1)]
        return [self._tables.report([value // step for step in steps]) for value in values]

    def estimate(self, reports: Sequence[tuple[int, int]]) -> list[float]:
        """Returns the shares of the values, from consistent nodes."""
        b, levels = self.FANOUT, [[1.0], *self._tables.shares(reports)]
        for level in range(self._depth - 1, 0, -1):  # upwards; leaves have height 1
            height = self._depth - level + 1
            own = (b ** height - b ** (height - 1)) / (b ** height - 1)
            levels[level] = [own * share + (1 - own) * sum(levels[level + 1][b * i:b * i + b])
                             for i, share in enumerate(levels[level])]
        for level in range(self._depth):  # downwards
            for i, share in enumerate(levels[level]):
                children = levels[level + 1][b * i:b * i + b]
                missing = (share - sum(children)) / b
                levels[level + 1][b * i:b * i + b] = [child + missing for child in children]
        return levels[self._depth][:self._size]


class Hdg:
    """HDG for two attributes: Yang, T. Wang, Li, Cheng, Su 2020 (PVLDB 14, doi:10.14778/3430915.3430927).

    Each person reports a cell of a fine grid of either attribute, or of a coarse grid of both, by unary encoding. The grids have these
    numbers of cells, by the guideline of the paper with its two constants and m people in each of the three groups. They are those of
    the program of the authors (choose_granularity.py of privmdr):

        fine:                      (m (0.7 (e^epsilon - 1))^2 / (2 e^epsilon))^(1/3)
        coarse, in each direction: (2 * 0.03 (e^epsilon - 1) (m / e^epsilon)^(1/2))^(1/2)

    The grids are made consistent, and the response matrix is fitted to them in turn by iterative scaling.
    """

    name = "HDG"
    ROUNDS = 100

    def __init__(self, workload: Workload, epsilon: float) -> None:
        self.epsilon = epsilon
        self._size = workload.size
        e, people = math.exp(epsilon), workload.people / 3
        self._fine = self._granularity((people * ((e - 1) * 0.7) ** 2 / (2 * e)) ** (1 / 3))
        self._coarse = min(self._fine, self._granularity(math.sqrt(2 * 0.03 * (e - 1) * math.sqrt(people / e))))
        self._tables = UnaryTables(epsilon, [self._fine, self._fine, self._coarse ** 2])

    def _granularity(self, wanted: float) -> int:
        """The power of two nearest to the guideline, at least 2 and at most the number of values."""
        powers = [1 << i for i in range(1, self._size.bit_length()) if 1 << i <= self._size]
        return min(powers, key=lambda power: (abs(power - wanted), power))

    def randomize(self, values: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Returns a report for each pair of values."""
        fine, coarse = ([value * cells // self._size for value in range(self._size)] for cells in (self._fine, self._coarse))
        return [self._tables.report([fine[a], fine[b], coarse[a] * self._coarse + coarse[b]]) for a, b in values]

    def estimate(self, reports: Sequence[tuple[int, int]]) -> list[float]:
        """Returns the joint table by rows."""
        first, second, both = (norm_sub(shares) for shares in self._tables.shares(reports))
        g, wide = self._coarse, self._fine // self._coarse
        rows = [[i * g + j for j in range(g)] for i in range(g)]
        columns = [[i * g + j for i in range(g)] for j in range(g)]
        for fine, lines in ((first, rows), (second, columns)):
            _agree(fine, both, [list(range(i * wide, (i + 1) * wide)) for i in range(g)], lines)
        first, second, both = norm_sub(first), norm_sub(second), norm_sub(both)
        return self._fitted(first, second, both)

    def _fitted(self, first: list[float], second: list[float], both: list[float]) -> list[float]:
        k = self._size
        fine, coarse = ([value * cells // k for value in range(k)] for cells in (self._fine, self._coarse))
        pairs = [(a, b) for a in range(k) for b in range(k)]
        constraints = [(first, [fine[a] for a, _ in pairs]), (second, [fine[b] for _, b in pairs]),
                       (both, [coarse[a] * self._coarse + coarse[b] for a, b in pairs])]
        table = [1 / (k * k)] * (k * k)
        for _ in range(self.ROUNDS):
            before = list(table)
            for shares, cell_of in constraints:
                sums = [0.0] * len(shares)
                for share, cell in zip(table, cell_of):
                    sums[cell] += share
                factors = [share / total if total > 0 else 0.0 for share, total in zip(shares, sums)]
                table = [share * factors[cell] for share, cell in zip(table, cell_of)]
            if sum(abs(x - y) for x, y in zip(table, before)) < 1e-4:
                break
        return table


def _agree(first: list[float], second: list[float], cells_of_first: list[list[int]], cells_of_second: list[list[int]]) -> None:
    """Gives two tables the same sums over corresponding sets of cells: the mean, weighted by the inverse number of cells, whose
    difference is spread evenly over the cells of a set (Yang et al. 2020)."""
    for one, other in zip(cells_of_first, cells_of_second):
        sums = sum(first[i] for i in one), sum(second[i] for i in other)
        weights = 1 / len(one), 1 / len(other)
        common = (weights[0] * sums[0] + weights[1] * sums[1]) / sum(weights)
        for i in one:
            first[i] += (common - sums[0]) / len(one)
        for i in other:
            second[i] += (common - sums[1]) / len(other)


class PrivUnit:
    """PrivUnit: Bhowmick, Duchi, Freudiger, Kapoor, Rogers 2018 (arXiv:1812.00984), Algorithm 1; m is their equation (15).

    With probability p, the report is a uniform unit vector z of the cap <z, v> >= gamma, otherwise one outside of the cap. It is
    divided by the mean m of <z, v>, so it is unbiased. The densities inside and outside have the ratio e^epsilon, which determines p.
    This is exact, in place of their conditions (16a) and (16b) for gamma. The largest m minimizes the variance, which determines gamma
    (Asi, Feldman, Talwar 2022, arXiv:2205.02466). A shorter vector v is first replaced by v/|v| with probability (1 + |v|)/2, and by
    -v/|v| otherwise. This keeps its mean.
    """

    name = "PrivUnit"

    def __init__(self, workload: Workload, epsilon: float) -> None:
        self.epsilon = epsilon
        self._size = workload.size
        self._half = (workload.size - 1) / 2
        caps = [beta_quantile(0.5 + i / 100, self._half, self._half) * 2 - 1 for i in range(50)]
        self._projection, self._gamma, self._inside = max(self._constants(gamma) for gamma in caps)

    def _constants(self, gamma: float) -> tuple[float, float, float]:
        """The mean projection m, gamma and p. The projection of a uniform vector t has (t + 1)/2 ~ Beta((d-1)/2, (d-1)/2)."""
        d, ratio = self._size, math.exp(self.epsilon)
        cap = 1 - incomplete_beta((1 + gamma) / 2, self._half, self._half)
        inside = ratio * cap / (1 - cap + ratio * cap)
        log_density = math.lgamma(d / 2) - math.lgamma(self._half) - 0.5 * math.log(math.pi)
        moment = math.exp(log_density + self._half * math.log1p(-gamma * gamma)) / (d - 1)  # of t over the cap
        return moment * (inside / cap - (1 - inside) / (1 - cap)), gamma, inside

    def randomize(self, values: Sequence[Sequence[float]]) -> list[list[float]]:
        """Returns a report for each vector of length at most 1."""
        return [self._report(vector) for vector in values]

    def _report(self, vector: Sequence[float]) -> list[float]:
        length = math.sqrt(sum(x * x for x in vector))
        direction = [x / length for x in vector] if length > 0 else [1.0] + [0.0] * (self._size - 1)
        if random.random() >= (1 + min(1.0, length)) / 2:
            direction = [-x for x in direction]
        inside = random.random() < self._inside
        while True:
            projection = 2 * random.betavariate(self._half, self._half) - 1
            if (projection >= self._gamma) == inside:
                break
        noise = [random.gauss(0, 1) for _ in direction]
        along = sum(x * y for x, y in zip(noise, direction))
        noise = [x - along * y for x, y in zip(noise, direction)]
        scale = math.sqrt(max(0.0, 1 - projection * projection) / sum(x * x for x in noise))
        return [(projection * y + scale * x) / self._projection for x, y in zip(noise, direction)]

    def estimate(self, reports: Sequence[Sequence[float]]) -> list[dict[str, float]]:
        """Returns the mean of each coordinate, with its standard error."""
        found = []
        for column in zip(*reports):
            mean = sum(column) / len(column)
            square = sum((x - mean) ** 2 for x in column) / max(1, len(column) - 1)
            found.append({"estimate": mean, "stderr": math.sqrt(square / len(column))})
        return found


class PrefixExtension:
    """PEM, the prefix extending method: T. Wang, Li, Jha 2021 (IEEE TDSC 18, arXiv:1708.06674).

    Each person is assigned to one of three groups at random, and reports a prefix of 2, 4 or 6 letters by optimized local hashing (T. Wang,
    Blocki, Li, Jha 2017, USENIX Security). Each group extends the most frequent prefixes of the group before. The hash functions are
    linear over GF(2), so two prefixes have equal hash values with probability 1/g. The number of hash values g is the power of two nearest
    to e^epsilon + 1.
    """

    name = "PEM"
    STEP, BITS, KEPT = 2, 5, 16

    def __init__(self, workload: Workload, epsilon: float) -> None:
        self.epsilon = epsilon
        self._wanted = workload.size
        self._kept = max(self.KEPT, workload.size)
        self._hash_bits = max(1, round(math.log2(math.exp(epsilon) + 1)))
        self._true = math.exp(epsilon) / (math.exp(epsilon) + 2 ** self._hash_bits - 1)
        self._step_bits = self.STEP * self.BITS
        self._groups = Strings.LENGTH // self.STEP
        self._extensions = [code for code in range(1 << self._step_bits) if self._possible(code)]

    def _possible(self, code: int) -> bool:
        """Whether a code of STEP letters has known letters only, and none after the end of a string, which is the letter 0."""
        letters = [code >> self.BITS * i & (1 << self.BITS) - 1 for i in reversed(range(self.STEP))]
        return max(letters) <= len(Strings.ALPHABET) and all(first or not second for first, second in zip(letters, letters[1:]))

    def _code(self, text: str) -> int:
        code = 0
        for letter in text.ljust(Strings.LENGTH, "\0"):
            code = code << self.BITS | (Strings.ALPHABET.index(letter) + 1 if letter != "\0" else 0)
        return code

    def _text(self, code: int) -> str:
        letters = [code >> self.BITS * i & (1 << self.BITS) - 1 for i in reversed(range(Strings.LENGTH))]
        return "".join(Strings.ALPHABET[letter - 1] for letter in letters if letter)

    def randomize(self, values: Sequence[str]) -> list[tuple[int, ...]]:
        """Returns a report for each string: the group, the rows of the matrix of the hash function, and the randomized hash value."""
        codes = {text: self._code(text) for text in set(values)}
        return [self._report(codes[text]) for text in values]

    def _report(self, code: int) -> tuple[int, ...]:
        group = random.randrange(self._groups)
        bits = (group + 1) * self._step_bits
        prefix = code >> self._groups * self._step_bits - bits
        rows = [random.getrandbits(bits) for _ in range(self._hash_bits)]
        value = sum((bin(row & prefix).count("1") & 1) << i for i, row in enumerate(rows))
        if random.random() >= self._true:
            value = (value + random.randrange(1, 1 << self._hash_bits)) % (1 << self._hash_bits)
        return (group, *rows, value)

    def estimate(self, reports: Sequence[tuple[int, ...]]) -> list[dict[str, Any]]:
        """Returns the most frequent strings, with their shares and standard errors."""
        prefixes, found = [0], []
        for group in range(self._groups):
            own = [report[1:] for report in reports if report[0] == group]
            candidates = [prefix << self._step_bits | extension for prefix in prefixes for extension in self._extensions
                          if (extension if group == 0 else not extension or prefix & (1 << self.BITS) - 1)]
            counts = _matches(candidates, own, (group + 1) * self._step_bits) if own else [0] * len(candidates)
            best = sorted(range(len(candidates)), key=lambda i: -counts[i])
            prefixes = [candidates[i] for i in best[:self._kept]]
            found = [(candidates[i], counts[i] / max(1, len(own)), max(1, len(own))) for i in best[:self._wanted]]
        other = 0.5 ** self._hash_bits
        return [{"label": self._text(code), "estimate": (rate - other) / (self._true - other),
                 "stderr": math.sqrt(rate * (1 - rate) / n) / (self._true - other)} for code, rate, n in found]


def _matches(candidates: Sequence[int], reports: Sequence[Sequence[int]], bits: int) -> list[int]:
    """Returns how many reports each candidate supports: those whose value is its hash value.

    A whole number has a bit for each candidate, so that one operation concerns all candidates. The counters are the bits of
    the numbers in `planes`, which are added with carries.
    """
    everyone = (1 << len(candidates)) - 1
    columns = [sum((code >> bit & 1) << i for i, code in enumerate(candidates)) for bit in range(bits)]
    tables = []  # for each eight bits of a row: the parities of all candidates, by those bits
    for first in range(0, bits, 8):
        table = [0]
        for column in columns[first:first + 8]:
            table += [parities ^ column for parities in table]
        tables.append(table)
    planes: list[int] = []
    for *rows, value in reports:
        carry = everyone
        for i, row in enumerate(rows):
            parities = 0
            for number, table in enumerate(tables):
                parities ^= table[row >> 8 * number & 255]
            carry &= parities if value >> i & 1 else ~parities
        for i, plane in enumerate(planes):
            if not carry:
                break
            planes[i], carry = plane ^ carry, plane & carry
        if carry:
            planes.append(carry)
    texts = [format(plane, f"0{len(candidates)}b")[::-1] for plane in planes]
    return [sum((text[i] == "1") << power for power, text in enumerate(texts)) for i in range(len(candidates))]


#: The peers of each workload.
PEERS: dict[str, tuple[type, ...]] = {"distribution": (HierarchicalHistograms,), "ranges": (HierarchicalHistograms,),
                                      "pairs": (Hdg,), "vectors": (PrivUnit,), "strings": (PrefixExtension,)}
