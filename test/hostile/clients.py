"""The clients under test, behind the same verbs: open, report, flush, contract, spent and close."""

import csv
import json
import os
import re
import subprocess


class Refused(Exception):
    """A verb that failed: its code and its texts."""

    def __init__(self, code, texts, hint):
        super().__init__(code, texts)
        self.code, self.texts, self.hint = code, texts, hint


class Program:
    """A client in a program of its own, which takes verbs as JSON lines."""

    def __init__(self, name, command, environment):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})

    def call(self, verb, **arguments):
        self.process.stdin.write(json.dumps({"verb": verb, **arguments}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"{self.name}: the program ended in {verb}")
        answer = json.loads(line)
        if not answer.pop("ok"):
            texts = [answer["message"], answer["detail"], answer["hint"], answer["said"]]
            raise Refused(answer["code"], texts, answer["hint"])
        return answer

    def session(self, url, collection, folder, terms, rows, round, accept=False, columns=None, wide=False,
                to=None):
        """Opens the state, reports the rows and flushes, if `to` is given, to another endpoint or collection. Returns what
        happened."""
        try:
            opened = self.call("open", url=url, collection=collection, state=os.path.join(folder, "state"), terms=terms,
                               accept=accept and not to)
            for row in rows:
                self.call("report", record=row if wide else {"mood": row["mood"]}, round=round, columns=columns or {})
            sent = self.call("flush", **(to or {}), **({"accept": True} if accept and to else {}))
            return {**opened, **sent, **self.call("spent")}
        finally:
            self.call("close")

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


class Command:
    """The command: a session is a run of ldp submit with a file of its own."""

    name = "command"

    def __init__(self, ldp):
        self.ldp = ldp

    def session(self, url, collection, folder, terms, rows, round, accept=False, columns=None, wide=False, remembers=False, grouped=False):
        number = len([name for name in os.listdir(folder) if name.endswith(".csv")])
        path = os.path.join(folder, f"people{number}.csv")
        again = rows is None  # the file of the last run
        if again:
            path = os.path.join(folder, f"people{number - 1}.csv")
        else:
            with open(path, "w", newline="") as file:
                writer = csv.DictWriter(file, ["who", "wave", *rows[0]])
                writer.writeheader()
                writer.writerows({"who": f"person{i}", "wave": round, **row} for i, row in enumerate(rows))
        options = ["--to", url, "--collection", collection, "--retry-for", "1"]
        options += ["--person", "who", "--round", "wave"] if remembers else ["--round", str(round)]
        options += ["--ledger", os.path.join(folder, "ledger")] if grouped else []
        terms = terms or {}
        for key, option in (("epsilon", "--at-most-epsilon"), ("life_epsilon", "--at-most-total"), ("digest", "--contract")):
            if key in terms:
                options += [option, str(terms[key])]
        for name in columns or {}:
            options += ["--public", name]
        if accept:
            options += ["--accept", accept]
        done = subprocess.run([self.ldp, "submit", *options, path], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "XDG_STATE_HOME": os.path.join(folder, "home"), "HOME": folder}, cwd=folder)
        words = done.stderr
        if done.returncode != 0:
            hints = re.findall(r"^hint: (.*(?:\n(?!\w+: ).*)*)", words, re.M)
            code = {6: "changed"}.get(done.returncode, f"exit {done.returncode}")
            raise Refused(code, [words, done.stdout], "\n".join(hints))
        return {"words": words, "changes": re.findall(r"^.*: before .*, now .*$", words, re.M)}

    def end(self):
        pass
