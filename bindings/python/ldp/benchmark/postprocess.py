"""Post-processing of estimated shares. It reads no reports, so it costs no epsilon."""

from __future__ import annotations

from typing import Callable, Sequence

Processing = Callable[[Sequence[float]], "list[float]"]


def clipped(shares: Sequence[float]) -> list[float]:
    """Returns the shares clipped to [0, 1] and divided by their sum. If all are 0, the result is uniform."""
    inside = [min(1.0, max(0.0, share)) for share in shares]
    total = sum(inside)
    return [share / total for share in inside] if total > 0 else [1 / len(inside)] * len(inside)


def norm_sub(shares: Sequence[float], total: float = 1.0) -> list[float]:
    """Returns the non-negative shares with the given sum that are nearest in the Euclidean norm.

    This is Norm-Sub of T. Wang et al. 2020 (NDSS, arXiv:1905.08320): one constant is subtracted from all positive shares,
    and negative results become 0. The result equals the projection onto the simplex.
    """
    falling = sorted(shares, reverse=True)
    running, constant = 0.0, 0.0
    for count, share in enumerate(falling, 1):
        running += share
        candidate = (running - total) / count
        if share - candidate <= 0:
            break
        constant = candidate
    return [max(0.0, share - constant) for share in shares]


#: The methods by the names that tables show.
METHODS: dict[str, Processing] = {"clip": clipped, "norm-sub": norm_sub}
