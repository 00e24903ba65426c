"""Summaries of reports and their results, without a server."""

from __future__ import annotations

import ctypes
import html
import json
from typing import Any, Iterable, Mapping, Sequence

from . import native
from .collection import Collection
from .drawing import Drawing, Rows, plot, table
from .errors import Code, Error

FUNCTIONS = (
    "estimate", "consistent", "robust_interval", "top", "candidates", "change", "between",
    "quantiles", "histogram", "distribution", "learn_range", "pilot_choice", "shrinkage", "coefficients", "health", "spent", "series",
    "series_mean", "series_between", "series_quantiles", "frequent_strings", "string_proportions", "marginals", "marginal", "proportion_where",
    "conditional", "covariance", "correlation", "regression", "winsorized_mean", "contrast", "association", "fitted", "model", "synthesize", "learn_marginals",
    "plan_marginals")
GROUP_FUNCTIONS = ("compare_groups", "group_test", "clustered", "small_areas", "smooth", "kernel_regression", "calibrate", "estimate", "regression")


def _plain(value: Any) -> Any:
    """An argument as JSON: a summary in hexadecimal, an array or a data frame's column as a list."""
    if isinstance(value, Summary):
        return value.data.hex()
    if isinstance(value, list) and any(isinstance(one, Summary) for one in value):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, (tuple, set)) else value


def as_frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a data frame if pandas is installed, otherwise as a list. Notebooks show both as tables."""
    try:
        import pandas
    except ImportError:
        return Rows(rows)
    return pandas.DataFrame(rows)


def _rows(collection: Collection | None, data: bytes | None, function: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    query = json.dumps({"function": function, **{name: _plain(value) for name, value in arguments.items()}}).encode()
    handle = None if collection is None else collection._handle
    rows: list[dict[str, Any]] = native.made_json("ldp_query_summary", handle, data, len(data or b""), query, len(query))
    for row in rows:
        for name in ("estimate", "stderr", "lower", "upper"):
            if isinstance(row.get(name), str):  # infinite
                row[name] = float(row[name])
    return rows


class Summary:
    """A summary of reports, from `summarize` or from the bytes of an ldp_summary of PostgreSQL.

    Every SQL function that returns rows of a summary is a method without "ldp_", with the same arguments and columns:
    `summary.quantiles([0.5], attribute="wage")`. The rows equal those of SQL in every bit. They are a pandas data frame if
    pandas is installed, otherwise a list of dicts. `collection` has the labels; without it, numbers replace labels. Raises
    Error as the SQL functions do.
    """

    #: Whether simulate_summary made the summary. Its noise follows from a seed, so it protects nobody.
    simulated = False

    def __init__(self, data: bytes, collection: Collection | str | Mapping[str, Any] | None = None) -> None:
        if collection is not None and not isinstance(collection, Collection):
            collection = Collection(collection)
        self.data = bytes(data)
        self.collection = collection

    def rows(self, function: str, **arguments: Any) -> list[dict[str, Any]]:
        """The rows of a function as a list of dicts, in which NULL becomes None."""
        return _rows(self.collection, self.data, function, arguments)

    def merge(self, other: Summary) -> Summary:
        """Returns the summary of the reports of both summaries. Raises Error (INCOMPATIBLE, FULL), also if one is simulated."""
        if self.simulated != other.simulated:
            raise Error(Code.INCOMPATIBLE, "a simulated summary cannot be merged with a summary of reports",
                        "The noise of a simulation follows from its seed, so it protects nobody.")
        merged = Summary(native.made_bytes("ldp_merge_summaries", self.data, len(self.data), other.data, len(other.data)), self.collection)
        merged.simulated = self.simulated
        return merged

    def query(self, function: str, **arguments: Any) -> Any:
        """The rows of a function: a data frame if pandas is installed, otherwise a list of dicts."""
        return as_frame(self.rows(function, **arguments))

    def plot(self, function: str = "estimate", title: str = "", **arguments: Any) -> Drawing:
        """Draws the rows of a function with their intervals: `summary.plot("histogram", bins=10, attribute="wage")`."""
        return plot(self.rows(function, **arguments), self.collection, title)

    def _kind(self) -> str:
        return "Simulated summary" if self.simulated else "Summary"

    def __repr__(self) -> str:
        return f"<ldp.Summary of {len(self.data)} bytes{', simulated' if self.simulated else ''}>"

    def _repr_html_(self) -> str:
        try:
            rows = self.rows("estimate")
        except Error as error:  # for example of a series, which has estimates by round
            return f"<p>{self._kind()} of {len(self.data)} bytes: {html.escape(error.message)}</p>"
        return f"<p>{self._kind()}</p>" + table(rows, ("attribute", "label", "statistic", "estimate", "stderr", "lower", "upper", "n"))

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(f"a summary has no function {name!r}")
        first = {"quantiles": "probabilities", "series_quantiles": "probabilities", "histogram": "bins", "top": "limit",
                 "marginal": "attributes", "fitted": "attributes", "proportion_where": "conditions", "change": "after",
                 "estimate": "attributes", "consistent": "method", "string_proportions": "strings", "synthesize": "records"}.get(name)

        def of_name(*values: Any, **arguments: Any) -> Any:
            if values:
                if first is None or len(values) > 1:
                    raise Error(Code.INVALID_VALUE, f"arguments of {name} have names")
                arguments[first] = values[0]
            return self.query(name, **arguments)

        of_name.__name__ = name
        return of_name


def summarize(spec: Collection | str | Mapping[str, Any], reports: Iterable[bytes] | bytes,
              rounds: Sequence[int] | None = None) -> Summary:
    """Counts reports of a spec, such as those of `Collection.perturb`, and returns their summary.

    `reports` are the reports, one by one or as consecutive bytes. `rounds` are their rounds, for specs with "evolving". Raises
    Error (MALFORMED, INCOMPATIBLE, INVALID_VALUE).
    """
    collection = spec if isinstance(spec, Collection) else Collection(spec)
    size = native.library.ldp_collection_report_size(collection._handle)
    if hasattr(reports, "tobytes"):  # of perturb_many
        joined: bytes = reports.tobytes()
    elif isinstance(reports, (bytes, bytearray)):
        joined = bytes(reports)
    else:
        joined = b"".join(bytes(one) for one in reports)
    if len(joined) % size:
        raise Error(Code.MALFORMED, f"the reports have {len(joined)} bytes, and each report of this spec has {size}")
    count = len(joined) // size
    numbers = None
    if rounds is not None:
        if len(rounds) != count:
            raise Error(Code.INVALID_VALUE, f"there are {count} reports and {len(rounds)} rounds")
        numbers = (ctypes.c_int32 * count)(*rounds)
    return Summary(native.made_bytes("ldp_summarize", collection._handle, joined, count, numbers), collection)


class Groups:
    """The summaries of groups of different people under one spec, by name: `ldp.Groups({"de": summary, "fr": other})`.

    Every SQL function of groups is a method without "ldp_", with the same arguments and columns:
    `groups.compare_groups(baseline="de")`. The name None stands for reports without a group. For `calibrate` and `regression`, a name may be a
    JSON object with the values of several columns: `json.dumps({"region": "north", "age": 1})`. The rows equal those of SQL in every
    bit. They are a pandas data frame if pandas is installed, otherwise a list of dicts. Raises Error as the SQL functions do.
    """

    def __init__(self, summaries: Mapping[str | None, Summary]) -> None:
        self.summaries = dict(summaries)

    def rows(self, function: str, **arguments: Any) -> list[dict[str, Any]]:
        """The rows of a function as a list of dicts, in which NULL becomes None."""
        summaries = list(self.summaries.values())
        collection = next((one.collection for one in summaries if one.collection is not None), None)
        names = [None if name is None else str(name) for name in self.summaries]
        return _rows(collection, None, function, {"groups": names, "summaries": summaries, **arguments})

    def query(self, function: str, **arguments: Any) -> Any:
        """The rows of a function: a data frame if pandas is installed, otherwise a list of dicts."""
        return as_frame(self.rows(function, **arguments))

    def plot(self, function: str = "estimate", title: str = "", **arguments: Any) -> Drawing:
        """Draws the rows of a function with their intervals: `groups.plot()` compares the groups."""
        collection = next((one.collection for one in self.summaries.values() if one.collection is not None), None)
        return plot(self.rows(function, **arguments), collection, title)

    def __getattr__(self, name: str) -> Any:
        if name not in GROUP_FUNCTIONS:
            raise AttributeError(f"groups have no function {name!r}")

        def of_name(**arguments: Any) -> Any:
            return self.query(name, **arguments)

        of_name.__name__ = name
        return of_name
