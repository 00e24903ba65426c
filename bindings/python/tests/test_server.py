"""Client and server together, over psycopg2. The server is the one that PGHOST and its like name; its database is empty."""

import datetime
import json
import unittest

import psycopg2
import psycopg2.extras

import ldp
from ldp import server as answers

REGION = '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "region", "domain": ["north", "east", "south", "west"]}]}'


def setUpModule():
    connection = psycopg2.connect("")
    answers._run(connection, "CREATE EXTENSION IF NOT EXISTS ldp", ())
    connection.close()


class Cut:
    """A connection whose commits reach the server, and break on the way back."""

    def __init__(self, connection):
        self.connection = connection

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def commit(self):
        self.connection.commit()
        raise psycopg2.OperationalError("the line was cut")


class Servers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.connection = psycopg2.connect("")
        cls.addClassCleanup(cls.connection.close)

    @classmethod
    def run_sql(cls, sql, *parameters):
        return answers._run(cls.connection, sql, parameters)[1]

    def setUp(self):
        self.run_sql("SELECT ldp_create_collection('region', %s)", REGION)
        self.addCleanup(self.run_sql, "SELECT ldp_drop_collection('region')")
        self.region = ldp.Collection(ldp.fetch_spec(self.connection, "region"))
        self.client = ldp.Client(self.region)
        self.uploader = ldp.Uploader(self.connection, "region")

    def counted(self):
        return self.run_sql("SELECT count(*) FROM region")[0][0]

    def test_specs(self):
        self.assertEqual(self.region.fingerprint, ldp.Collection(REGION).fingerprint)
        with self.assertRaisesRegex(psycopg2.errors.UndefinedObject, 'collection "nothing" does not exist'):
            ldp.fetch_spec(self.connection, "nothing")

    def test_batches_count_once(self):
        self.run_sql("SELECT ldp_open_rounds('region', -2)")
        self.client.report_many([["west"]] * 5, round=-2)
        kept = []
        with self.assertRaises(psycopg2.OperationalError):
            self.client.flush(lambda batch: kept.append(batch) or ldp.Uploader(Cut(self.connection), "region")(batch))
        self.assertEqual((self.counted(), self.client.pending), (5, 5))
        self.assertEqual(self.client.flush(self.uploader), ldp.Flushed(1, 5, 1, 0))
        self.assertEqual((self.counted(), self.client.pending), (5, 0))
        self.assertEqual(self.run_sql("SELECT DISTINCT round FROM region"), [(-2,)])
        self.assertTrue(all(len(report) == self.region.report_size for report in kept[0].reports))

    def test_public_columns(self):
        self.run_sql("SELECT ldp_create_collection('visit', %s, ARRAY[['country', 'text'], ['seen', 'date']])", REGION)
        self.addCleanup(self.run_sql, "SELECT ldp_drop_collection('visit')")
        client, uploader, batches = ldp.Client(self.region), ldp.Uploader(self.connection, "visit"), []
        client.report_many([["west"]] * 3, columns={"country": ["dé", "fr", "dé"], "seen": datetime.date(2026, 11, 24)})
        client.report(["west"])
        sent = client.flush(lambda batch: batches.append(batch) or uploader(batch))
        self.assertEqual((sent.batches, sent.reports), (3, 4))
        self.assertEqual(self.run_sql("SELECT country, seen::text, count(*) FROM visit GROUP BY 1, 2 ORDER BY 1"),
                         [("dé", "2026-11-24", 2), ("fr", "2026-11-24", 1), (None, None, 1)])
        for batch in batches:
            reports = "{" + ",".join(report.hex() for report in batch.reports) + "}"
            digest = self.run_sql("SELECT ldp_batch_digest(%s::ldp_report[], %s, %s::jsonb)",
                                  reports, batch.round, json.dumps(batch.columns))[0][0]
            self.assertEqual(bytes(digest), batch.digest())
            self.assertFalse(uploader(batch))
        other = ldp.Batch(batches[0].id, "", 0, batches[0].reports, {"country": "se"})
        with self.assertRaises(ldp.Undelivered) as caught:
            uploader(other)
        self.assertEqual(caught.exception.outcome, ldp.Outcome.OUTDATED)
        client.report(["west"], columns={"seen": "some day"})
        client.report(["west"], columns={"continent": "europe"})
        client.report(["west"], columns={"country": "de"})
        sent = client.flush(uploader)
        self.assertEqual((sent.reports, sent.refused), (1, 2))
        self.assertIn('invalid value for public column "seen"', client.refused()[0])
        self.assertIn('no public column "continent"', client.refused()[1])

    def test_autocommit(self):
        self.connection.autocommit = True
        try:
            self.client.report(["west"])
            self.assertEqual(self.client.flush(self.uploader).reports, 1)
            batch = ldp.Batch("00000000-0000-4000-8000-000000000000", "", 0, [self.region.perturb(["east"])])
            self.assertTrue(self.uploader._free(batch))   # which leaves no claim behind
            self.assertTrue(self.uploader(batch))
            self.assertFalse(self.uploader(batch))
        finally:
            self.connection.autocommit = False
        self.assertEqual(self.counted(), 2)

    def test_what_the_server_refuses_is_set_aside(self):
        self.run_sql("SELECT ldp_open_rounds('region', 8)")
        self.client.report(["west"], round=7)
        self.client.report(["west"], round=8)
        sent = self.client.flush(self.uploader)
        self.assertEqual((sent.reports, sent.refused, self.counted()), (1, 1, 1))
        self.assertIn("round 7 is not open", self.client.refused()[0])

    def test_an_older_copy_is_retired(self):
        self.client.report(["west"])
        old = ldp.Client(self.region, state=self.client.state())
        self.client.report(["west"])
        self.client.flush(self.uploader)
        with self.assertRaises(ldp.Error) as caught:
            old.flush(self.uploader)
        self.assertEqual(caught.exception.code, ldp.Code.INCOMPATIBLE)
        self.assertEqual(self.counted(), 2)

    def test_a_partition_that_is_missing_passes(self):
        self.run_sql("SELECT ldp_create_collection('parted', %s, partition_by => 'round')", REGION)
        self.addCleanup(self.run_sql, "SELECT ldp_drop_collection('parted')")
        self.run_sql("SELECT ldp_open_rounds('parted', 0, 9)")
        table = self.run_sql("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'parted'::regclass")
        for (part,) in table:  # the one that takes what has no other
            self.run_sql(f"DROP TABLE {part}")
        client, uploader = ldp.Client(self.region), ldp.Uploader(self.connection, "parted")
        client.report(["west"])
        with self.assertRaises(psycopg2.Error) as caught:
            client.flush(uploader)
        self.assertEqual(caught.exception.pgcode, "LD002")
        self.assertEqual((client.pending, client.refused()), (1, []))
        self.run_sql("SELECT ldp_add_round_partitions('parted', 9)")
        self.assertEqual(client.flush(uploader).reports, 1)

    def test_what_passes_is_raised(self):
        self.client.report(["west"])
        other = psycopg2.connect("")
        self.addCleanup(other.close)
        with other.cursor() as cursor:
            cursor.execute("LOCK TABLE region")
            self.run_sql("SET lock_timeout = 100")
            self.addCleanup(self.run_sql, "RESET lock_timeout")
            with self.assertRaises(psycopg2.errors.LockNotAvailable):
                self.client.flush(self.uploader)
        other.rollback()
        self.assertEqual(self.client.flush(self.uploader).reports, 1)

    def test_answers(self):
        self.client.report_many({"region": ["north"] * 500 + ["south"] * 1500})
        self.client.flush(self.uploader)
        found = ldp.estimate(self.connection, "region", confidence=0.5)
        self.assertEqual(list(found["label"]), ["north", "east", "south", "west"])
        # Six standard errors, up or down: fewer than 1 of 10^8 for each of four.
        truth = [0.25, 0, 0.75, 0]
        self.assertTrue((abs(found["estimate"] - truth) < 6 * found["stderr"]).all())
        wider = ldp.estimate(self.connection, "region", confidence=0.9)
        self.assertTrue((wider["upper"] - wider["lower"] > found["upper"] - found["lower"]).all())
        with self.assertRaises(ldp.Error):
            ldp.estimate(self.connection, "region", **{"level => 1); --": 1})
        self.assertEqual(ldp.frame(self.connection, "SELECT %s + 1 AS two", (1,))["two"].tolist(), [2])

    def test_ends_of_budgets(self):
        spec = {"mechanism": "grr", "epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 2}}
        self.run_sql("SELECT ldp_create_collection('drift', %s)", json.dumps(spec))
        self.addCleanup(self.run_sql, "SELECT ldp_drop_collection('drift')")
        self.run_sql("SELECT ldp_open_rounds('drift', 0, 1)")
        drift = ldp.Collection(ldp.fetch_spec(self.connection, "drift"))
        for _ in range(30):
            client = ldp.Client(drift)
            origins = [client.report([value], round).origin for round, value in enumerate([0, 8])]
            self.assertEqual(origins, [ldp.Origin.DRAWN, ldp.Origin.NEAREST])
            self.assertEqual(client.spent().sum, 2)
            client.flush(ldp.Uploader(self.connection, "drift"))
        first, last = (ldp.estimate(self.connection, "drift", round=round) for round in (0, 1))
        self.assertTrue(first["note"].isna().all())
        self.assertTrue(last["note"].str.contains("of the people repeat earlier responses").all())

    def test_rows_in_other_forms(self):
        for form in psycopg2.extras.RealDictCursor, psycopg2.extras.DictCursor, psycopg2.extras.NamedTupleCursor:
            with self.subTest(form=form.__name__):
                connection = psycopg2.connect("", cursor_factory=form)
                self.addCleanup(connection.close)
                client = ldp.Client(ldp.Collection(ldp.fetch_spec(connection, "region")))
                client.report_many({"region": ["north"] * 30})
                self.assertEqual(client.flush(ldp.Uploader(connection, "region")).reports, 30)
                found = ldp.estimate(connection, "region")
                self.assertEqual(list(found["label"]), ["north", "east", "south", "west"])


class OtherDriver(unittest.TestCase):
    """Tests psycopg: the types of its results, and its attribute for the SQLSTATE."""

    def test_psycopg(self):
        import psycopg

        connection = psycopg.connect("")
        self.addCleanup(connection.close)
        answers._run(connection, "SELECT ldp_create_collection('region', %s::jsonb)", (REGION,))
        self.addCleanup(answers._run, connection, "SELECT ldp_drop_collection('region')", ())
        region = ldp.Collection(ldp.fetch_spec(connection, "region"))
        client, uploader = ldp.Client(region), ldp.Uploader(connection, "region")
        client.report_many({"region": ["north"] * 100})
        old = ldp.Client(region, state=client.state())
        client.report(["south"], round=7)  # which is not open
        sent = client.flush(uploader)
        self.assertEqual((sent.reports, sent.refused), (100, 1))
        self.assertIn("round 7 is not open", client.refused()[0])
        old.report(["south"])
        with self.assertRaises(ldp.Error) as caught:
            old.flush(uploader)
        self.assertEqual(caught.exception.code, ldp.Code.INCOMPATIBLE)
        found = ldp.estimate(connection, "region", confidence=0.9)
        self.assertEqual(found["n"].tolist(), [100] * 4)
        connection.row_factory = psycopg.rows.dict_row
        self.assertEqual(ldp.estimate(connection, "region", confidence=0.9).to_dict(), found.to_dict())
        self.assertEqual(ldp.Collection(ldp.fetch_spec(connection, "region")).fingerprint, region.fingerprint)
        with self.assertRaisesRegex(Exception, 'collection "nothing" does not exist'):
            ldp.fetch_spec(connection, "nothing")
        self.assertEqual(ldp.frame(connection, "SELECT 1 AS one")["one"].tolist(), [1])


class Encodings(unittest.TestCase):
    """Connections whose encoding is not UTF-8: names and values keep their characters, and the encoding stays."""

    def check(self, connection, encoding, of):
        spec = REGION.replace("south", "süd 東")
        answers._run(connection, "SELECT ldp_create_collection('größe 東', %s::jsonb, ARRAY[['straße', 'text']])", (spec,))
        self.addCleanup(answers._run, connection, "SELECT ldp_drop_collection('größe 東')", ())
        client = ldp.Client(ldp.Collection(ldp.fetch_spec(connection, "größe 東")))
        for _ in range(10):
            client.report(["süd 東"], columns={"straße": "Köln 東"})
        self.assertEqual(client.flush(ldp.Uploader(connection, "größe 東")).reports, 10)
        self.assertEqual(answers._run(connection, 'SELECT DISTINCT "straße" FROM "größe 東"', ())[1], [("Köln 東",)])
        self.assertIn("süd 東", ldp.estimate(connection, "größe 東")["label"].tolist())
        self.assertEqual(of(connection), encoding)

    def test_psycopg2(self):
        for encoding in ("LATIN1", "SQLASCII"):
            connection = psycopg2.connect("")
            self.addCleanup(connection.close)
            connection.set_client_encoding(encoding)
            self.check(connection, encoding, lambda found: found.encoding)
            self.doCleanups()

    def test_psycopg(self):
        import psycopg

        for encoding in ("LATIN1", "SQL_ASCII"):
            connection = psycopg.connect("", client_encoding=encoding)
            self.addCleanup(connection.close)
            self.check(connection, encoding, lambda found: found.info.parameter_status("client_encoding"))
            self.doCleanups()


if __name__ == "__main__":
    unittest.main()
