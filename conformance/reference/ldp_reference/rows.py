"""Rows of estimates: doc/sql.md, section "Rows"; doc/draws.md, section "Estimates"."""

from __future__ import annotations

from typing import Any, Sequence

from .estimate import Estimate
from .mechanisms.base import Mechanism
from .mechanisms.records import Sampled
from .mechanisms.strings import Strings
from .messages import Summary
from .spec import SHORT_MARK, Attribute, Collection, string_code

Row = dict[str, Any]


def rows_of(collection: Collection, summary: Summary, texts: Sequence[Sequence[str]] = ()) -> list[Row]:
    """Returns a row for each estimate, against the people who reported.

    `texts` are pairs of the name of an attribute of strings and a text, whose shares are estimated. If fewer reports than
    `min_group` are about an attribute ("Small groups"), its estimates and errors are missing.
    """
    estimates = collection.mechanism.estimates(summary.state, summary.n)
    estimates += [_text(collection, summary, name, text) for name, text in texts]
    return [_row(collection, summary, estimate) for estimate in sorted(estimates, key=lambda each: each.attribute)]


def _row(collection: Collection, summary: Summary, estimate: Estimate) -> Row:
    attribute = collection.attributes[estimate.attribute]
    label = estimate.value
    if isinstance(label, int):
        label = _shown(attribute)[label]
    about = collection.mechanism.reports_about(estimate.attribute, summary.state, summary.n)
    hidden = about < collection.block.smallest_group
    return {
        "attribute": attribute.name,
        "label": label,
        "statistic": estimate.statistic,
        "estimate": None if hidden else estimate.estimate,
        "stderr": None if hidden else estimate.sample,
    }


def _shown(attribute: Attribute) -> list[str]:
    """Returns the labels of estimates (doc/spec.md, "Strings, and labels outside the domain").

    A prefix ends with three dots, and a whole string loses its mark. The labels of other answers are in parentheses if a
    string has the same text.
    """
    labels = attribute.labels or []
    if "prefix" not in attribute.keys:
        return labels
    answers = [attribute.keys["other"], attribute.keys.get("missing_label")]
    shown = {label: label[:-1] if label.endswith(SHORT_MARK) else label + "..." for label in labels if label not in answers}
    strings = set(shown.values())
    for label in labels:
        if label not in shown:
            text = label.replace(SHORT_MARK, "")
            while text in strings:
                text = f"({text})"
            shown[label] = text
    return [shown[label] for label in labels]


def _text(collection: Collection, summary: Summary, name: str, text: str) -> Estimate:
    """Returns the share of a text of an attribute of strings, alone or as a part of a record."""
    index = next(i for i, attribute in enumerate(collection.attributes) if attribute.name == name)
    code = string_code(text, collection.attributes[index].keys["strings"])
    mechanism = collection.mechanism
    if not isinstance(mechanism, Sampled):
        return _strings(mechanism).share(index, text, code, summary.state, summary.n)
    part = mechanism.first_attributes().index(index)
    reports, state = mechanism.split_state(summary.state)[part]
    estimate = _strings(mechanism.parts[part]).share(0, text, code, state, reports[0])
    return mechanism.of_record(estimate, index, reports[0], summary.n)


def _strings(mechanism: Mechanism) -> Strings:
    if not isinstance(mechanism, Strings):
        raise TypeError(f"{mechanism.name} has no texts")
    return mechanism


__all__ = ["Row", "rows_of"]
