"""The output as a text table and as CSV."""

from __future__ import annotations

import csv
import itertools
from dataclasses import fields
from typing import Iterable, Sequence, TextIO

from .measure import Result

#: The headings of the text table and of the page.
HEADINGS = ("entry", "source", "ε claimed", "ε kept", "by", "RMSE", "95 % interval", "n·MSE", "× library", "F1", "coverage", "bytes", "µs")


def cells(row: Result) -> tuple[str, ...]:
    """Returns the texts of a row, by HEADINGS."""
    kept = ("≥ " if row.kept_method == "attack" else "") + number(row.epsilon_kept) + (" !" if row.overspends else "")
    return (row.entry, row.source, number(row.epsilon_claimed), kept, row.kept_method, number(row.rmse),
            f"{number(row.rmse_lower)} to {number(row.rmse_upper)}", number(row.n_mse),
            "" if row.library_ratio is None else number(row.library_ratio), "" if row.f1 is None else f"{row.f1:.2f}",
            "" if row.coverage is None else f"{row.coverage:.1%}", f"{row.report_bytes:.1f}", f"{row.report_microseconds:.2f}")


def number(x: float) -> str:
    """Returns a number with three significant digits."""
    return f"{x:.3g}"


def sections(results: Iterable[Result]) -> list[tuple[str, str, list[Result]]]:
    """Returns the rows of each workload and population, in their order."""
    found = []
    for (workload, population), rows in itertools.groupby(results, key=lambda row: (row.workload, row.population)):
        found.append((workload, population, list(rows)))
    return found


def heading(rows: Sequence[Result]) -> str:
    """Returns the heading of rows that are compared at one epsilon."""
    accused = sorted({row.entry for row in rows if row.overspends and " + " not in row.entry})
    note = f", the ε that {', '.join(accused)} spends at least" if accused else ""
    return f"compared at ε = {number(rows[0].epsilon_compared)}{note}"


def by_epsilon(rows: Iterable[Result]) -> list[list[Result]]:
    """Returns the groups of rows that are compared at the same epsilon."""
    return [list(group) for _, group in itertools.groupby(rows, key=lambda row: row.epsilon_compared)]


def write_table(results: Sequence[Result], file: TextIO) -> None:
    """Writes a text table for each workload and population."""
    for workload, population, rows in sections(results):
        print(f"{workload}, population {population}: {rows[0].people:,} people, {rows[0].repetitions} repetitions", file=file)
        for group in by_epsilon(rows):
            table = [HEADINGS, *map(cells, group)]
            widths = [max(map(len, column)) for column in zip(*table)]
            print(f"\n  {heading(group)}", file=file)
            for line in table:
                left = [text.ljust(width) if i in (0, 1, 4) else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths))]
                print(("  " + "  ".join(left)).rstrip(), file=file)
        print(file=file)


def write_csv(results: Sequence[Result], file: TextIO) -> None:
    """Writes a row for each result, with all digits. A missing number is an empty field."""
    names = [field.name for field in fields(Result)]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*names, "n_mse"])
    for row in results:
        values = [getattr(row, name) for name in names]
        writer.writerow(["" if value is None else value for value in [*values, row.n_mse]])
