"""`projective`: a point of a projective space (doc/formats.md, tables; doc/draws.md, "`projective`")."""

from __future__ import annotations

from typing import Any, Sequence

from ..binary import Reader, cell_bytes, integer_bytes
from ..errors import Refused
from ..estimate import Estimate, pure
from ..weights import odds
from ..words import Words
from .base import Input, OneCell, State
from .frequencies import read_values


def is_prime(number: int) -> bool:
    """Returns whether the number is a prime, by trial division."""
    return number >= 2 and all(number % d for d in range(2, int(number**0.5) + 1))


class Projective(OneCell):
    """Projective geometry response over the field of r elements, in t dimensions."""

    name = "projective"

    def __init__(self, epsilon: float, values: int, field: int, dimension: int) -> None:
        self.epsilon, self.values, self.field, self.dimension = epsilon, values, field, dimension
        self.spaces: list[int] = [(field**m - 1) // (field - 1) for m in range(dimension + 1)]  # K_m of the page
        self.cells, self.on_plane = self.spaces[dimension], self.spaces[dimension - 1]
        self.heavy, self.light = odds(epsilon, self.on_plane, self.cells - self.on_plane)

    @classmethod
    def read(cls, epsilon: float, reader: Reader) -> Projective:
        values, field, dimension = read_values(reader, 1 << 24), reader.integer(4), reader.integer(1)
        if dimension < 2 or field > 1 << 25 or not is_prime(field):
            raise Refused(f"no projective space has the field {field} and the dimension {dimension}")
        if dimension * field.bit_length() > 64 or (field**dimension - 1) // (field - 1) < values:
            raise Refused("the projective space has the wrong size")
        return cls(epsilon, values, field, dimension)

    def parameters(self) -> bytes:
        return integer_bytes(self.values, 4) + integer_bytes(self.field, 4) + bytes([self.dimension])

    def inputs(self) -> list[Input]:
        return [Input(self.values)]

    def point_number(self, vector: list[int]) -> int:
        """Returns the number of the point of a vector ("Order of points")."""
        last = max(index for index, coordinate in enumerate(vector) if coordinate)
        inverse = pow(vector[last], -1, self.field)
        scaled = [coordinate * inverse % self.field for coordinate in vector[:last]]
        return self.spaces[last] + sum(b * int(self.field**index) for index, b in enumerate(scaled))

    def point_vector(self, number: int) -> list[int]:
        """Returns the vector of a point."""
        last = max(m for m in range(self.dimension) if self.spaces[m] <= number)
        digits = number - self.spaces[last]
        vector = [digits // self.field**index % self.field for index in range(last)] + [1]
        return vector + [0] * (self.dimension - 1 - last)

    def plane_vector(self, number: int) -> list[int]:
        """Returns the vector of a hyperplane ("Order of hyperplanes")."""
        vector = [0] * self.dimension
        for index in range(self.dimension - 1, 0, -1):
            digit = number // self.spaces[index]
            if digit == self.field:
                vector[index] = 1
                return vector
            vector[index] = digit
            number -= digit * self.spaces[index]
        vector[0] = 1
        return vector

    def permanent(self, codes: Sequence[int], public: Any, words: Words) -> bytes:
        outside = self.cells - self.on_plane
        heavy = self.on_plane * self.heavy
        inside = words.chance(heavy, heavy + outside * self.light)
        digits = words.below((self.field - 1) * self.on_plane) + 1 if inside else words.below(outside)
        plane = self.plane_vector(codes[0])
        leading = plane.index(1)
        vector = [0] * self.dimension
        for index in range(self.dimension):
            if index != leading:
                vector[index], digits = digits % self.field, digits // self.field
        product = sum(x * y for x, y in zip(plane, vector))
        vector[leading] = ((0 if inside else 1) - product) % self.field
        return cell_bytes(self.point_number(vector), self.cells)

    def support(self, value: int, state: State) -> int:
        """Returns the number of reports of points on the hyperplane of a value."""
        plane = self.plane_vector(value)
        total = 0
        for number, counter in enumerate(state[0]):
            if counter and sum(x * y for x, y in zip(plane, self.point_vector(number))) % self.field == 0:
                total += counter
        return total

    def estimates(self, state: State, n: int) -> list[Estimate]:
        c, on_two = self.on_plane, self.spaces[self.dimension - 2]
        total = c * self.heavy + (self.cells - c) * self.light
        p = c * self.heavy / total
        q = (on_two * self.heavy + (c - on_two) * self.light) / total
        return [pure(0, value, self.support(value, state), n, p, q) for value in range(self.values)]
