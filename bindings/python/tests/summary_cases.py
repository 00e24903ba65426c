"""Summaries of every mechanism, and queries of all functions, for tests that compare hosts: the specs of LDP_SPECS.

As a program, it writes a JSON object for each spec: its summaries, and each query with the rows or the message of the error.
"""

import json
import os
import random
import typing

import ldp
from ldp.summary import FUNCTIONS

# Arguments of functions that need some. Those of a function are tried one after another.
ARGUMENTS = {
    "between": [{"low": 0, "high": 1}, {"low": 0.25, "high": 7}, {"high": 0.5}, {"low": 0.5}, {}],
    "quantiles": [{}, {"probabilities": [0.1, 0.9], "confidence": 0.8}],
    "consistent": [{}, {"method": "norm"}],
    "histogram": [{"bins": 4}],
    "series_mean": [{"rounds": [1]}, {"rounds": [2, 3], "baseline": [1], "target": "population"}],
    "series_between": [{"low": 0, "high": 1}, {"low": 2.5, "high": 7}, {"high": 2}, {"low": 2}, {}],
    "series_quantiles": [{}, {"probabilities": [0.1, 0.9], "confidence": 0.8}],
    "string_proportions": [{"strings": ["a", "ab"]}],
    "marginal": [{"attributes": ["0", "1"]}],
    "fitted": [{"attributes": ["0", "1"]}],
    "conditional": [{"of": ["0"], "given": ["1"]}],
    "proportion_where": [{"conditions": {"0": [0]}}],
    "covariance": [{"x": "0", "y": "1"}],
    "correlation": [{"x": "0", "y": "1"}],
    "regression": [{"of": "0", "predictors": ["1"]}],
    "contrast": [{"weights": {"0": {"0": 1, "1": -1}}}, {"weights": {"0": 1}, "target": "population"}],
    "synthesize": [{"records": 20}],
    "plan_marginals": [{"people": 1000}],
    "estimate": [{}, {"confidence": 0.99, "target": "population"}, {"statistics": ["mean"]}, {"statistics": ["proportion", "set_size"]},
                 {"statistics": ["response_rate"], "simultaneous": True}],
    "top": [{}, {"limit": 3, "p_adjust": "fdr"}],
    "change": [{"after": "second"}, {"after": "second", "memoized": 0.5, "target": "population"}],
    "winsorized_mean": [{"clamped": "second"}],
    "pilot_choice": [{"other": "second", "people": 1000}],
}


class Case(typing.NamedTuple):
    """A summary of all reports of a spec, and one of every second report."""

    number: int
    spec: str
    collection: ldp.Collection
    summary: ldp.Summary
    second: ldp.Summary


def specs():
    """The specs of the vectors."""
    with open(os.environ["LDP_SPECS"], encoding="utf-8") as file:
        return [line.strip() for line in file if line.startswith('{"mechanism"')]


def value(attribute, draw):
    if "strings" in attribute:
        return draw.choice(["", "a", "ab"])
    domain = attribute.get("domain")
    if isinstance(domain, list):
        return draw.choice(domain)
    if domain is not None:
        return draw.randrange(min(domain, 5))
    return draw.uniform(attribute["min"], attribute["max"])


def reports_of_series(collection, record):
    """Reports of 40 people about all rounds, and their rounds."""
    last = max(one.get("rounds", 0) for one in [collection.spec, *collection.spec["attributes"]])
    reports, rounds = [], []

    def take(batch):
        reports.extend(batch.reports)
        rounds.extend([batch.round] * len(batch.reports))
        return True

    for _ in range(40):
        with ldp.Client(collection) as client:
            for number in range(1, last + 1):
                client.report(record(), number)
            client.flush(take)
    return reports, rounds


def cases():
    """A case for each spec, except those with thousands of equal rows."""
    for number, spec in enumerate(specs()):
        draw = random.Random(number)
        collection = ldp.Collection(spec)
        attributes = [one for one in collection.spec["attributes"] if "product" not in one]
        if any(isinstance(one.get("domain"), int) and one["domain"] > 2000 for one in attributes):
            continue

        def record():
            return {one["name"]: [value(one, draw) for _ in one["vector"]] if "vector" in one else value(one, draw)
                    for one in attributes}

        if any("rounds" in one for one in [collection.spec, *attributes]):
            reports, rounds = reports_of_series(collection, record)
        else:
            reports = [collection.perturb(record()) for _ in range(40)]
            rounds = [1] * len(reports)
        yield Case(number, spec, collection, ldp.summarize(collection, reports, rounds),
                   ldp.summarize(collection, reports[::2], rounds[::2]))


def queries(case):
    """Pairs of a function and its arguments; the argument "second" is the second summary."""
    for function in FUNCTIONS:
        for arguments in ARGUMENTS.get(function, [{}]):
            yield function, {name: case.second if argument == "second" else argument for name, argument in arguments.items()}


def comparisons(case):
    """Functions of groups and their arguments."""
    groups = {"a": case.summary, None: case.second, "b": case.second}
    names = case.collection.names
    for arguments in ({}, {"baseline": "b", "target": "sample", "confidence": 0.8}, {"attributes": names[:1]}, {"attributes": names[:2]}):
        yield "compare_groups", groups, arguments
    yield "compare_groups", groups, {"anytime": True, "simultaneous": True}
    for arguments in ({}, {"attributes": names[:2]}):
        yield "group_test", groups, arguments
    yield "estimate", groups, {"confidence": 0.8}
    yield "estimate", groups, {"statistics": ["mean", "proportion"], "simultaneous": True}
    days = {f"2026-03-0{i}": case.summary if i % 3 else case.second for i in (3, 1, 2, 5, 7, 8)}
    for function, arguments in (("clustered", {"weights": "groups", "attributes": names[:1]}), ("small_areas", {"confidence": 0.9}),
                                ("smooth", {"season": 2}), ("smooth", {}), ("kernel_regression", {"bandwidth": 3.5, "attribute": names[0]})):
        yield function, {None: case.second, **days}, arguments
    # Names of one column, and of several columns and a weight.
    for arguments in ({"totals": {"group": {"a": 3, "b": 1}}}, {"totals": [{"group": "a", "total": 3}, {"group": "c", "total": 1}], "collapse": True},
                      {"totals": {"group": {"a": 1}}}, {}):
        yield "calibrate", {"a": case.summary, "b": case.second}, arguments
    yield "calibrate", groups, {"totals": [{"group": "a", "total": 3}, {"group": "b", "total": 1.5}, {"group": None, "total": 0}],
                                "attributes": names[:1], "confidence": 0.8}
    cells = {json.dumps({"side": side, "age": age, "weight": 1 + age / 2}): case.second if side == age else case.summary for side in (1, 2) for age in (1, 2)}
    for arguments in ({"totals": {"side": {"1": 3, "2": 5}, "age": {"1": 2, "2": 6}}, "weights": "weight"}, {"weights": "weight", "target": "sample"}):
        yield "calibrate", cells, arguments


def main():
    def result(case, call, function, **arguments):
        summaries = {id(case.summary): 0, id(case.second): 1}
        query = {name: {"summary": summaries[id(value)]} if id(value) in summaries else value for name, value in arguments.items()}
        if "summaries" in query:
            query["summaries"] = [summaries[id(one)] for one in query["summaries"]]
        try:
            return {"function": function, "arguments": query, "rows": call()}
        except ldp.Error as error:
            return {"function": function, "arguments": query, "error": error.message}

    for case in cases():
        results = [result(case, lambda: case.summary.rows(function, **arguments), function, **arguments)
                   for function, arguments in queries(case)]
        for function, groups, arguments in comparisons(case):
            results.append(result(case, lambda: ldp.Groups(groups).rows(function, **arguments), function, groups=list(groups),
                                  summaries=list(groups.values()), **arguments))
        print(json.dumps({"spec": case.collection.json, "summaries": [case.summary.data.hex(), case.second.data.hex()],
                          "merged": case.summary.merge(case.second).data.hex(), "results": results}))


if __name__ == "__main__":
    main()
