"""The Python package as a program of verbs: reads them as JSON lines, and answers each with one."""

import json
import sys

import ldp


class Session:
    def open(self, url, collection, state, terms=None, accept=None, record=None):
        terms = ldp.Terms(**terms) if terms is not None else None
        self.endpoint = ldp.Endpoint(url, timeout=10, retry_for=0.5)
        found = self.endpoint.collection(collection, terms=terms)
        self.uploader = self.endpoint.uploader(collection)
        ledger = ldp.Ledger(state + ".ledger") if "group" in found.contract else None
        self.client = ldp.Client(found, state, ledger=ledger)
        if accept:
            self.client.accept(self.client.contract["waiting"])
        return {"changes": self.client.contract["changes"], "fingerprint": found.fingerprint}

    def report(self, record, round=0, columns=None):
        return {"origin": self.client.report(record, round, columns=columns or None).origin.name.lower()}

    def flush(self, url=None, collection=None, accept=False):
        uploader = self.uploader
        if url:
            uploader = ldp.Endpoint(url, timeout=10, retry_for=0.5).uploader(collection)
        try:
            sent = self.client.flush(uploader)
        except ldp.Changed:
            if not accept:
                raise
            self.client.accept(self.client.contract["waiting"])
            sent = self.client.flush(uploader)
        return {"reports": sent.reports, "refused": sent.refused}

    def contract(self):
        return self.client.contract

    def spent(self):
        try:
            spent = self.client.spent().sum
        except ldp.Error:
            spent = None
        return {"spent": spent, "pending": self.client.pending}

    def close(self):
        client, self.client = getattr(self, "client", None), None
        if client is not None:
            client.close()
        return {}


def main():
    session = Session()
    for line in sys.stdin:
        call = json.loads(line)
        verb = call.pop("verb")
        try:
            answer = {"ok": True, **getattr(session, verb)(**call)}
        except ldp.Error as error:
            changed = error.code == ldp.Code.CHANGED
            answer = {"ok": False, "code": "changed" if changed else error.code.name.lower(), "message": error.message,
                      "detail": error.detail, "hint": error.hint, "said": error.said}
        print(json.dumps(answer), flush=True)


main()
