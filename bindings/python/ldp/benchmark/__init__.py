"""A benchmark of mechanisms of local differential privacy, which others enter: see doc/benchmark.md.

    python3 -m ldp.benchmark --workload shares --entry mine.py:Mine

It measures the error, the coverage, the size and the time of each entry, and the epsilon that the entry keeps. Needs the standard
library of Python and the shared library of ldp.
"""

from .attack import channel_epsilon, lower_bound
from .entries import Collected, CommandEntry, Entry, EntryError, Kept, PythonEntry, ReportingEntry, load_class
from .measure import Result, Settings, contest, measured
from .page import page
from .populations import FAMILIES, Population, from_file, synthetic
from .postprocess import clipped, norm_sub
from .report import write_csv, write_table
from .workloads import WORKLOADS, Row, Workload

__all__ = [
    "FAMILIES", "WORKLOADS", "Collected", "CommandEntry", "Entry", "EntryError", "Kept", "Population", "PythonEntry", "ReportingEntry",
    "Result", "Row", "Settings", "Workload", "channel_epsilon", "clipped", "contest", "from_file", "load_class", "lower_bound", "measured",
    "norm_sub", "page", "synthetic", "write_csv", "write_table",
]
