"""The mechanisms of the core profile (doc/draws.md, section "Profiles"), and some further ones."""

from __future__ import annotations

from ..binary import Reader
from ..block import NAMES, NUMBERS, Block
from ..errors import Unsupported
from .ball import Ball
from .base import Mechanism
from .further import HaarOrdered, Hadamard, OptimizedUnary, SymmetricUnary
from .frequencies import BinaryLocalHashing, Grr, LocalHashing, SubsetSelection
from .joint import Joint
from .joint_haar import JointHaar
from .label_sets import LabelSets
from .numbers import Duchi, LaplaceNoise, Optimal, Pdp, Piecewise, SquareWave, WindowOrBit
from .optional import OptionalMean
from .ordered import Tree
from .projective import Projective
from .records import read_sampled
from .ring import Ring
from .strings import Strings
from .vectors import DuchiVector, Haar


Family = type[Mechanism] | type[LabelSets]
CORE: tuple[Family, ...] = (
    Grr,
    SubsetSelection,
    LocalHashing,
    BinaryLocalHashing,
    Projective,
    LabelSets,
    Strings,
    Optimal,
    Duchi,
    OptionalMean,
    Ring,
    Tree,
    SquareWave,
    Ball,
    DuchiVector,
    Haar,
    Joint,
    JointHaar,
)
FURTHER: tuple[Family, ...] = (
    Piecewise,
    Pdp,
    LaplaceNoise,
    WindowOrBit,
    SymmetricUnary,
    OptimizedUnary,
    Hadamard,
    HaarOrdered,
)
FAMILIES = {NUMBERS[family.name]: family for family in CORE + FURTHER}


def read_mechanism(number: int, epsilon: float, reader: Reader) -> Mechanism:
    """Returns the mechanism of a number with its parameters."""
    if number == NUMBERS["sampled"]:
        return read_sampled(epsilon, reader, read_mechanism)
    if number not in FAMILIES:
        raise Unsupported(NAMES[number] if number < len(NAMES) else str(number))
    return FAMILIES[number].read(epsilon, reader)


def mechanism_of(block: Block) -> Mechanism:
    """Returns the mechanism of a block. All bytes of the parameters must be used."""
    reader = Reader(block.parameters)
    mechanism = read_mechanism(block.mechanism, block.epsilon, reader)
    reader.end()
    return mechanism
