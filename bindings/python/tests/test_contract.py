"""The contract of a client: what was agreed at the first use, without a server."""

import json
import os
import tempfile
import unittest

import ldp
from test_client import Case, Server


def mood(question="How are you?", **more):
    return {"mechanism": "grr", "epsilon": 1, "title": "Moods", "evolving": {}, "budget": {"epsilon": 9},
            "attributes": [{"name": "mood", "domain": ["good", "bad"], "question": question}], **more}


class Contracts(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ldp-python.")
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "state.ldp")
        self.fleet = os.path.join(self.folder.name, "fleet.ldp")

    def senders(self, *arguments, **named):
        """A client and a fleet of this collection, each with a function that reports."""
        collection = ldp.Collection(*arguments, **named)
        client, fleet = ldp.Client(collection, self.path), ldp.Fleet(collection, self.fleet)
        return [(client, lambda: client.report(["good"])), (fleet, lambda: fleet.report("ann", ["good"]))]

    def test_terms(self):
        ldp.Collection(mood(), terms=ldp.Terms(epsilon=1, life_epsilon=2, attributes=["mood"], in_clear=[]))
        digest = ldp.Collection(mood(), terms=ldp.Terms(in_clear=[])).contract["digest"]
        for terms in (ldp.Terms(digest=digest), ldp.Terms(digest=digest[:16].upper())):
            self.assertEqual(ldp.Collection(mood(), terms=terms).contract["digest"], digest)
        for terms, words in ((ldp.Terms(epsilon=0.5), "report_epsilon"), (ldp.Terms(life_epsilon=1), "life_epsilon"),
                             (ldp.Terms(attributes=["age"]), '"mood"'), (ldp.Terms(attributes=[]), '"mood"'),
                             (ldp.Terms(digest="0" * 16), "digest")):
            error = self.fails(ldp.Code.INCOMPATIBLE, words, ldp.Collection, mood(), terms=terms)
            self.assertNotIsInstance(error, ldp.Changed)
        for terms in (ldp.Terms(epsilon=0), ldp.Terms(reports=-1), ldp.Terms(epsilon=float("nan")), ldp.Terms(attributes="mood"),
                      ldp.Terms(digest="a\0b")):
            self.fails(ldp.Code.INVALID_VALUE, "", ldp.Collection, mood(), terms=terms)

    def test_reports_of_a_life(self):
        fresh = {"mechanism": "grr", "epsilon": 1, "domain": 2}
        with ldp.Client(ldp.Collection(fresh, terms=ldp.Terms(reports=2)), self.path) as client:
            client.report([0])
            client.report([1])
            self.fails(ldp.Code.SPENT, "", client.report, [0])
            self.assertEqual(client.pending, 2)

    def test_columns_in_clear(self):
        client = ldp.Client(ldp.Collection(mood(), terms=ldp.Terms(in_clear=["country"])))
        client.report(["good"], columns={"country": "de"})
        with self.assertRaises(ldp.Error):
            client.report(["good"], columns={"town": "Ulm"})
        self.assertEqual(client.pending, 1)
        with self.assertRaises(ldp.Error):
            ldp.Client(ldp.Collection(mood())).report(["good"], columns={"mood": "good"})

    def test_the_first_offer_is_kept(self):
        for sender, report in self.senders(mood(), endpoint="https://a.example/", name="moods"):
            contract = sender.contract
            self.assertEqual((contract["changes"], contract["waiting"], contract["attributes"]), ([], None, ["mood"]))
            self.assertEqual((contract["endpoint"], contract["collection"]), ("https://a.example", "moods"))
            self.assertEqual(contract["spec"]["attributes"][0]["question"], "How are you?")
            self.assertIn("mood", sender.collection.summary)
            report()
            sender.close()
        # Another title is shown once.
        titled = mood(title="Health")
        for expected in ([("shown", "title")], []):
            for sender, report in self.senders(titled, endpoint="https://a.example", name="moods"):
                self.assertEqual([(one["kind"], one["field"]) for one in sender.contract["changes"]], expected)
                report()
                sender.close()
        # Another question, another endpoint and another name wait for an acceptance.
        others = ((mood("Are you ill?", title="Health"), "https://a.example", "moods", "attributes.mood.question"),
                  (titled, "https://b.example", "moods", "endpoint"), (titled, "https://a.example", "others", "collection"))
        for spec, endpoint, name, field in others:
            for sender, report in self.senders(spec, endpoint=endpoint, name=name):
                pending = sender.pending
                server = Server()
                for work in (report, lambda: sender.flush(server)):
                    with self.assertRaises(ldp.Changed) as caught:
                        work()
                    self.assertEqual([(one.kind, one.field) for one in caught.exception.changes], [("ask", field)])
                    self.assertEqual(caught.exception.code, ldp.Code.CHANGED)
                self.assertEqual((sender.pending, server.batches), (pending, []))
                self.assertRegex(sender.contract["waiting"], "^[0-9a-f]{64}$")
                self.fails(ldp.Code.INVALID_VALUE, "digest", sender.accept, "0" * 64)
                sender.close()
        for sender, report in self.senders(titled, endpoint="https://a.example", name="moods"):
            report()
            sender.close()
        for sender, report in self.senders(others[0][0], endpoint="https://a.example", name="moods"):
            sender.accept(sender.contract["waiting"])
            self.assertIsNone(sender.contract["waiting"])
            report()
            sender.close()
        for sender, report in self.senders(others[0][0], endpoint="https://a.example", name="moods"):
            self.assertIsNone(sender.contract["waiting"])
            if isinstance(sender, ldp.Client):
                self.assertEqual(len(sender.ledger()), 1)
            sender.close()

    def test_reports_go_to_the_destination_that_was_agreed(self):
        here, there = Server(), Server()
        here.destination, there.destination = ("https://a.example/", "moods"), ("https://b.example", "moods")
        for sender, report in self.senders(mood()):
            report()
            sender.flush(here)
            self.assertEqual(sender.contract["endpoint"], "https://a.example")
            report()
            with self.assertRaises(ldp.Changed) as caught:
                sender.flush(there)
            self.assertEqual([(one.kind, one.field) for one in caught.exception.changes], [("ask", "endpoint")])
            self.assertEqual(there.batches, [])
            sender.flush(here)  # the agreed destination needs no acceptance
            report()
            with self.assertRaises(ldp.Changed):
                sender.flush(there)
            sender.accept(sender.contract["waiting"])
            self.assertEqual(sender.flush(there).reports, 1)
            there.batches.clear()
            sender.close()

    def test_a_server_that_was_set_back_is_said_once(self):
        server = Server()
        for sender, report in self.senders(mood()):
            for history, said in (("00000000000000aa", False), ("00000000000000aa", False), ("", False),
                                  ("00000000000000bb", True), ("00000000000000bb", False)):
                report()
                server.history = history
                if said:
                    self.fails(ldp.Code.ENVIRONMENT, "the server was restored from an older state or replaced since the last delivery",
                               sender.flush, server)
                else:
                    sender.flush(server)
                self.assertEqual(sender.pending, 0)
            sender.close()

    def test_the_person_limits_all_collections(self):
        fresh = {"mechanism": "grr", "epsilon": 1, "domain": 2}
        for ledger in (ldp.Ledger(), ldp.Ledger(os.path.join(self.folder.name, "ledger.ldp"))):
            ledger.limit(2.5)
            one, other = (ldp.Client(ldp.Collection({**fresh, "domain": size}), ledger=ledger) for size in (2, 3))
            one.report([0])
            other.report([0])
            self.fails(ldp.Code.SPENT, "the budget of all collections of the person is spent", one.report, [1])
            self.assertEqual((one.pending, other.pending), (1, 1))
            self.assertEqual(sorted(account.at_most for account in ledger.accounts()), [1, 1])
            self.fails(ldp.Code.INVALID_VALUE, "positive epsilon", ledger.limit, 0)
            self.fails(ldp.Code.INVALID_VALUE, "empty", ledger.limit, 1, "")
        with_limits = ldp.Ledger()
        with_limits.limit(3, "acme")
        again = ldp.Ledger(state=with_limits.state())
        group = {**fresh, "budget": {"group": "acme", "epsilon": 4}}
        client = ldp.Client(ldp.Collection(group), ledger=again)
        self.fails(ldp.Code.INCOMPATIBLE, "two budgets", client.report, [0])

    def test_a_state_in_memory_has_the_contract(self):
        client = ldp.Client(ldp.Collection(mood()))
        client.report(["good"])
        again = ldp.Client(ldp.Collection(mood("Are you ill?")), state=client.state())
        with self.assertRaises(ldp.Changed):
            again.report(["good"])
        again.accept(again.contract["waiting"][:16])
        self.assertEqual(again.report(["good"]).origin, ldp.Origin.MEMOIZED)
        self.assertEqual(json.loads(json.dumps(again.contract))["waiting"], None)


if __name__ == "__main__":
    unittest.main()
