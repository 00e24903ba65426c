"""The command python3 -m ldp.benchmark."""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from typing import Any, Sequence

from ..errors import Error
from . import library
from .entries import CommandEntry, EntryError, PythonEntry, load_class
from .measure import Maker, Result, Settings, contest
from .page import page
from .peers import PEERS
from .populations import FAMILIES, Population, from_file, synthetic
from .postprocess import METHODS
from .report import write_csv, write_table
from .workloads import WORKLOADS, Workload

_WORKLOADS = "\n".join(f"  {name:13} {kind.title}" for name, kind in WORKLOADS.items())
_DESCRIPTION = f"""Measures mechanisms of local differential privacy on the same people: error, coverage, bytes, time, and the
epsilon that each keeps. The entries are the mechanisms of the library, mechanisms of papers, and your own.

workloads:
{_WORKLOADS}

The exit code is 1 if an entry spends more than it claims, and 2 if an argument is invalid or an entry fails."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit code."""
    options = _parser().parse_args(arguments)
    settings = Settings(options.repetitions or (5 if options.quick else None), options.samples or (8000 if options.quick else 20_000),
                        options.confidence, options.seed, _processing(options.post))
    try:
        results = _results(options, settings)
        write_table(results, sys.stdout)
        if options.csv:
            with open(options.csv, "w", encoding="utf-8", newline="") as file:
                write_csv(results, file)
        if options.html:
            with open(options.html, "w", encoding="utf-8") as file:
                file.write(page(results, "Mechanisms of local differential privacy", _notes(options, settings)))
    except (EntryError, Error, OSError, ValueError) as error:
        _progress("")
        if error.__cause__ is not None:  # in the code of an entry
            traceback.print_exception(type(error.__cause__), error.__cause__, error.__cause__.__traceback__)
        print(f"ldp.benchmark: {error}", file=sys.stderr)
        return 2
    return 1 if any(row.overspends for row in results) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python3 -m ldp.benchmark", description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--workload", action="append", choices=[*WORKLOADS, "all"], help="default: shares; may be repeated")
    add("--population", action="append", choices=[*FAMILIES, "all"], help="synthetic people (default: skewed); may be repeated")
    add("--data", metavar="FILE", help="CSV file with a header, instead of synthetic people; may be compressed by gzip")
    add("--column", action="append", default=[], help="column of --data; repeated for pairs, vectors and changing")
    add("--people", type=_positive, help="number of people (default: 10000, of strings 20000; --quick: a fifth); of a larger file a sample")
    add("--size", type=_positive, help="number of categories, ordered values, coordinates or listed strings")
    add("--epsilon", type=float, default=1.0, help="epsilon of the contest (default: 1)")
    add("--entry", action="append", default=[], metavar="FILE.py:CLASS", help="a mechanism of your own; may be repeated")
    add("--command", action="append", default=[], metavar="PROGRAM", help="a program of your own that speaks JSON lines; may be repeated")
    add("--repetitions", type=_several, help="number of collections of each entry (default: 20, of mean 200; --quick: 5)")
    add("--samples", type=_samples, help="reports of each input that the attack draws (default: 20000; --quick: 8000)")
    add("--confidence", type=_confidence, default=0.99, help="confidence of lower bounds of epsilon (default: 0.99)")
    add("--post", action="append", choices=[*METHODS, *library.CONSISTENCY, "all", "none"], metavar="METHOD",
        help=f"post-processing of shares that is measured in addition: {', '.join(METHODS)} (default: both); of the library's entries "
             f"{', '.join(library.CONSISTENCY)}; all or none; may be repeated")
    add("--seed", type=int, default=1, help="seed of the people and of all entries whose randomness is Python's (default: 1)")
    add("--csv", metavar="FILE", help="writes all results with all digits")
    add("--html", metavar="FILE", help="writes one page with tables and drawings")
    add("--quick", action="store_true", help="few people, repetitions and samples")
    return parser


def _processing(chosen: list[str] | None) -> tuple[str, ...]:
    if chosen is None:
        return tuple(METHODS)
    return tuple(name for name in (*METHODS, *library.CONSISTENCY) if name in chosen or "all" in chosen)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def _several(text: str) -> int:
    if int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text} is not at least 2")
    return int(text)


def _samples(text: str) -> int:
    if int(text) < 100:
        raise argparse.ArgumentTypeError(f"{text} is not at least 100")
    return int(text)


def _confidence(text: str) -> float:
    if not 0.5 <= float(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0.5 and 1")
    return float(text)


def _results(options: argparse.Namespace, settings: Settings) -> list[Result]:
    names = options.workload or ["shares"]
    results: list[Result] = []
    for name in list(WORKLOADS) if "all" in names else list(dict.fromkeys(names)):
        kind = WORKLOADS[name]
        results += contest(kind, _populations(options, kind), _makers(options, kind), options.epsilon, settings, _progress)
    _progress("")
    return results


def _populations(options: argparse.Namespace, kind: type[Workload]) -> list[Population]:
    size = options.size or kind.usual_size
    if size < kind.least_size:
        raise ValueError(f"--size of {kind.name} must be at least {kind.least_size}")
    people = options.people or kind.usual_people // (5 if options.quick else 1)
    if people < 2:
        raise ValueError("--people must be at least 2")
    if options.data:
        found = from_file(options.data, options.column, kind.name, size)
        if len(found.values) > people:
            found = Population(found.name, random.Random(options.seed).sample(list(found.values), people), found.size)
        return [found]
    families = options.population or ["skewed"]
    return [synthetic(family, kind.name, size, people, options.seed)
            for family in (FAMILIES if "all" in families else dict.fromkeys(families))]


def _makers(options: argparse.Namespace, kind: type[Workload]) -> list[Maker]:
    classes: list[tuple[Any, str]] = [(peer, "paper") for peer in PEERS.get(kind.name, ())]
    classes += [(load_class(text), "own") for text in options.entry]

    def of_class(one: Any, source: str) -> Maker:
        return lambda workload: PythonEntry(one, workload, options.epsilon, source)

    def of_command(command: str) -> Maker:
        return lambda workload: CommandEntry(command, workload, options.epsilon)
    return [*(of_class(one, source) for one, source in classes), *map(of_command, options.command)]


def _notes(options: argparse.Namespace, settings: Settings) -> list[str]:
    return [f"Contest at ε = {options.epsilon:g}, seed {settings.seed}. Rows with the same ε are sorted by the root mean squared error "
            "(RMSE) of all scored queries. “× library” is the mean squared error divided by the least one of the library at the same ε.",
            f"“proof”: ldp audit; “channel”: the probabilities that the entry states; “attack”: a lower bound at confidence "
            f"{settings.confidence:g} from {settings.samples:,} reports of each input. An entry marked “!” spends more than it claims."]


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
