"""Records in columns, of numpy and pandas, without a server."""

import tracemalloc
import unittest

import ldp
from ldp.native import Value
from ldp.records import of_records
from test_client import PERSON, REGION, Case, Server


class Columns(Case):

    def setUp(self):
        import numpy
        import pandas
        self.numpy, self.pandas = numpy, pandas

    def test_data_frames(self):
        person = ldp.Collection(PERSON)
        frame = self.pandas.DataFrame({"town": ["Ulm", None, "Bonn"], "wage": [1, 2, 200]})
        client = ldp.Client(person)
        self.assertEqual(client.report_many(frame), 3)
        self.assertEqual(client.clamped(), {"wage": 1, "town": 1})
        self.assertEqual(client.report(frame.iloc[0]).origin, ldp.Origin.DRAWN)
        frame["town"] = frame["town"].astype("category")
        self.assertEqual(client.report_many(frame), 3)
        frame["town"] = self.pandas.array(["Ulm", None, "Bonn"], dtype="string")
        self.assertEqual(client.report_many(frame), 3)
        self.assertEqual(client.report(frame.iloc[1]).origin, ldp.Origin.DRAWN)
        frame["wage"] = self.pandas.array([1, None, 3], dtype="Int64")
        self.assertEqual(self.fails(ldp.Code.INVALID_VALUE, '"" is not a value of "wage"', client.report_many, frame).record, 1)
        self.fails(ldp.Code.INVALID_VALUE, 'no "town"', client.report_many, frame[["wage"]])
        self.fails(ldp.Code.INVALID_VALUE, "Its type is bool", client.report_many, frame.assign(wage=True))
        self.fails(ldp.Code.INVALID_VALUE, "dimensions", client.report_many,
                   {"wage": self.numpy.zeros((3, 2)), "town": ["Ulm"] * 3})

    def test_no_other_columns(self):
        """A spec must not choose among the columns of a larger table by the names of its attributes."""
        person = ldp.Collection(PERSON)
        table = {"town": ["Ulm", "Bonn"], "wage": [1, 2], "hiv": [0, 1], "age": [3, 4]}
        frame = self.pandas.DataFrame(table)
        client, fleet = ldp.Client(person), ldp.Client(person)
        for records in (table, frame, frame.to_dict("records")):
            for work in (client.report_many, fleet.report_many, person.perturb_many):
                error = self.fails(ldp.Code.INVALID_VALUE, 'no attribute "hiv", "age"', work, records)
                self.assertIn("[collection.names]", error.hint)
        self.fails(ldp.Code.INVALID_VALUE, '"hiv"', client.report, frame.iloc[0])
        self.fails(ldp.Code.INVALID_VALUE, '"hiv"', client.report, {"town": "Ulm", "wage": 1, "hiv": 1})
        self.assertEqual((client.pending, fleet.pending), (0, 0))
        self.assertEqual(client.report_many(frame[person.names]), 2)
        self.assertEqual(len(ldp.simulate(ldp.Collection(REGION), {"region": ["north", "east"], "hiv": [1, 0]})), 1)

    def test_values_that_are_no_answers(self):
        """Masked elements are missing, for numbers and labels, by record and by column."""
        number = {"name": "wage", "min": 0, "max": 100}
        town = {"name": "town", "mechanism": "grr", "domain": ["Ulm", "other", "none"], "other": "other", "missing_label": "none"}

        def client(**more):
            return ldp.Client(ldp.Collection({"mechanism": "sampled", "epsilon": 2, "per_report": 1, "attributes": [
                {**number, "mechanism": "optional_mean" if more else "optimal", **more}, town]}))

        masked = self.numpy.ma.masked
        wages = self.numpy.ma.array([1.0, 2.0, 500.0], mask=[0, 0, 1])
        whole = self.numpy.ma.array([1, 2, 500], mask=[0, 0, 1])
        towns = self.numpy.ma.array(["Ulm", "Ulm", "Bonn"], mask=[0, 0, 1])
        nullable = self.pandas.array([1, 2, None], dtype="Int64")
        columns = [{"wage": each, "town": label} for each in (
            wages, whole, nullable, self.pandas.array([1, 2, None], dtype="Float64"), [1, 2, masked], [1.5, 2, float("nan")],
            self.pandas.Series([1, 2, self.pandas.NA], dtype=object)) for label in (towns, ["Ulm", "Ulm", masked],
            ["Ulm", "Ulm", None], ["Ulm", "Ulm", float("nan")], self.pandas.array(["Ulm", "Ulm", None], dtype="string"))]
        for given in columns:
            rows = [dict(zip(given, values)) for values in zip(*given.values())]
            for records in (given, rows):
                one = client(missing=True)
                self.assertEqual(one.report_many(records), 3)
                self.assertEqual(one.clamped(), {"wage": 0, "town": 0})
                strict = client()
                self.assertEqual(self.fails(ldp.Code.INVALID_VALUE, '"wage"', strict.report_many, records).record, 2)
                self.assertEqual((strict.pending, strict.clamped()), (0, {"wage": 0, "town": 0}))
        self.fails(ldp.Code.INVALID_VALUE, '"wage"', client().report, self.numpy.ma.array([1.0, 2.0], mask=[1, 1]))
        region = ldp.Client(ldp.Collection(REGION))
        self.fails(ldp.Code.INVALID_VALUE, "", region.report_many, {"region": self.numpy.ma.array(["north"], mask=[1])})
        self.assertEqual(region.pending, 0)

    def test_values_of_other_types(self):
        """Numbers are integers or floating-point numbers, whether they come in records or in columns."""
        numpy, pandas = self.numpy, self.pandas
        day, span = numpy.datetime64("2026-11-24", "ns"), numpy.timedelta64(5, "s")
        others = [day, span, numpy.bool_(True), True, numpy.complex128(1 + 2j), 1j, pandas.Timestamp("2026-11-24"),
                  pandas.Timedelta("1h"), numpy.array([1.0]), numpy.bytes_(b"1"), b"1"]
        number = ldp.Collection({"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 1})
        label = ldp.Collection(REGION)
        for collection in (number, label):
            [name] = collection.names
            client = ldp.Client(collection)
            for other in others:
                columns = [[other], numpy.array([other]), pandas.Series([other])]
                for records in ([[other]], [{name: other}], *({name: column} for column in columns)):
                    if getattr(other, "ndim", 0) == 1 and isinstance(records, dict) and isinstance(records[name], numpy.ndarray):
                        continue  # an array of the shape (1, 1), which the next line passes as a column
                    self.fails(ldp.Code.INVALID_VALUE, "", client.report_many, records)
                self.fails(ldp.Code.INVALID_VALUE, "", client.report, [other])
            for kind in ("boolean", "bool", "datetime64[ns]", "datetime64[ns, UTC]", "timedelta64[ns]"):
                column = pandas.Series([1, 0]).astype("int64").astype("bool" if "bool" in kind else "int64")
                column = pandas.to_datetime(column, utc=True) if "UTC" in kind else column.astype(kind)
                self.fails(ldp.Code.INVALID_VALUE, "", client.report_many, {name: column})
            self.fails(ldp.Code.INVALID_VALUE, "dimensions", client.report_many, {name: numpy.ones((1, 1))})
            self.fails(ldp.Code.INVALID_VALUE, "", client.report_many, {name: [[0], [1]]})
            self.fails(ldp.Code.INVALID_VALUE, "", client.report_many, {name: [0, True]})
            self.assertEqual((client.pending, list(client.clamped().values())), (0, [0]))
        sets = ldp.Client(ldp.Collection({"mechanism": "label_sets", "epsilon": 1, "attributes": [
            {"name": "use", "domain": ["mail", "chat"], "several": True, "most": 2}]}))
        for other in (None, float("nan"), numpy.ma.masked, True, day):
            self.fails(ldp.Code.INVALID_VALUE, "is not a label of a set", sets.report, [["mail", other]])
        self.assertEqual(sets.pending, 0)

    def test_types_of_public_columns(self):
        numpy, pandas = self.numpy, self.pandas
        region = ldp.Collection(REGION)
        days = numpy.array(["2026-11-24", "NaT"], "datetime64[ns]")
        sent = {"numpy": days, "pandas": pandas.Series(days), "objects": list(days),
                "masked": numpy.ma.array([7, 8], mask=[0, 1]), "elements": [7, numpy.ma.masked]}
        for how, column in sent.items():
            client, server = ldp.Client(region), Server()
            client.report_many([["north"]] * 2, columns={"c": column})
            client.flush(server)
            found = [batch.columns.get("c") for batch in server.batches]
            expected = "7" if how in ("masked", "elements") else "2026-11-24T00:00:00"
            self.assertCountEqual(found, [expected, None], how)
        for column in (numpy.array([1, 2], "timedelta64[ns]"), numpy.array([1j, 2j]), [1j, 2j]):
            client = ldp.Client(region)
            self.fails(ldp.Code.INVALID_VALUE, "public column", client.report_many, [["north"]] * 2, columns={"c": column})
            self.assertEqual(client.pending, 0)

    def test_simulation(self):
        region, people = ldp.Collection(REGION), 100_000
        made = region.perturb_many({"region": self.numpy.repeat(["south"], people)})
        self.assertEqual((made.shape, made.dtype), ((people, region.report_size), self.numpy.uint8))
        # The truth with probability e/(e + 3) = 0.47537: a standard deviation of 0.00158, and 6.5 of them, up or down, in
        # fewer than 1 of 10^9 runs.
        self.assertAlmostEqual(float((made[:, -1] == 2).mean()), 0.47537, delta=6.5 * 0.00158)
        error = self.fails(ldp.Code.INVALID_VALUE, "mars", region.perturb_many, {"region": ["south", "mars"]})
        self.assertEqual(error.record, 1)
        self.assertEqual(region.perturb_many([]).shape, (0, region.report_size))

    def test_records_have_no_object_for_each_value(self):
        labels = [f"e{j}" for j in range(24)]
        vector = ldp.Collection({"mechanism": "haar", "epsilon": 1,
                                 "attributes": [{"name": "h", "vector": labels, "min": 0, "max": 1}]})
        names = [f"h.{label}" for label in labels]
        rows = [[(i + j) % 7 / 7 for j in range(24)] for i in range(500)]
        given = {"in rows": rows, "in vectors": [[row] for row in rows], "by name": [{"h": row} for row in rows],
                 "as whole numbers": [[round(value) for value in row] for row in rows]}
        for how, records in given.items():
            tracemalloc.start()
            values = of_records(records, names, [False] * 24, {"h": names})
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            # 24 bytes of each value for the library, and its number; an object of ctypes alone has over 100.
            self.assertLess(most, 60 * values.count, how)
            laid_out = (Value * values.count).from_address(values.address)
            self.assertEqual([each.number for each in laid_out], [float(value) for row in (
                rows if how != "as whole numbers" else records) for value in row], how)
            self.assertFalse(any(each.text or each.length for each in laid_out), how)
        self.assertEqual(len(vector.perturb_many(rows)), 500)

    def test_numbers(self):
        number = ldp.Collection({"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 1})
        for kind in ("float64", "float32", "int8", "uint64"):
            made = number.perturb_many({"value": self.numpy.ones(20_000, kind)})
            # One in e + 1 says 0: 0.26894, with a standard deviation of 0.00314; 6.5 of them as above.
            self.assertAlmostEqual(float((made[:, -1] == 0).mean()), 0.26894, delta=6.5 * 0.00314)


if __name__ == "__main__":
    unittest.main()
