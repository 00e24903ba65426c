"""Predicted errors and simulated collections, without a server."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Iterable, Mapping, cast

from . import native
from .collection import Collection
from .errors import Code, Error
from .records import Records, of_records
from .summary import as_frame


def plan(spec: Collection | str | Mapping[str, Any], target: str | Mapping[str, Any] | None = None,
         people: int | None = None) -> Any:
    """Predicts the error of an estimate before any data is collected, as the SQL function ldp_plan does.

    `spec` may have open choices such as "auto", and may lack "epsilon". `target` is a planning target (doc/planning.md), as a
    dict or JSON. The function computes the missing quantity of people, epsilon and error. The first row is the error of the estimate,
    the others are its sources; the column `canonical` is the spec without open choices. The rows are a pandas data frame if pandas
    is installed, otherwise a list of dicts. Raises Error (INVALID_SPEC, INVALID_VALUE, MALFORMED, UNSUPPORTED).
    """
    if isinstance(spec, Collection):
        spec = spec.json
    texts = [(one if isinstance(one, str) else json.dumps(dict(one))).encode("utf-8", "surrogatepass")
             for one in (spec, target or {})]
    if people is not None and people < 1:
        raise Error(Code.INVALID_VALUE, "the number of people must be at least 1", f"Found {people}.")
    found = ctypes.c_void_p()
    native.call("ldp_plan", texts[0], len(texts[0]), texts[1], len(texts[1]), people or 0, ctypes.byref(found))
    rows: list[dict[str, Any]] = json.loads(native.taken(found))
    return as_frame(rows)


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
    values = of_records(_selected(collection, frame), collection._names, collection._labelled, collection._vectors)
    found = ctypes.c_void_p()
    native.call("ldp_simulate", collection._handle, values.address, values.count, runs, seed, ctypes.byref(found))
    rows: list[dict[str, Any]] = json.loads(native.taken(found))
    return as_frame(rows)


def _selected(collection: Collection, frame: Records) -> Records:
    """The records without values of other attributes than the spec's."""
    wanted = {*collection.names, *collection._vectors}
    if getattr(frame, "columns", None) is not None:
        return cast("Records", cast(Any, frame)[[name for name in cast(Any, frame).columns if name in wanted]])
    if isinstance(frame, Mapping):
        return {name: values for name, values in frame.items() if name in wanted}
    return [{name: row[name] for name in row.keys() if name in wanted} if hasattr(row, "keys") else row
            for row in cast("Iterable[Any]", frame)]
