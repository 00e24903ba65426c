"""Results of summaries without a server equal those of SQL in every bit: all functions, for the specs of LDP_SPECS. Beside the
server that PGHOST and its like name; its database is empty."""

import json
import os
import subprocess
import unittest

import psycopg2
import psycopg2.extras

import ldp
from summary_cases import cases, comparisons, queries

CASTS = {"weights": "jsonb", "known": "jsonb",
         "conditions": "jsonb", "given": None, "attributes": "text[]", "strings": "text[]", "of": None, "predictors": "text[]",
         "probabilities": "float8[]", "rounds": "integer[]", "baseline": "integer[]",
         "after": "ldp_summary", "other": "ldp_summary"}


def frame_rows(frame):
    """The rows of a data frame or of a list of dicts, with None for missing values."""
    rows = frame if isinstance(frame, list) else json.loads(json.dumps(frame.to_dict("records")))
    return [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]


class Equality(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.connection = psycopg2.connect("")
        cls.connection.autocommit = True
        cls.addClassCleanup(cls.connection.close)
        cls.run_sql("CREATE EXTENSION IF NOT EXISTS ldp")

    @classmethod
    def run_sql(cls, sql, parameters=()):
        with cls.connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
            cursor.execute(sql, parameters)
            return [dict(row) for row in cursor.fetchall()] if cursor.description else []

    def sql_rows(self, function, summary, arguments):
        parameters, words = [summary.data.hex()], ["%s::ldp_summary"]
        for name, argument in arguments.items():
            cast = "text[]" if name in ("of", "given") and isinstance(argument, list) else CASTS.get(name)
            words.append(f'"{name}" => %s' + (f"::{cast}" if cast else ""))
            parameters.append(json.dumps(argument) if cast == "jsonb" else
                              argument.data.hex() if isinstance(argument, ldp.Summary) else argument)
        call = f"ldp_{function}({', '.join(words)})"
        try:
            if function == "learn_marginals":
                return [row for row in self.run_sql(f"SELECT {call} AS marginals", parameters) if row["marginals"] is not None]
            return self.run_sql(f"SELECT * FROM {call}", parameters)
        except psycopg2.Error as error:
            return error.diag.message_primary

    def sql_groups(self, function, groups, arguments):
        parameters = [list(groups), [one.data.hex() for one in groups.values()],
                      *(json.dumps(one) if name == "totals" else one for name, one in arguments.items())]
        words = "".join(f", {name} => %s" for name in arguments)
        kind = "jsonb" if all(name is not None and name.startswith("{") for name in groups) else "text"
        try:
            rows = self.run_sql(f"SELECT * FROM ldp_{function}(ldp_groups(%s::{kind}[], %s::ldp_summary[]){words})", parameters)
            # SQL has the columns of a group, and Python its name.
            return [row if row.get("group_key") is None else {**row, "group_key": row["group_key"]["group"]} for row in rows]
        except psycopg2.Error as error:
            return error.diag.message_primary

    @staticmethod
    def own_rows(call, *values, **arguments):
        try:
            return call(*values, **arguments)
        except ldp.Error as error:
            return error.message

    def compare(self, case, found):
        """Compares the rows of all queries, and adds the functions that returned rows to `found`."""
        for function, arguments in queries(case):
            with self.subTest(spec=case.spec[:100], function=function, arguments=arguments):
                own = self.own_rows(case.summary.rows, function, **arguments)
                server = self.sql_rows(function, case.summary, arguments)
                if function == "synthesize" and isinstance(own, list):
                    server = [{"number": row["number"], "record": row["record"]} for row in server]
                self.assertEqual(own, server)
                if isinstance(own, list) and own:
                    found.append(function)
        for function, groups, arguments in comparisons(case):
            with self.subTest(spec=case.spec[:100], function=function, arguments=arguments):
                own = self.own_rows(ldp.Groups(groups).rows, function, **arguments)
                if isinstance(own, list) and own:
                    found.append(function)
                self.assertEqual(own, self.sql_groups(function, groups, arguments))

    def test_every_function_of_every_mechanism(self):
        found = {}
        for case in cases():
            name = f"equality_{case.number}"
            merged = self.run_sql("SELECT ldp_summary_merge(%s, %s)::text AS data", (case.summary.data.hex(), case.second.data.hex()))
            self.assertEqual(case.summary.merge(case.second).data.hex(), merged[0]["data"].removeprefix("\\x"))
            self.run_sql("SELECT ldp_create_collection(%s, %s)", (name, case.spec))
            self.compare(case, found.setdefault(case.collection.spec["mechanism"], []))
            self.run_sql("SELECT ldp_drop_collection(%s)", (name,))
        self.assertGreater(len(found), 20)
        for functions in found.values():
            self.assertGreater(len(functions), 1)
        for series in ("ddrm", "threshold_series"):
            self.assertLessEqual({"series", "series_mean"}, set(found[series]))
        self.assertLessEqual({"series_between", "series_quantiles"}, set(found["threshold_series"]))
        self.assertLessEqual({"compare_groups", "group_test", "clustered", "small_areas", "smooth", "calibrate"}, set(found["grr"]))

    def test_groups_below_min_group_have_no_estimates(self):
        spec = {"mechanism": "grr", "epsilon": 1, "min_group": 20, "attributes": [{"name": "sex", "domain": ["f", "m"]}]}
        collection = ldp.Collection(spec)
        rows = ldp.summarize(spec, [collection.perturb({"sex": "f"})] * 19).rows("estimate")
        self.assertEqual([row["estimate"] for row in rows], [None, None])
        self.assertTrue(rows[0]["note"])

    def test_five_mechanisms_on_own_data(self):
        wages = [100.0 * (i % 21) for i in range(2000)]
        for mechanism in ("pdp", "duchi", "laplace", "hybrid", "piecewise"):
            collection = ldp.Collection({"mechanism": mechanism, "epsilon": 4,
                                         "attributes": [{"name": "wage", "min": 0, "max": 2000}]})
            summary = ldp.summarize(collection, (collection.perturb({"wage": wage}) for wage in wages))
            row = summary.rows("estimate", statistics=["mean"])[0]
            # A deviation of seven standard errors has a chance below 1e-10.
            self.assertLess(abs(row["estimate"] - 1000), 7 * row["stderr"])
            self.assertEqual(row["n"], 2000)

    def test_plans_equal_those_of_sql(self):
        region = {"name": "region", "domain": ["n", "e", "s", "w"]}
        wage = {"name": "wage", "min": 0, "max": 2000}
        cases = [({"mechanism": "auto", "epsilon": 1, "attributes": [region, wage]}, {"attribute": "wage", "mean": 600, "sd": 300}, 5000),
                 ({"mechanism": "grr", "epsilon": 1, "attributes": [region]}, {}, 1000),
                 ({"mechanism": "grr", "attributes": [region]}, {"margin": 0.02}, 20000),
                 ({"mechanism": "haar_ordered", "epsilon": 1, "attributes": [wage]}, {"quantile": 0.5}, 5000),
                 ({"mechanism": "grr", "epsilon": 1, "attributes": [region]}, {"error": 0.01, "confidence": 0.9}, None),
                 ({"mechanism": "grr", "attributes": [region]}, {}, 1000),
                 ({"mechanism": "grr", "epsilon": 1, "attributes": [region]}, {"estimate": "mode"}, 10)]
        planned = 0
        for spec, target, people in cases:
            with self.subTest(spec=spec, target=target):
                try:
                    own = frame_rows(ldp.plan(spec, target, people))
                    planned += len(own) > 0
                except ldp.Error as error:
                    own = error.message
                try:
                    server = self.run_sql("SELECT * FROM ldp_plan(%s, %s, %s)", (json.dumps(spec), json.dumps(target), people))
                except psycopg2.Error as error:
                    server = error.diag.message_primary
                self.assertEqual(own, server)
        self.assertGreaterEqual(planned, 4)
        with self.assertRaises(ldp.Error):
            ldp.plan(cases[1][0], people=0)

    def test_simulations_are_those_of_the_command(self):
        domain = ["n", "e", "none", "rest"]
        spec = {"mechanism": "auto", "epsilon": 8, "attributes": [
            {"name": "wage", "min": 0, "max": 100}, {"name": "region", "domain": domain, "missing_label": "none", "other": "rest"},
            {"name": "pets", "domain": ["cat", "dog"], "several": True}]}
        spec = frame_rows(ldp.plan(spec, {"attribute": "wage"}, people=100))[0]["canonical"]
        # Half of the wages are clamped to 100.
        people = [{"wage": 50 + 100 * (i % 2), "region": ["n", "e", None, "mars", "n"][i % 5],
                   "pets": [["cat", "dog"], [], "dog"][i % 3], "unused": "x"} for i in range(1000)]
        columns = {name: [one[name] for one in people] for name in ("wage", "region", "pets", "unused")}
        rows = frame_rows(ldp.simulate(spec, people, runs=20, seed=3))
        self.assertEqual(rows, frame_rows(ldp.simulate(spec, columns, runs=20, seed=3)))
        self.assertNotEqual(rows, frame_rows(ldp.simulate(spec, people, runs=20, seed=4)))
        self.assertEqual({row["attribute"] for row in rows}, {"wage", "region", "pets"})
        self.assertAlmostEqual([row["truth"] for row in rows if row["asked"] == "mean"][0], 75)
        for row in rows:
            self.assertGreater(row["error"], 0)
            # The shares of the set are those that people have: the error is that of noise, not the share itself.
            self.assertLess(row["error"], 4 * row["predicted"])
        with open("people.csv", "w", encoding="utf-8") as file:
            file.write("wage,region,pets\n")
            file.writelines(f"{one['wage']},{one['region'] or ''},{one['pets'] if isinstance(one['pets'], str) else ';'.join(one['pets'])}\n"
                            for one in people)
        shown = subprocess.run([os.environ["LDP"], "simulate", "once", "--runs", "20", "--seed", "3", "--data", "people.csv", json.dumps(spec)],
                               check=True, capture_output=True, text=True).stdout
        for row in rows:
            self.assertRegex(shown, f"(?m)^{row['attribute']} +{row['asked']} .* {row['error']:.4g}")
        with self.assertRaises(ldp.Error):
            ldp.simulate(spec, people, runs=0)
        with self.assertRaises(ldp.Error):
            ldp.simulate(spec, people[:1])
        texts = {"mechanism": "strings", "epsilon": 4, "max_length": 4}
        with self.assertRaises(ldp.Error):
            ldp.simulate(texts, {"value": ["ab", "cd"]})

    def test_errors_name_the_argument(self):
        collection = ldp.Collection({"mechanism": "grr", "epsilon": 1, "domain": 4})
        summary = ldp.summarize(collection, [])
        for arguments in ({"limit": "many"}, {"most": 3}):
            with self.assertRaises(ldp.Error):
                summary.rows("top", **arguments)
        with self.assertRaises(ldp.Error):
            summary.rows("tops")
        with self.assertRaises(AttributeError):
            summary.tops()
        texts = ldp.Collection({"mechanism": "strings", "epsilon": 1, "attributes": [
            {"name": "brand", "strings": {"alphabet": "a-z", "max_length": 8}}]})
        with self.assertRaisesRegex(ldp.Error, "too many values for a condition"):
            ldp.summarize(texts, [texts.perturb({"brand": "ab"})]).rows("proportion_where", conditions={"brand": "ab"})
        with self.assertRaises(ldp.Error):
            summary.merge(ldp.summarize({"mechanism": "grr", "epsilon": 2, "domain": 4}, []))
        with self.assertRaises(ldp.Error):
            summary.merge(ldp.Summary(summary.data[:-1]))
        self.assertEqual(len(frame_rows(ldp.Groups({"a": summary.merge(summary), "b": summary}).compare_groups())), 0)
        with self.assertRaises(ldp.Error):
            ldp.Groups({"a": summary, "b": summary}).compare_groups(baseline="c")
        with self.assertRaises(AttributeError):
            ldp.Groups({}).quantiles()


if __name__ == "__main__":
    unittest.main()
