"""Drawings, tables for notebooks, plans of records, and simulated summaries. Without a server."""

import base64
import datetime
import decimal
import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

import ldp
from ldp import drawing

REGION = {"name": "region", "domain": ["north", "south", "west"]}
WAGE = {"name": "wage", "min": 0, "max": 100, "title": "Weekly wage", "unit": "USD"}


def resolved(spec, people=3000):
    return plain(ldp.plan(spec, people=people))[0]["canonical"]


def plain(frame):
    return frame if isinstance(frame, list) else frame.to_dict("records")


def texts_of(svg):
    """All texts of a drawing without the marks that isolate names, from the parsed document."""
    found = ["".join(element.itertext()) for element in xml.fromstring(svg).iter() if element.tag.endswith(("}text", "}title"))]
    return [text.replace("\u2068", "").replace("\u2069", "") for text in found]


def elements(svg, kind):
    return [element for element in xml.fromstring(svg).iter() if element.tag.endswith("}" + kind)]


class Drawings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spec = {**resolved({"mechanism": "auto", "epsilon": 3, "attributes": [REGION, WAGE]})}
        people = [{"region": REGION["domain"][i % 3], "wage": i % 100} for i in range(3000)]
        cls.summary = ldp.simulate_summary(cls.spec, people, 7)
        cls.other = ldp.simulate_summary(cls.spec, people, 8)

    def rows(self, statistic):
        return [row for row in self.summary.rows("estimate") if row["statistic"] == statistic]

    def test_shares_are_bars_of_their_size(self):
        rows = self.rows("proportion")
        svg = ldp.plot(rows).svg
        # A wide bar for each share, from zero, in the order of the shares.
        bars = [float(bar.get("width").rstrip("%")) for bar in elements(svg, "rect") if bar.get("class") == "h c0"]
        shares = sorted((row["estimate"] for row in rows), reverse=True)
        self.assertEqual(len(bars), 3)
        for bar, share in zip(bars, shares):
            self.assertAlmostEqual(bar / bars[0], share / shares[0], places=3)
        texts = texts_of(svg)
        self.assertIn("region", texts)
        self.assertIn("Lines across estimates are confidence intervals.", texts)
        for row in rows:
            ends = r" \(\d+(\.\d+)?\u2013\d+(\.\d+)?\)"
            self.assertTrue(any(re.fullmatch(row["label"] + r": (\d+(?:\.\d+)?)\u00a0%" + ends, text) and
                                abs(float(re.search(r": ([\d.]+)", text)[1]) - 100 * row["estimate"]) < 1 for text in texts), row)

    def test_means_have_titles_units_and_ranges(self):
        collection = ldp.Collection({**self.spec, "attributes": [{**one, **{key: WAGE[key] for key in ("title", "unit")}}
                                     if one["name"] == "wage" else one for one in self.spec["attributes"]]})
        rows = self.rows("mean")
        texts = texts_of(ldp.plot(rows, collection, "Panel of March").svg)
        self.assertIn("Panel of March", texts)
        self.assertTrue(any("Weekly wage" in text for text in texts), texts)
        self.assertTrue(any("USD" in text for text in texts), texts)
        self.assertIn("0", texts)
        self.assertIn("100", texts)

    def test_groups_are_compared(self):
        svg = ldp.Groups({"de": self.summary, "fr": self.other}).plot().svg
        texts = texts_of(svg)
        for row in ldp.Groups({"de": self.summary, "fr": self.other}).rows("estimate"):
            self.assertTrue(any(text.startswith(row["group_key"] + ": ") for text in texts), row)
        differences = texts_of(ldp.Groups({"de": self.summary, "fr": self.other}).plot("compare_groups").svg)
        self.assertIn("region, difference", differences)

    def test_series_are_lines(self):
        series = {"mechanism": "ddrm", "epsilon": 4, "domain": 2, "rounds": 8, "changes": 1}
        summary = ldp.simulate_summary(series, {"value": [i // 8 % 2 for i in range(8 * 1000)]}, 3)
        svg = summary.plot("series").svg
        self.assertEqual(len([path for path in elements(svg, "path") if "p" in (path.get("class") or "").split()] or
                             elements(svg, "polyline")), 2)
        self.assertIn("estimates by round", summary._repr_html_().replace("its shares are estimated per round", "estimates by round"))
        points = [text for text in texts_of(svg) if re.match(r"\d: ", text)]
        self.assertEqual(len(points), 16)

    def test_distributions_and_tables(self):
        wage = resolved({"mechanism": "auto", "epsilon": 2, "attributes": [{"name": "wage", "min": 0, "max": 100, "estimate": "distribution"}]})
        summary = ldp.simulate_summary(wage, {"wage": [i % 100 for i in range(3000)]}, 3)
        texts = texts_of(summary.plot("histogram", bins=4).svg)
        self.assertLessEqual({"0", "25", "50", "75", "100", "share of people"}, set(texts))
        self.assertIn("wage, quantile", texts_of(summary.plot("quantiles", probabilities=[0.25, 0.5]).svg))
        table = resolved({"mechanism": "auto", "epsilon": 3, "joint_tables": [["region", "mood"]],
                          "attributes": [REGION, {"name": "mood", "domain": ["good", "bad"]}]})
        people = [{"region": REGION["domain"][i % 3], "mood": ["good", "bad"][i % 2]} for i in range(3000)]
        texts = texts_of(ldp.simulate_summary(table, people, 3).plot("marginal", attributes=["region", "mood"]).svg)
        self.assertTrue(any(text.startswith("north, good: ") for text in texts), texts)

    def test_hostile_labels_stay_text(self):
        label = "</text><script>alert(1)</script>\u202e\x07&\"'"
        rows = [{"attribute": label, "label": label, "statistic": "proportion", "estimate": 0.5, "lower": 0.4, "upper": 0.6,
                 "note": label, "group_key": None}]
        svg = ldp.plot(rows, title=label).svg
        self.assertEqual(elements(svg, "script"), [])
        for character in "\u202e\x07":
            self.assertNotIn(character, svg)
        html = drawing.table(rows)
        self.assertNotIn("<script", html)
        self.assertNotIn("<script", ldp.plot(rows, title=label)._repr_html_())
        self.assertEqual(html.count("<td"), len(rows[0]))

    def test_values_of_servers_and_frames(self):
        """Decimals, dates, infinite and missing numbers, also of pandas, are drawn like those of a summary."""
        row = {"attribute": "wage", "label": None, "statistic": "mean", "estimate": 50.0, "lower": 40.0, "upper": float("inf")}
        expected = ldp.plot([row]).svg
        self.assertEqual(ldp.plot([{**row, "estimate": decimal.Decimal("50.0"), "label": float("nan")}]).svg, expected)
        self.assertEqual(ldp.plot([{**row, "upper": "Infinity", "day": datetime.date(2026, 3, 1)}]).svg, expected)
        try:
            import pandas
        except ImportError:
            return
        self.assertEqual(ldp.plot(pandas.DataFrame([{**row, "people": pandas.NA}])).svg, expected)

    def test_refusals(self):
        for rows in ([], [{"label": "a"}], [1], "rows", {"estimate": 1}, [{"estimate": 1}] * 10_001):
            with self.assertRaises(ldp.Error) as caught:
                ldp.plot(rows)
            self.assertEqual(caught.exception.code, ldp.Code.INVALID_VALUE)

    def test_files_and_notebooks(self):
        drawn = self.summary.plot(title="A & B")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "drawing.svg")
            drawn.save(path)
            with open(path, encoding="utf-8", newline="") as file:
                self.assertEqual(file.read(), drawn.svg)
        data = re.fullmatch(r'<img src="data:image/svg\+xml;base64,([^"]*)" alt="A &amp; B">', drawn._repr_html_())[1]
        self.assertEqual(base64.b64decode(data).decode(), drawn.svg)

    def test_tables(self):
        html = self.summary._repr_html_()
        self.assertEqual(html.count("<tr>"), 1 + len(self.summary.rows("estimate")))
        self.assertIn("<p>Simulated summary</p>", html)
        self.assertIn(f'{self.rows("mean")[0]["estimate"]:.6g}', html)
        self.assertIn("<pre>", ldp.Collection(self.spec)._repr_html_())
        rows = drawing.Rows([{"a": 1, "b": None}, {"a": 2.5, "c": {"d": 1}}])
        self.assertEqual(rows._repr_html_().count("<th>"), 3)
        self.assertEqual(rows, [{"a": 1, "b": None}, {"a": 2.5, "c": {"d": 1}}])
        self.assertIn("<p>100 rows</p>", drawing.table([{"a": 1}] * 100))


class Records(unittest.TestCase):
    SPEC = {"mechanism": "auto", "epsilon": 2, "attributes": [
        REGION, {"name": "wage", "min": 0, "max": 100}, {"name": "age", "min": 0, "max": 100, "estimate": "distribution"}]}

    def test_every_attribute_is_planned(self):
        rows = plain(ldp.plan_record(self.SPEC, people=5000))
        self.assertEqual([(row["attribute"], row["estimate"]) for row in rows],
                         [("region", "share of a value"), ("wage", "mean"), ("age", "median"), ("age", "share of half the range")])
        # The error of a mean equals that of the plan of this estimate alone.
        alone = plain(ldp.plan(self.SPEC, {"attribute": "wage"}, people=5000))[0]
        self.assertEqual([rows[1][key] for key in ("stderr", "margin", "n")], [alone[key] for key in ("stderr", "margin", "n")])
        self.assertEqual(rows[0]["canonical"]["mechanism"], alone["canonical"]["mechanism"])
        self.assertEqual({row["mechanism"] for row in rows}, {one["mechanism"] for one in rows[0]["canonical"]["attributes"]})
        self.assertAlmostEqual(sum({row["attribute"]: row["reports"] for row in rows}.values()), 5000)

    def test_margins_need_people(self):
        spec = {**self.SPEC, "max_margin_of_error": {"region": 0.05, "wage": 4}}
        rows = plain(ldp.plan_record(spec))
        needed = {row["attribute"]: row["people"] for row in rows if row["people"] == row["people"] and row["people"] is not None}
        self.assertEqual(set(needed), {"region", "wage"})
        self.assertEqual({row["n"] for row in rows}, {max(needed.values())})

    def test_the_command_prints_the_same_plan(self):
        out = subprocess.run([os.environ["LDP"], "plan", "--people", "5000", "--csv", json.dumps(self.SPEC)], capture_output=True,
                             text=True, check=True).stdout.splitlines()
        self.assertEqual(out[0], "attribute,estimate,mechanism,reports,stderr,margin,people")
        rows = plain(ldp.plan_record(self.SPEC, people=5000))
        self.assertEqual(len(out), 1 + len(rows))
        for line, row in zip(out[1:], rows):
            self.assertEqual(line.split(",")[:3], [row["attribute"], row["estimate"], row["mechanism"]])
            self.assertEqual([float(text) for text in line.split(",")[3:6]], [row["reports"], row["stderr"], row["margin"]])

    def test_refusals(self):
        for spec, target in ((REGION_ONLY, {}), (self.SPEC, {"attribute": "wage"}), ({**self.SPEC, "epsilon": None}, {})):
            with self.assertRaises(ldp.Error):
                ldp.plan_record(spec, target, people=5000)
        with self.assertRaises(ldp.Error):
            ldp.plan_record(self.SPEC)
        with self.assertRaises(ldp.Error):
            ldp.plan_record(self.SPEC, people=0)


REGION_ONLY = {"mechanism": "grr", "epsilon": 1, "attributes": [REGION]}


class Seeds(unittest.TestCase):
    def test_simulations_are_reproducible_and_marked(self):
        spec = ldp.Collection(REGION_ONLY)
        people = {"region": ["north", "south"] * 50}
        one, same, other = (ldp.simulate_summary(spec, people, seed) for seed in (5, 5, 6))
        self.assertEqual(one.data, same.data)
        self.assertNotEqual(one.data, other.data)
        self.assertTrue(one.simulated and one.merge(other).simulated)
        real = ldp.summarize(spec, [spec.perturb({"region": "north"}) for _ in range(10)])
        self.assertFalse(real.simulated)
        self.assertFalse(real.merge(real).simulated)
        for first, second in ((one, real), (real, one)):
            with self.assertRaisesRegex(ldp.Error, "simulated") as caught:
                first.merge(second)
            self.assertEqual(caught.exception.code, ldp.Code.INCOMPATIBLE)

    def test_no_function_that_makes_reports_has_a_seed(self):
        import inspect

        seeded = {name for owner in (ldp, ldp.Collection, ldp.Client, ldp.Fleet, ldp.Summary)
                  for name, function in inspect.getmembers(owner, callable) if not inspect.isclass(function)
                  if str(getattr(function, "__module__", "")).startswith("ldp") and "seed" in inspect.signature(function).parameters}
        self.assertEqual(seeded, {"simulate", "simulate_summary"})


if __name__ == "__main__":
    unittest.main()
