"""Predicted errors and simulated collections, without a server."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Mapping, Sequence, cast

from . import native
from .collection import Collection
from .errors import Code, Error
from .records import Records, is_missing
from .summary import as_frame, summarize

#: Of a number whose distribution is estimated.
QUANTILES = (0.25, 0.5, 0.75)


def plan(spec: Collection | str | Mapping[str, Any], target: str | Mapping[str, Any] | None = None,
         people: int | None = None) -> Any:
    """Predicts the error of an estimate before any data is collected, as the SQL function ldp_plan does.

    `spec` may have open choices such as "auto", and may lack "epsilon". `target` is a planning target (doc/planning.md), as a
    dict or JSON. The missing one of people, epsilon and error is computed. The first row is the error of the estimate, the
    others are its sources; the column `canonical` is the spec without open choices. The rows are a pandas data frame if pandas
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


def simulate(spec: Collection | str | Mapping[str, Any], frame: Records, runs: int = 1, **arguments: Any) -> Any:
    """Simulates a collection: randomizes every record of `frame` in each of `runs` runs, and estimates from the reports.

    `frame` is a data frame, a dict of columns or an iterable of records, one for each person. The result has a row for each
    run and estimate: the mean and the quartiles of each number, if the mechanism estimates them, and the share of each
    value of a category. Its columns are run, attribute, label (of a quantile its level), truth, estimate, stderr, lower, upper,
    n and note. Further columns of `frame` are ignored. The truth is the same quantity of `frame`, with numbers clamped to their range. Bins and strings have
    no truth. `arguments` are those of the functions, such as `confidence` and `target`. A data frame if pandas is installed,
    otherwise a list of dicts. Raises Error, also UNSUPPORTED for mechanisms of series.
    """
    if runs < 1:
        raise Error(Code.INVALID_VALUE, "the number of runs must be at least 1", f"Found {runs}.")
    collection = spec if isinstance(spec, Collection) else Collection(spec)
    if getattr(frame, "columns", None) is None and not isinstance(frame, Mapping):
        frame = list(frame)
    frame = _selected(collection, frame)
    columns = _columns(collection, frame)
    rows: list[dict[str, Any]] = []
    for run in range(1, runs + 1):
        reports = bytes(collection._perturb(frame))
        count = len(reports) // collection.report_size
        summary = summarize(collection, reports, [0] * count if "evolving" in collection.spec else None)
        for estimate, truth in _estimates(summary, collection, columns, arguments):
            rows.append({"run": run, "attribute": estimate["attribute"], "label": estimate.get("label"), "truth": truth,
                         **{name: estimate.get(name) for name in ("estimate", "stderr", "lower", "upper", "n", "note")}})
    return as_frame(rows)


def _selected(collection: Collection, frame: Records) -> Records:
    """The records without values of other attributes than the spec's."""
    wanted = {*collection.names, *collection._vectors}
    if getattr(frame, "columns", None) is not None:
        return cast("Records", cast(Any, frame)[[name for name in cast(Any, frame).columns if name in wanted]])
    if isinstance(frame, Mapping):
        return {name: values for name, values in frame.items() if name in wanted}
    return [{name: row[name] for name in row.keys() if name in wanted} if hasattr(row, "keys") else row
            for row in cast("Sequence[Any]", frame)]


def _columns(collection: Collection, frame: Records) -> dict[str, list[Any]]:
    """The values of each attribute; vectors that are given as one value have none."""
    columns: dict[str, list[Any]] = {}
    for index, name in enumerate(collection.names):
        if getattr(frame, "columns", None) is not None or isinstance(frame, Mapping):
            given = cast("Mapping[str, Any]", frame)
            if name in given:
                columns[name] = list(given[name])
        else:
            rows = cast("Sequence[Any]", frame)
            if all(hasattr(row, "keys") for row in rows):
                if all(name in row for row in rows):
                    columns[name] = [row[name] for row in rows]
            else:
                columns[name] = [row[index] for row in rows]
    return columns


def _estimates(summary: Any, collection: Collection, columns: Mapping[str, Sequence[Any]],
               arguments: Mapping[str, Any]) -> Any:
    """Rows of estimates, each with its truth."""
    attributes = {name: attribute for attribute in collection.spec["attributes"] if "product" not in attribute
                  for name in collection._vectors.get(attribute["name"], [attribute["name"]])}
    for name, rows in _results(summary, attributes, arguments):
        values = columns.get(name)
        for row in rows:
            attribute = attributes[name]
            if values is None or not values or "strings" in attribute or "bins" in attribute:
                truth = None
            elif "probability" in row:
                truth = _quantile(_clamped(values, attribute), row["probability"])
            elif "min" in attribute:
                numbers = _clamped(values, attribute)
                truth = sum(numbers) / len(numbers) if numbers else None
            else:
                truth = _share(values, row, attribute)
            if "probability" in row:
                row = {**row, "label": f"{row['probability']:g}", "attribute": name}
            yield row, truth


def _results(summary: Any, attributes: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
    """The rows of each attribute, if the mechanism estimates them."""
    for name, attribute in attributes.items():
        number = "min" in attribute and "bins" not in attribute
        for function in ("means", "quantiles") if number else ("proportions",):
            levels = {"probabilities": list(QUANTILES)} if function == "quantiles" else {}
            try:
                yield name, summary.rows(function, attribute=name, **levels, **arguments)
            except Error as error:
                if error.code != Code.UNSUPPORTED:
                    raise


def _clamped(values: Sequence[Any], attribute: Mapping[str, Any]) -> list[float]:
    return [min(max(float(value), attribute["min"]), attribute["max"]) for value in values
            if not is_missing(value)]


def _quantile(values: Sequence[float], probability: float) -> float | None:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    at = next((i for i in range(1, len(ordered) + 1) if i >= probability * len(ordered)), 0)
    return ordered[at - 1] if ordered else None


def _share(values: Sequence[Any], row: Mapping[str, Any], attribute: Mapping[str, Any]) -> float:
    """The share of a value of a category. Missing values and labels outside the domain have their own labels in the spec."""
    domain = attribute.get("domain")
    label = row["label"]

    def equal(value: Any) -> bool:
        if not isinstance(domain, list):
            return not is_missing(value) and bool(value == row["value"])
        if is_missing(value) or value == "":
            return bool(label == attribute.get("missing_label"))
        return bool(value == label or (label == attribute.get("other") and value not in domain))

    return sum(map(equal, values)) / len(values)
