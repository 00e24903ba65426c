#!/usr/bin/env python3
"""Runs every row of mutations.json against the clients that are named, and checks the verdict and six invariants after each.

    harness.py CLIENT...      CLIENT is command, c, python or js; ROWS=id,id runs some rows

A row changes the honest offer (`patch`, a merge patch) or the answers of the endpoint (`answers`). "when" is the moment.

In "first", it is the first contact of a client, under the terms of the row. In "later", it follows an honest contact with a
report. In "flush", the answers are those to the reports of an honest contact. In "offline", it is one contact after an honest
one; then the endpoint is down. With "host" or "name", the later contact is at another address, or of another collection. In
"moved", the reports of a second honest contact are sent to another address or collection, which a last contact accepts. In
"set_back", the server has another history from a second contact on.

The verdicts are same, shown, ask and refuse. With "shown", the client goes on and says so. With "ask", it neither draws nor
sends until the digest of the new contract is accepted. A row may have other verdicts for some clients, in "except", with the
reason in "why".
"""

import hashlib
import itertools
import json
import os
import random
import re
import shutil
import sys
import tempfile

import clients
from endpoint import Endpoint, merged

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NAME = "moods here"
#: Words of the server, which are in no text of a client but as a quotation.
SERVER_WORD = "zwyx"
HEADERS = {"host", "accept", "accept-encoding", "accept-language", "connection", "content-length", "content-type", "user-agent",
           "sec-fetch-mode", "cache-control", "pragma"}
TRACKING = {"cookie", "if-none-match", "if-modified-since", "referer", "origin", "authorization", "range"}


class Failed(Exception):
    pass


def require(true, what):
    if not true:
        raise Failed(what)


class Cells:
    """The cells of people's files: tokens that occur nowhere else."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.all = []

    def token(self):
        self.all.append("".join(self.random.choice("bcdfghjklmnpqrst") for _ in range(12)))
        return self.all[-1]

    def rows(self, count, moods):
        return [{"mood": self.random.choice(moods), "hiv": self.token(), "full_name": self.token(), "income": self.token()}
                for _ in range(count)]


def offer_of(base, moods, changes):
    """The offer of a base under a patch. The patch has attributes by their names."""
    if "min" not in base["spec"]["attributes"]["mood"]:
        base = merged(base, {"spec": {"attributes": {"mood": {"domain": moods}}}})
    return published(merged(base, changes))


def published(offer):
    """The offer as an endpoint serves it: attributes are a list."""
    spec = dict(offer["spec"])
    if isinstance(spec.get("attributes"), dict):
        spec["attributes"] = [{"name": name, **attribute} for name, attribute in spec["attributes"].items()]
    return {**offer, "spec": spec}


def content(folder):
    """A digest of every file of a client."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".csv", "-wal", "-shm", "-journal")):
                continue
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(os.path.join(path, name), folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


class Case:
    """A row with one client."""

    def __init__(self, row, bases, client, endpoint, number):
        self.row, self.client, self.endpoint = row, client, endpoint
        self.cells = Cells(number)
        base = bases[row.get("base", "fresh")]
        self.moods = [1, 2, 3] if row.get("base") == "number" else [self.cells.token() for _ in range(4)]
        self.remembers = row.get("base") in ("memory", "group")
        self.honest = offer_of(base, self.moods, {})
        patch = json.loads(json.dumps(row.get("patch", {})).replace("$MOOD", str(self.moods[0])).replace("$SECOND", str(self.moods[1])))
        self.hostile = offer_of(base, self.moods, patch)
        self.folder = tempfile.mkdtemp(prefix="ldp-hostile.")
        self.round = itertools.count(1)
        self.texts = []
        self.seen = []

    def session(self, offer, answers=(), terms=None, rows=1, accept=False, again=False, round=None, wide=False, moved=False,
                to=None):
        """One contact. Returns (verdict, result)."""
        row = self.row
        self.endpoint.begin(offer, answers)
        people = None if again else self.cells.rows(rows, self.moods)
        options = {"remembers": self.remembers, "grouped": row.get("base") == "group"} if self.client.name == "command" else {}
        if again and self.client.name != "command":
            people = []
        if to:
            options["to"] = to
        terms = row.get("terms") if terms is None else terms
        try:
            host, name = (row.get("host", "127.0.0.1"), row.get("name", NAME)) if moved else ("127.0.0.1", NAME)
            result = self.client.session(self.endpoint.url.replace("127.0.0.1", host), name, self.folder, terms, people,
                                         next(self.round) if round is None else round,
                                         accept, row.get("columns"), wide, **options)
            verdict = "shown" if result.get("changes") else "same"
            self.texts += [result.get("words", ""), json.dumps(result.get("changes", []))]
        except clients.Refused as error:
            result, verdict = {"code": error.code, "texts": error.texts}, "ask" if error.code == "changed" else "refuse"
            self.texts += error.texts
            require(SERVER_WORD not in error.hint, f"a word of the server is in a hint: {error.hint!r}")
        self.seen += self.endpoint.requests
        return verdict, result

    def honestly(self, what, **options):
        verdict, result = self.session(self.honest, terms={}, **options)
        require(verdict == "same", f"{what}: the honest offer gets the verdict {verdict}: {result}")
        return result

    def reports(self):
        return [each for each in self.endpoint.counted() if each[0] in (NAME, self.row.get("name"))]

    def run(self):
        getattr(self, self.row["when"])()
        self.check_secrets()

    def expect(self):
        return self.row.get("except", {}).get(self.client.name, self.row["expect"])

    def settled(self, verdict, result, before, counted):
        """The verdict, and what a refusal must leave alone."""
        expect = self.expect()
        require(verdict == expect, f"the verdict is {verdict}, not {expect}: {result}")
        if verdict in ("ask", "refuse"):
            require(len(self.reports()) == counted, "a refused offer got reports")
            require(not any(method == "POST" for method, *_ in self.endpoint.requests), "a refused offer got a batch")
            after = content(self.folder)
            changed = [name for name in before if before[name] != after.get(name)]
            require(not changed, f"a refusal changed {changed}")
        elif self.row.get("reports", True):
            require(len(self.reports()) > counted, "an allowed offer got no report")

    def first(self):
        verdict, result = self.session(self.hostile, self.row.get("answers", ()), wide=self.row.get("wide", False))
        self.settled(verdict, result, {}, 0)
        if verdict in ("ask", "refuse"):
            self.honestly("after a refusal")

    def later(self):
        opened = self.honestly("first contact")
        before, counted = content(self.folder), len(self.reports())
        verdict, result = self.session(self.hostile, self.row.get("answers", ()), moved=True)
        self.settled(verdict, result, before, counted)
        if verdict in ("ask", "refuse"):
            after = self.honestly("after a refusal")
            if opened.get("spent") is not None:
                require(after["spent"] <= opened["spent"] + 1 + 1e-9, f"a refusal cost {after['spent']}")
        if verdict == "ask":
            digest = self.digest_of(result)
            verdict, result = self.session(self.hostile, accept=digest, moved=True)
            require(verdict in ("same", "shown"), f"an accepted offer gets the verdict {verdict}: {result}")
            verdict, result = self.session(self.hostile, moved=True)
            require(verdict in ("same", "shown"), f"an accepted offer gets the verdict {verdict} later: {result}")

    def digest_of(self, result):
        found = re.search(r"\b(?:[0-9a-f]{4} ){3}[0-9a-f]{4}\b|\b[0-9a-f]{64}\b", "\n".join(result["texts"]))
        return found[0] if found else True

    def flush(self):
        """The honest offer, and other answers to its batches."""
        verdict, result = self.session(self.honest, self.row["answers"], rows=3, round=1)
        expect = self.expect()
        require(verdict == expect, f"the verdict is {verdict}, not {expect}: {result}")
        require(len(self.reports()) <= 3, "a report was counted twice")
        lost = self.row.get("lost", 0)  # reports that the server refused for good, or said it has counted
        # The command says of a file whose reports were refused that it was submitted (exit code 3); nothing is drawn again.
        if not (lost and self.client.name == "command"):
            self.honestly("afterwards", again=True, round=1)
        require(len(self.reports()) == 3 - lost, f"{len(self.reports())} of 3 reports were counted")
        result = self.honestly("a further round", rows=1)
        require(len(self.reports()) == 4 - lost, "a further report was not counted")

    def moved(self):
        self.honestly("first contact")
        counted = len(self.endpoint.counted())
        to = {"url": self.endpoint.url.replace("127.0.0.1", self.row["to"].get("host", "127.0.0.1")),
              "collection": self.row["to"].get("name", NAME)}
        verdict, result = self.session(self.honest, terms={}, to=to)
        require(verdict == self.expect(), f"the verdict is {verdict}, not {self.expect()}: {result}")
        require(not any(method == "POST" for method, *_ in self.endpoint.requests), "another destination got a batch")
        self.honestly("after a refusal", rows=0, again=True)
        require(len(self.endpoint.counted()) == counted + 1, "the refused report was not sent to the honest destination")
        verdict, result = self.session(self.honest, terms={}, to=to, accept=True)
        require(verdict in ("same", "shown"), f"an accepted destination gets the verdict {verdict}: {result}")
        require(len(self.endpoint.counted()) == counted + 2, "an accepted destination got no report")

    def set_back(self):
        self.honest["history"], counted = "00000000000000aa", 0
        for history, expect in (("00000000000000aa", "same"), ("00000000000000aa", "same"),
                                ("00000000000000bb", self.expect()), ("00000000000000bb", "same")):
            self.honest["history"] = history
            verdict, result = self.session(self.honest, terms={})
            counted += 1
            require(verdict == expect, f"the verdict is {verdict}, not {expect}: {result}")
            require(len(self.reports()) == counted, "a report was not counted")
            said = any("the server was restored from an older state or replaced since the last delivery" in text for text in result.get("texts", []))
            require(said == (expect == "refuse"), f"the client says otherwise: {result}")

    def offline(self):
        self.honestly("first contact")
        before, counted = content(self.folder), len(self.reports())
        verdict, result = self.session(self.hostile)
        self.settled(verdict, result, before, counted)
        self.endpoint.down = True
        try:
            verdict, result = self.session(self.honest)
            require(result.get("code") == "environment" and len(self.reports()) == counted, f"the endpoint is down: {result}")
        finally:
            self.endpoint.down = False
        self.honestly("the endpoint is back", rows=0, again=True)
        require(len(self.reports()) == counted + 1, "a report of the time without a connection is not there")

    def check_secrets(self):
        declared = set(self.row.get("columns", {}).values())
        wire = b"\n".join(" ".join([method, path, *(f"{name}: {value}" for name, value in headers.items())]).encode() + body
                          for method, path, headers, body in self.seen)
        names = "\n".join(name for name in content(self.folder))
        for token in self.cells.all:
            require(token in declared or token.encode() not in wire, "a cell of the file was sent")
            require(token not in names, "a cell of the file is in the name of a state")
            if token not in self.moods:  # a text may quote the labels of the spec
                require(not any(token in text for text in self.texts), "a cell of the file is in a message")
        for _, path, headers, _ in self.seen:
            sent = {name.lower() for name in headers}
            require(not sent & TRACKING, f"the request has {sent & TRACKING}")
            require(not sent - HEADERS, f"the request has {sent - HEADERS}")
        ids = [found[0] for _, path, _, _ in self.seen for found in [re.search(r"[0-9a-f-]{36}", path)] if found]
        require(not any(a != b and a[:12] == b[:12] for a in set(ids) for b in set(ids)), "batch ids have a common beginning")
        require(not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e]", "".join(self.texts)),
                "a text has control characters")
        agreed = None
        # A file of the command has a store of its own, so an accepted contract may have another spec.
        bound = self.expect() == "refuse" or (self.expect() == "ask" and self.client.name != "command")
        for fingerprint in {fingerprint for _, _, _, fingerprint, _ in self.reports()} if bound else ():
            require(agreed in (None, fingerprint), "reports have several fingerprints")
            agreed = fingerprint


def started(name):
    stage = os.path.join(ROOT, "build", "stage", "usr", "local")
    library = os.environ.get("LDP_LIBRARY") or os.path.join(stage, "lib", "libldp.so.1")
    if name == "command":
        return clients.Command(os.path.realpath(os.environ.get("LDP", os.path.join(ROOT, "build", "bin", "ldp"))))
    if name == "python":
        return clients.Program(name, [sys.executable, os.path.join(HERE, "driver.py")],
                               {"PYTHONPATH": os.path.join(ROOT, "bindings", "python"), "LDP_LIBRARY": library,
                                "PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "*"})
    if name == "js":
        return clients.Program(name, ["node", os.path.join(HERE, "driver.mjs")], {})
    return clients.Program(name, [os.environ["LDP_C_DRIVER"]], {"LD_LIBRARY_PATH": os.path.dirname(library)})


def expanded(rows):
    """The rows, with one for each element of a key "each": a list of answers, or a patch."""
    for row in rows:
        if "each" not in row:
            yield row
        for number, one in enumerate(row.get("each", ()), 1):
            yield {**row, "id": f"{row['id']}-{number}", "answers" if isinstance(one, list) else "patch": one}


def main(names):
    with open(os.path.join(HERE, "mutations.json")) as file:
        table = json.load(file)
    table["rows"] = list(expanded(table["rows"]))
    chosen = set(filter(None, os.environ.get("ROWS", "").split(",")))
    endpoint = Endpoint()
    passed = failed = 0
    for name in names:
        client = started(name)
        for number, row in enumerate(table["rows"]):
            if (chosen and row["id"] not in chosen) or name not in row.get("clients", ["command", "c", "python", "js"]):
                continue
            endpoint.batches.clear()
            endpoint.void.clear()
            case = Case(row, table["bases"], client, endpoint, number)
            try:
                case.run()
                passed += 1
            except Failed as why:
                failed += 1
                print(f"FAILED: {name}, {row['id']}: {why}")
            except AssertionError as why:
                failed += 1
                print(f"FAILED: {name}, {row['id']}: {why}")
                client = started(name)
            finally:
                shutil.rmtree(case.folder, ignore_errors=True)
        client.end()
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
