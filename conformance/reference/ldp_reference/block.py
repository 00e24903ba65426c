"""The parameter block: doc/formats.md, section "The block"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .binary import Reader, double_bytes, integer_bytes
from .errors import Refused

VERSION = 2
REPORT, SUMMARY, BATCH, SHORT_BATCH = 0, 1, 2, 3
HEADER = 24
LARGEST_BLOCK = 2000
DEFAULT_MIN_GROUP = 20

# The name of each number; - if no mechanism has the number.
NAMES = (
    "-", "grr", "oue", "piecewise", "pdp", "haar",
    "sue", "subset", "blh", "olh", "hadamard", "projective",
    "rappor", "laplace", "duchi", "onebit", "hybrid", "square_wave",
    "sampled", "duchi_vector", "haar_ordered", "haar_ranges", "l_grr", "l_sue",
    "l_osue", "loloha", "dbitflip", "ddrm", "optimal", "exponential",
    "tree", "joint", "gaussian", "joint_haar", "strings", "threshold_series",
    "dithered", "optional_mean", "-", "-", "label_sets", "ball", "means_by_group",
    "ring",
)
NUMBERS = {name: number for number, name in enumerate(NAMES) if name != "-"}
# The numbers of responses of "Terms of the budget". The upper seven bits of the flags are 1 + 3 i + e, with i an index.
RESPONSES = list(range(1, 21)) + [22, 24, 27, 30, 34, 38, 43, 48, 55, 65, 80, 100, 130, 170, 230, 320, 500, 800, 1300]
RESPONSES += [2500, 5000, 10000]


@dataclass(frozen=True)
class Block:
    """A parameter block, without its kind."""

    mechanism: int
    flags: int
    min_group: int  # 0 for the default
    fingerprint: bytes  # 8 bytes
    epsilon: float
    parameters: bytes

    def write(self, kind: int = REPORT) -> bytes:
        """Returns the bytes of the block for a report, a summary or a batch."""
        head = bytes([VERSION, kind, self.mechanism, self.flags])
        head += integer_bytes(HEADER + len(self.parameters), 2) + integer_bytes(self.min_group, 2)
        return head + self.fingerprint + double_bytes(self.epsilon) + self.parameters

    @property
    def name(self) -> str:
        """Returns the name of the mechanism."""
        return NAMES[self.mechanism]

    @property
    def smallest_group(self) -> int:
        """Returns the least number of reports of an estimate (doc/spec.md, "Small groups")."""
        return self.min_group or DEFAULT_MIN_GROUP

    @property
    def memoized(self) -> bool:
        """Returns whether responses are memoized."""
        return bool(self.flags & 1)

    @property
    def signal(self) -> bool:
        """Returns whether reports have a signal of spent budgets ("Terms of the budget")."""
        terms = self.flags >> 1
        return terms > 0 and (terms - 1) % 3 == 0


def read_block(reader: Reader, kind: int) -> Block:
    """Returns the block at the front of bytes of the given kind. The parameters are checked by their mechanism."""
    version = reader.integer(1)
    if version != VERSION:
        raise Refused(f"the format version is {version}, not {VERSION}")
    if reader.integer(1) != kind:
        raise Refused("the kind is wrong")
    mechanism, flags = reader.integer(1), reader.integer(1)
    if mechanism >= len(NAMES) or NAMES[mechanism] == "-":
        raise Refused(f"no mechanism has the number {mechanism}")
    size, min_group = reader.integer(2), reader.integer(2)
    if not HEADER <= size <= LARGEST_BLOCK:
        raise Refused(f"the size of the block is {size}")
    _check_flags(flags)
    fingerprint, epsilon = reader.take(8), reader.double()
    if not (math.isfinite(epsilon) and 0.001 <= epsilon <= 20):
        raise Refused("epsilon is outside 0.001 to 20")
    if min_group == DEFAULT_MIN_GROUP:
        raise Refused("the default of min_group is written")
    return Block(mechanism, flags, min_group, fingerprint, epsilon, reader.take(size - HEADER))


def _check_flags(flags: int) -> None:
    terms = flags >> 1
    if terms and not flags & 1:
        raise Refused("terms of a budget without memoized responses")
    if terms and (terms - 1) // 3 >= len(RESPONSES):
        raise Refused("the terms of the budget are unknown")
