"""Collections and clients, without a server."""

import datetime
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import ldp

REGION = {"mechanism": "grr", "epsilon": 1,
          "attributes": [{"name": "region", "domain": ["north", "east", "south", "west"]}]}
PERSON = {"mechanism": "sampled", "epsilon": 2, "per_report": 1, "attributes": [
    {"name": "wage", "min": 0, "max": 100, "mechanism": "optimal"},
    {"name": "town", "mechanism": "grr", "domain": ["Köln", "Ulm", "other", "none"], "other": "other", "missing_label": "none"}]}
MOVING = {"mechanism": "l_grr", "epsilon": 2, "report_epsilon": 1, "domain": 4, "evolving": {},
          "budget": {"epsilon": 4, "when_spent": "stop"}}
BRAND = {"mechanism": "strings", "epsilon": 4, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z", "max_length": 6}}]}
SERIES = {"mechanism": "ddrm", "epsilon": 2, "domain": 4, "rounds": 8, "changes": 2}


class Server:
    """A transport that counts the batches and returns the given results."""

    def __init__(self, *answers):
        self.answers = list(answers)  # then True
        self.batches = []

    def __call__(self, batch):
        self.batches.append(batch)
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        return answer


class Case(unittest.TestCase):
    def fails(self, code, text, work, *arguments, **named):
        with self.assertRaises(ldp.Error) as caught:
            work(*arguments, **named)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(text, str(caught.exception))
        return caught.exception


class Collections(Case):
    def test_what_it_tells(self):
        person = ldp.Collection(PERSON)
        self.assertEqual(person.names, ["wage", "town"])
        self.assertEqual(person.spec["epsilon"], 2)
        self.assertRegex(person.fingerprint, "^[0-9a-f]{64}$")
        self.assertEqual(ldp.Collection(person.json).fingerprint, person.fingerprint)
        self.assertEqual(len(person.perturb([12, "Ulm"])), person.report_size)
        self.assertIn("sampled of wage, town", repr(person))

    def test_texts(self):
        spec = {"mechanism": "grr", "epsilon": 1, "title": "Moods", "people_asked": {"0": 5}, "attributes": [
            {"name": "mood", "domain": ["-", "+"], "question": "How are you?", "scale": "ordered", "display": {"-": "schlecht \u00fc"}}]}
        mood = ldp.Collection(spec)
        self.assertEqual(mood.texts, {"title": "Moods", "people_asked": {"0": 5}, "attributes": {
            "mood": {"question": "How are you?", "scale": "ordered", "display": {"-": "schlecht \u00fc"}}}})
        self.assertEqual(mood.spec["attributes"][0]["question"], "How are you?")
        self.assertEqual(ldp.Collection(PERSON).texts, {})
        self.fails(ldp.Code.INVALID_SPEC, '"title" must be a text', ldp.Collection, {**spec, "title": "a\nb"})

    def test_open_choices(self):
        for spec in ({"mechanism": "auto", "epsilon": 1, "domain": 4},
                     {"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3}]}):
            with self.assertRaises(ldp.Error) as caught:
                ldp.Collection(spec)
            self.assertEqual(caught.exception.code, ldp.Code.INVALID_SPEC)
            self.assertIn("leaves a choice open", str(caught.exception))
            self.assertIn("ldp spec resolve", str(caught.exception.hint))
            self.assertIn("ldp_spec_info", str(caught.exception.hint))

    def test_vectors(self):
        day = ldp.Collection({"mechanism": "sampled", "epsilon": 1, "per_report": 1, "attributes": [
            {"name": "mood", "domain": ["bad", "good"], "mechanism": "grr"},
            {"name": "hours", "vector": ["am", "pm"], "min": 0, "max": 12, "mechanism": "duchi_vector"}]})
        self.assertEqual(day.names, ["mood", "hours.am", "hours.pm"])
        for record in ({"mood": "bad", "hours": [1, 2]}, {"mood": "bad", "hours": {"pm": 2, "am": 1}},
                       {"mood": "bad", "hours.am": 1, "hours.pm": 2}, ["bad", 1, 2], ["bad", [1, 2]]):
            self.assertEqual(len(day.perturb(record)), day.report_size)
        self.fails(ldp.Code.INVALID_VALUE, "wrong number of elements", day.perturb, {"mood": "bad", "hours": [1]})
        self.fails(ldp.Code.INVALID_VALUE, "1 is not a vector", day.perturb, {"mood": "bad", "hours": 1})
        self.fails(ldp.Code.INVALID_VALUE, 'there is no "hours.pm"', day.perturb, {"mood": "bad", "hours": {"am": 1}})
        self.fails(ldp.Code.INVALID_VALUE, "wrong number of values", day.perturb, ["bad", [1]])
        self.fails(ldp.Code.INVALID_VALUE, "wrong number of values", day.perturb, ["bad", {"am": 1, "pm": 2}])
        client = ldp.Client(day)
        client.report({"mood": "good", "hours": [13, -1]})
        self.assertEqual(client.clamped(), {"mood": 0, "hours.am": 1, "hours.pm": 1})
        self.assertEqual(client.report_many({"mood": ["bad", "good"], "hours": [[1, 2], [3, 4]]}), 2)
        self.fails(ldp.Code.INVALID_VALUE, "wrong number of elements", client.report_many,
                   {"mood": ["bad", "good"], "hours": [[1], [3]]})

    def test_what_it_refuses(self):
        self.fails(ldp.Code.MALFORMED, "JSON", ldp.Collection, "{")
        self.fails(ldp.Code.INVALID_SPEC, "epsilon", ldp.Collection, {"mechanism": "grr", "epsilon": 0, "domain": 4})
        self.fails(ldp.Code.INVALID_VALUE, "outside must be", ldp.Collection, REGION, outside="ignore")
        self.fails(ldp.Code.INVALID_VALUE, "UTF-8", ldp.Collection, "\udcff")
        self.fails(ldp.Code.INVALID_VALUE, "outside the range",
                   ldp.Collection({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 1}, outside="refuse").perturb, [2])

    def test_records(self):
        person = ldp.Collection(PERSON)
        for record in ({"wage": 1, "town": "Ulm"}, [1, "Köln"], (1.5, None), {"wage": 3, "town": float("nan")}):
            self.assertEqual(len(person.perturb(record)), person.report_size)
        bad = ldp.Code.INVALID_VALUE
        self.fails(bad, 'there is no "town"', person.perturb, {"wage": 1})
        self.fails(bad, "None for a missing label", person.perturb, {"wage": 1})
        # None is not proposed where it is refused.
        self.fails(bad, "None or NaN for a missing number", person.perturb, {"town": "Ulm"})
        self.fails(bad, 'add "missing": true', person.perturb, {"town": "Ulm", "wage": None})
        self.fails(bad, "wrong number", person.perturb, [1])
        self.fails(bad, 'no attribute "hiv", "name"', person.perturb, {"wage": 1, "hiv": 1, "town": "Ulm", "name": "x"})
        self.fails(bad, "True is not a value", person.perturb, [True, "Ulm"])
        self.fails(bad, "is not a value", person.perturb, [b"1", "Ulm"])
        self.fails(bad, "is no record", person.perturb, "Ulm")
        self.fails(bad, '"1" is not a value of "wage"', person.perturb, ["1", "Ulm"])
        self.fails(bad, 'add "missing": true', person.perturb, [float("nan"), "Ulm"])
        self.fails(bad, "UTF-8", person.perturb, [1, "\ud800"])
        self.fails(bad, '"a\\x00b" is not a value', ldp.Collection(REGION).perturb, ["a\0b"])


    def test_strings(self):
        brand = ldp.Collection(BRAND)
        for record in ({"brand": "acme"}, ["toolong"], [None], [float("nan")], [""]):
            self.assertEqual(len(brand.perturb(record)), brand.report_size)
        bad = ldp.Code.INVALID_VALUE
        self.fails(bad, '"Acme" is not a value of "brand"', brand.perturb, ["Acme"])
        self.fails(bad, "1 is not a value", brand.perturb, [1])
        self.fails(bad, "too long", ldp.Collection(BRAND, outside="refuse").perturb, ["toolong"])
        with ldp.Client(brand) as client:
            self.assertEqual(client.report(["acme"]).clamped, 0)
            self.assertEqual(client.report(["toolong"]).clamped, 1)


class Clients(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ldp-python.")
        self.addCleanup(self.folder.cleanup)
        self.region = ldp.Collection(REGION)

    def file(self):
        return os.path.join(self.folder.name, "state.ldp")

    def test_one_record_per_round(self):
        path = os.path.join(self.folder.name, "once.ldp")
        for life in range(2):
            with ldp.Client(self.region, path, once_per_round=True) as client:
                origins = [client.report(["north"], round=round).origin for round in (0, 0, -5, 70, 70)]
                expected = [ldp.Origin.DRAWN if new and life == 0 else ldp.Origin.IGNORED for new in (1, 0, 1, 1, 0)]
                self.assertEqual((origins, client.pending), (expected, 3))
                self.fails(ldp.Code.UNSUPPORTED, "one record per round", client.report_many, [["north"]])
        with ldp.Client(self.region) as client:
            self.assertEqual([client.report(["north"]).origin for _ in range(2)], [ldp.Origin.DRAWN] * 2)
        path = os.path.join(self.folder.name, "fleet.ldp")
        with ldp.Fleet(self.region, path, once_per_round=True) as fleet:
            self.assertEqual(fleet.report_many([["north"]] * 3, ["a", "b", "a"], 1), 3)
            fleet.report("b", ["east"], 1)
            self.assertEqual(fleet.pending, 2)

    def test_one_budget_over_two_collections(self):
        group = {"group": "acme", "epsilon": 3}
        one = ldp.Collection({"mechanism": "grr", "epsilon": 2, "domain": 2, "budget": group})
        two = ldp.Collection({"mechanism": "grr", "epsilon": 1, "domain": 2, "budget": group})
        path = os.path.join(self.folder.name, "ledger.ldp")
        with ldp.Client(one) as client:
            self.fails(ldp.Code.UNSUPPORTED, 'no ledger of the group "acme"', client.report, [0])
        for ledger in (ldp.Ledger(), ldp.Ledger(path)):
            with ldp.Client(one, ledger=ledger) as client, ldp.Client(two, ledger=ledger) as other:
                client.report([0])
                self.fails(ldp.Code.SPENT, "1 of 3 is left", client.report, [0])
                other.report([1])
                self.fails(ldp.Code.SPENT, 'group "acme" is spent', other.report, [1])
                self.assertEqual((client.pending, other.pending), (1, 1))
            self.assertEqual({(a.group, a.epsilon, a.spent, a.at_most) for a in ledger.accounts()},
                             {("acme", 3, 2, 2), ("acme", 3, 1, 1)})
        again = ldp.Ledger(path)
        with ldp.Fleet(two, os.path.join(self.folder.name, "fleet.ldp"), ledger=again) as fleet:
            fleet.report_many([[0]] * 3, ["ann"] * 3)
            self.fails(ldp.Code.SPENT, "0 of 3 is left", fleet.report, "ann", [0])
            fleet.report("bob", [0])
        self.assertEqual([a.spent for a in again.accounts() if a.person], [3, 1])
        memory = ldp.Ledger()
        with ldp.Client(one, ledger=memory) as client:
            client.report([0])
        self.assertEqual(ldp.Ledger(state=memory.state()).accounts(), memory.accounts())
        self.fails(ldp.Code.ENVIRONMENT, "damaged", ldp.Ledger, state=memory.state()[:-1])
        self.fails(ldp.Code.UNSUPPORTED, "file", again.state)

    def test_reports_are_kept_and_sent(self):
        with ldp.Client(self.region, self.file()) as client:
            self.assertEqual(client.report({"region": "south"}), ldp.Receipt(ldp.Origin.DRAWN, 0, 0))
            self.assertEqual(client.report_many([{"region": "west"}, ["east"]], round=3), 2)
            self.assertEqual(client.pending, 3)
            self.fails(ldp.Code.ENVIRONMENT, "", ldp.Client, self.region, self.file())
            self.fails(ldp.Code.UNSUPPORTED, "file", client.state)
        self.fails(ldp.Code.ENVIRONMENT, "closed", client.report, ["south"])
        with ldp.Client(self.region, self.file()) as client:
            lost = Server(ConnectionError("gone"))
            with self.assertRaises(ConnectionError):
                client.flush(lost)
            server = Server(False)
            self.assertEqual(client.flush(server), ldp.Flushed(2, 3, 1, 0))
            self.assertEqual([batch.round for batch in server.batches], [0, 3])
            self.assertEqual([len(batch.reports) for batch in server.batches], [1, 2])
            self.assertEqual(lost.batches[0], server.batches[0])
            self.assertEqual(server.batches[0].fingerprint, self.region.fingerprint)
            self.assertEqual(client.pending, 0)
        self.fails(ldp.Code.INCOMPATIBLE, "another spec", ldp.Client, ldp.Collection(PERSON), self.file())

    def test_many_or_none(self):
        client = ldp.Client(ldp.Collection(PERSON))
        error = self.fails(ldp.Code.INVALID_VALUE, "record 1: ", client.report_many, [[1, "Ulm"], ["x", "Ulm"], [1, "Ulm"]])
        self.assertEqual(error.record, 1)
        self.assertEqual(client.pending, 0)
        self.assertEqual(client.report_many([]), 0)
        self.assertEqual(client.report_many({"wage": [200, 5], "town": ["Bonn", None]}), 2)
        self.assertEqual(client.clamped(), {"wage": 1, "town": 1})
        self.fails(ldp.Code.INVALID_VALUE, "different lengths", client.report_many, {"wage": [1], "town": []})
        self.fails(ldp.Code.INVALID_VALUE, "32-bit", client.report, [1, "Ulm"], round=2**31)
        self.fails(ldp.Code.INVALID_VALUE, "at least 1", client.flush, Server(), most=-1)

    def test_what_the_server_refuses(self):
        client = ldp.Client(self.region)
        client.report_many([["north"]] * 2)
        refused = ldp.Undelivered(ldp.Outcome.REFUSED, "not you, \udcff")
        self.assertEqual(client.flush(Server(refused, refused)).refused, 1)
        self.assertEqual(client.refused(), ["not you, ?"])
        self.assertEqual(client.requeue_refused(), 1)
        self.fails(ldp.Code.ENVIRONMENT, "rejects all reports: not you", client.flush, Server(refused))
        self.assertEqual(client.drop_refused(), 1)
        client.report(["north"])
        self.fails(ldp.Code.INCOMPATIBLE, "another copy of the store", client.flush, Server(ldp.Undelivered(ldp.Outcome.OUTDATED, "known")))
        self.assertEqual(client.refused(), ["known"])
        client.report(["north"])
        self.assertEqual(client.flush(Server()).reports, 1)

    def test_memory(self):
        moving = ldp.Collection(MOVING)
        client = ldp.Client(moving)
        origins = [client.report([value], round).origin for round, value in enumerate([1, 1, 2, 1])]
        self.assertEqual(origins, [ldp.Origin.DRAWN, ldp.Origin.MEMOIZED, ldp.Origin.DRAWN, ldp.Origin.MEMOIZED])
        self.assertEqual([client.report([value]).origin for value in (3, 1)], [ldp.Origin.SILENT, ldp.Origin.SILENT])
        self.assertEqual(client.ledger(), [ldp.PermanentResponse(2, 0), ldp.PermanentResponse(2, 2)])
        spent = client.spent()
        self.assertEqual((spent.responses, spent.max_responses, spent.sum, spent.least), (2, 2, 4, 4))
        again = ldp.Client(moving, state=client.state())
        self.assertEqual(again.ledger(), client.ledger())
        self.assertEqual(again.pending, 4)
        self.fails(ldp.Code.ENVIRONMENT, "damaged", ldp.Client, moving, state=client.state()[:-1])
        self.fails(ldp.Code.INVALID_VALUE, "not both", ldp.Client, moving, self.file(), state=client.state())
        self.fails(ldp.Code.UNSUPPORTED, "ledger", ldp.Client(self.region).ledger)
        self.fails(ldp.Code.UNSUPPORTED, "series", ldp.Client(ldp.Collection(SERIES)).report_many, [[1]])

    def test_threads_wait_for_each_other(self):
        client = ldp.Client(self.region)
        threads = [threading.Thread(target=lambda: [client.report(["west"]) for _ in range(500)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(client.pending, 2000)

    def test_a_transport_leaves_the_client_alone(self):
        client = ldp.Client(self.region)
        client.report(["west"])
        self.fails(ldp.Code.ENVIRONMENT, "being flushed", client.flush, lambda batch: client.close())
        self.fails(ldp.Code.ENVIRONMENT, "being flushed", client.flush, lambda batch: client.flush(Server()))
        self.assertEqual(client.flush(Server()).reports, 1)

    def test_a_forked_process_has_no_client(self):
        client = ldp.Client(self.region, self.file())

        def child(answers):
            try:
                client.report(["west"])
                answers.put("it reported")
            except ldp.Error as error:
                answers.put(error.message)

        context = multiprocessing.get_context("fork")
        answers = context.Queue()
        process = context.Process(target=child, args=(answers,))
        process.start()
        self.assertEqual(answers.get(timeout=60), "the client was made in another process")
        process.join()
        self.fails(ldp.Code.ENVIRONMENT, "", ldp.Client, self.region, self.file())  # it holds its lock still
        client.report(["west"])
        self.assertEqual(client.pending, 1)

    def test_a_process_that_is_killed_loses_nothing(self):
        work = ("import ldp, os, sys; client = ldp.Client(ldp.Collection(sys.argv[1]), sys.argv[2]);\n"
                "for i in range(1000):\n    client.report(['west']); print(i, flush=True)\n"
                "    if i == 20: os.kill(os.getpid(), 9)")
        run = subprocess.run([sys.executable, "-c", work, self.region.json, self.file()], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout.split()[-1]), (-9, "20"))
        self.assertEqual(ldp.Client(self.region, self.file()).pending, 21)


class PublicColumns(Case):
    def test_a_batch_has_one_set_of_columns(self):
        server, client = Server(), ldp.Client(ldp.Collection(REGION))
        client.report(["west"], columns={"country": "de", "version": 12})
        client.report(["west"])
        client.report(["east"], columns={"version": "12", "country": "de"})
        client.report(["east"], columns={"seen": datetime.date(2026, 11, 24), "beta": True, "nothing": None})
        again = ldp.Client(client.collection, state=client.state())
        self.assertEqual(again.flush(server), ldp.Flushed(3, 4, 0, 0))
        self.assertEqual([(batch.columns, len(batch.reports)) for batch in server.batches],
                         [({"country": "de", "version": "12"}, 2), ({}, 1), ({"beta": "true", "seen": "2026-11-24"}, 1)])

    def test_bodies(self):
        bodies = []

        def transport(batch):
            bodies.append((*batch.body(), batch.frame()))
            return True

        client = ldp.Client(ldp.Collection(REGION))
        client.report(["west"], columns={"country": "dé"})
        client.report(["west"])
        client.flush(transport)
        (columned, kind, frame), (plain, octets, same) = bodies
        self.assertEqual((columned, kind), ('{"country":"dé"}\n'.encode() + frame, "application/vnd.ldp.batch"))
        self.assertEqual((plain, octets), (same, "application/octet-stream"))

    def test_one_value_for_each_record(self):
        server, client = Server(), ldp.Client(ldp.Collection(REGION))
        records = [["west"], ["east"], ["west"], ["west"]]
        self.assertEqual(client.report_many(records, columns={"country": ["de", "fr", None, "de"], "version": 3}), 4)
        client.flush(server)
        self.assertEqual(sorted((batch.columns.get("country", ""), batch.columns["version"], len(batch.reports))
                                for batch in server.batches), [("", "3", 1), ("de", "3", 2), ("fr", "3", 1)])
        try:
            import pandas
        except ImportError:
            return
        frame = pandas.DataFrame({"country": ["de", "fr", None, "de"], "version": [3, 3, 3, 4]})
        self.assertEqual(client.report_many(records, columns=frame[["country", "version"]]), 4)
        self.assertEqual(client.report_many(records, columns=frame[[]]), 4)
        client.flush(server)
        self.assertEqual(sorted((batch.columns.get("country", ""), batch.columns.get("version", "")) for batch in server.batches[3:]),
                         [("", ""), ("", "3"), ("de", "3"), ("de", "4"), ("fr", "3")])
        error = self.fails(ldp.Code.INVALID_VALUE, "mars", client.report_many, [["west"], ["east"], ["mars"]],
                           columns={"country": ["de", "fr", "fr"]})
        self.assertEqual((error.record, client.pending), (2, 0))
        self.fails(ldp.Code.INVALID_VALUE, "each of 2 records", client.report_many, records, columns={"country": ["de", "fr"]})

    def test_what_it_refuses(self):
        client = ldp.Client(ldp.Collection(REGION))
        for columns, text in (({"": "de"}, "empty"), ({"country": "x" * 1025}, "too long"), ({"country": "a\0b"}, "text"),
                              ({"country": "\ud800"}, "UTF-8"), ({"country": ["de"]}, "list"), ({"country": {}}, "dict"),
                              ({"a\0b": "de"}, "name"), ({3: "de"}, "name"), ({f"c{i}": "1" for i in range(101)}, "too many")):
            with self.subTest(columns=str(columns)[:40]):
                self.fails(ldp.Code.INVALID_VALUE, text, client.report, ["west"], columns=columns)
        self.assertEqual(client.pending, 0)


class Fleets(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "fleet.ldp")
        self.moving = ldp.Collection(MOVING)

    def test_a_panel(self):
        people, rounds = 20, 5
        who = [f"p{i}" for _ in range(rounds) for i in range(people)]
        when = [t for t in range(1, rounds + 1) for _ in range(people)]
        records = [[i % 4] for _ in range(rounds) for i in range(people)]
        countries = ["de" if i % 2 else "fr" for _ in range(rounds) for i in range(people)]
        server = Server()
        with ldp.Fleet(self.moving, self.path) as fleet:
            self.assertEqual(fleet.report_many(records, who, when, columns={"country": countries}), people * rounds)
            self.assertEqual((fleet.pending, fleet.people), (people * rounds, people))
            self.fails(ldp.Code.ENVIRONMENT, "in use", ldp.Fleet, self.moving, self.path)
        with ldp.Fleet(self.moving, self.path) as fleet:
            self.assertEqual(fleet.flush(server), ldp.Flushed(2 * rounds, people * rounds, 0, 0))
            self.assertEqual({batch.round for batch in server.batches}, set(range(1, rounds + 1)))
            self.assertEqual({batch.columns["country"] for batch in server.batches}, {"de", "fr"})
            # Each person has drawn one of two responses: the third value ends the person's reports.
            fleet.report("p1", [2], 6)
            fleet.report("p1", [1], 7, columns={"country": "de"})
            fleet.report("p1", [3], 8)
            fleet.report("p1", [1], 9)
            self.assertEqual((fleet.pending, fleet.people), (2, people))
        self.fails(ldp.Code.ENVIRONMENT, "closed", fleet.report, "p1", [1])

    def test_all_or_none(self):
        fleet = ldp.Fleet(self.moving, self.path)
        self.addCleanup(fleet.close)
        error = self.fails(ldp.Code.INVALID_VALUE, "", fleet.report_many, [[0], [1], [9]], ["a", "b", "c"], 1)
        self.assertEqual((error.record, fleet.pending, fleet.people), (2, 0, 0))
        for records, who, when in (([[0]], ["a", "b"], 1), ([[0]], ["a"], [1, 2])):
            self.fails(ldp.Code.INVALID_VALUE, "differ in number", fleet.report_many, records, who, when)
        self.fails(ldp.Code.INVALID_VALUE, "empty", fleet.report, "", [0])
        self.fails(ldp.Code.INVALID_VALUE, "name of a person", fleet.report, "a\0b", [0])
        self.fails(ldp.Code.INVALID_VALUE, "name of a person", fleet.report, 7, [0])
        self.fails(ldp.Code.INVALID_VALUE, "out of range", fleet.report, "a", [0], 2**31)
        self.assertEqual(fleet.report_many([], [], []), 0)
        fleet.report("a", [0], 1)
        self.assertEqual(fleet.pending, 1)

    def test_series(self):
        fleet = ldp.Fleet(ldp.Collection(SERIES), self.path)
        self.addCleanup(fleet.close)
        fleet.report_many([[i % 4] for _ in range(8) for i in range(30)], [f"p{i}" for _ in range(8) for i in range(30)],
                          [t for t in range(1, 9) for _ in range(30)])
        self.assertGreaterEqual(fleet.pending, 30)
        self.fails(ldp.Code.INVALID_VALUE, "round 8 is over", fleet.report, "p0", [0], 8)
        fleet.close()
        self.fails(ldp.Code.INCOMPATIBLE, "spec", ldp.Fleet, self.moving, self.path)


if __name__ == "__main__":
    unittest.main()
