"""Predicted errors and simulated collections, without a server."""

from __future__ import annotations

import json
from typing import Any, Iterable, Mapping, cast

from . import native
from .collection import Collection
from .errors import Code, Error
from .records import Records, Values
from .summary import Summary, as_frame


def plan(spec: Collection | str | Mapping[str, Any], target: str | Mapping[str, Any] | None = None,
         people: int | None = None) -> Any:
    """Predicts the error of an estimate before any data is collected, as the SQL function ldp_plan does.

    `spec` may have open choices such as "auto", and may lack "epsilon". `target` is a planning target (doc/planning.md), as a
    dict or JSON. The function computes the missing quantity of people, epsilon and error. The first row is the error of the estimate,
    the others are its sources; the column `canonical` is the spec without open choices. The rows are a pandas data frame if pandas
    is installed, otherwise a list of dicts. Raises Error (INVALID_SPEC, INVALID_VALUE, MALFORMED, UNSUPPORTED).
    """
    return _planned("ldp_plan", spec, target, people)


def plan_record(spec: Collection | str | Mapping[str, Any], target: str | Mapping[str, Any] | None = None,
                people: int | None = None) -> Any:
    """Predicts the error of every attribute of a record, as `ldp plan` does for a spec with several attributes.

    The rows are estimates: means, shares, medians, and cells of joint tables. The column `reports` is the expected number of reports
    about the attribute, `stderr` the standard error and `margin` half the length of the 95 % interval. The column `people` is the number
    of people that the spec's "max_margin_of_error" needs, or None. `target` may have the keys target, confidence and
    response_rate. Without `people`, the number is "people" of the spec, or the number that the margins need. The rows are a pandas
    data frame if pandas is installed, otherwise a list of dicts. Raises Error (INVALID_SPEC) if the attributes are not reported in
    parts: use `plan` with the target {"attribute": NAME}. Raises Error as `plan` does.
    """
    native.need("ldp_plan_record")
    return _planned("ldp_plan_record", spec, target, people)


def _planned(function: str, spec: Collection | str | Mapping[str, Any], target: str | Mapping[str, Any] | None, people: int | None) -> Any:
    if isinstance(spec, Collection):
        spec = spec.json
    texts = [(one if isinstance(one, str) else json.dumps(dict(one))).encode("utf-8", "surrogatepass")
             for one in (spec, target or {})]
    if people is not None and people < 1:
        raise Error(Code.INVALID_VALUE, "the number of people must be at least 1", f"Found {people}.")
    return as_frame(native.made_json(function, texts[0], len(texts[0]), texts[1], len(texts[1]), people or 0))


def simulate(spec: Collection | str | Mapping[str, Any], frame: Records, runs: int = 100, seed: int = 1) -> Any:
    """Simulates a collection: randomizes every record of `frame` in each of `runs` runs, and estimates from the reports.

    `frame` is a data frame, a dict of columns or an iterable of at least two records, one for each person. Further columns are
    ignored. All randomness comes from `seed`, so equal seeds give equal rows. The result has a row for each estimate: the mean of
    each number, the shares of each category or set and, if the mechanism estimates them, quantiles and a range. The columns
    attribute and asked name the estimate. The column truth is missing for shares, predicted is the predicted standard error, and error is
    the root mean square error of all runs. The column claimed is the root mean square of the reported standard errors, and covered is
    the share of the 95 % intervals that contain the truth.
    The rows are a data frame if pandas is installed, otherwise a list of dicts. Raises Error, also UNSUPPORTED for strings and
    mechanisms of series.
    """
    if runs < 1 or seed < 0:
        raise Error(Code.INVALID_VALUE, "runs must be at least 1, and seed at least 0", f"Found {runs} and {seed}.")
    collection = spec if isinstance(spec, Collection) else Collection(spec)
    values = collection._values(_selected(collection, frame))
    return as_frame(native.made_json("ldp_simulate", collection._handle, values.address, values.count, runs, seed))


def simulate_summary(spec: Collection | str | Mapping[str, Any], frame: Records, seed: int = 1) -> Summary:
    """Simulates a collection once, as `simulate` does, and returns the summary of its reports.

    All randomness comes from `seed`, so equal seeds give equal summaries. The summary is marked as `simulated`, and does not
    merge with a summary of reports.
    For ddrm and threshold_series, `frame` has a record of each person in each round, and the records of a person are consecutive.
    Raises Error, also UNSUPPORTED for series in a record, and if the library has no function ldp_simulate_summary.
    """
    collection = spec if isinstance(spec, Collection) else Collection(spec)
    return simulated_summary(collection, collection._values(_selected(collection, frame)), seed)


def simulated_summary(collection: Collection, values: Values, seed: int) -> Summary:
    """Returns the summary of simulate_summary() for values in the form of the library."""
    if seed < 0:
        raise Error(Code.INVALID_VALUE, "seed must be at least 0", f"Found {seed}.")
    native.need("ldp_simulate_summary")
    summary = Summary(native.made_bytes("ldp_simulate_summary", collection._handle, values.address, values.count, seed), collection)
    summary.simulated = True
    return summary


def _selected(collection: Collection, frame: Records) -> Records:
    """The records without values of other attributes than the spec's."""
    wanted = {*collection.names, *collection._vectors}
    if getattr(frame, "columns", None) is not None:
        return cast("Records", cast(Any, frame)[[name for name in cast(Any, frame).columns if name in wanted]])
    if isinstance(frame, Mapping):
        return {name: values for name, values in frame.items() if name in wanted}
    return [{name: row[name] for name in row.keys() if name in wanted} if hasattr(row, "keys") else row
            for row in cast("Iterable[Any]", frame)]
