"""An endpoint over HTTP, `ldp collect`: what devices send to, which have no connection to a database."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

from .client import Batch, Undelivered, Verdict
from .errors import Code, Error

# Another time it may be: too many requests, and a proxy or an endpoint that waits for what is behind it.
_PASSING = (429, 502, 503, 504)
_VERDICTS = {400: Verdict.REFUSED, 422: Verdict.REFUSED, 413: Verdict.TOO_LARGE, 409: Verdict.OUTDATED}


class Endpoint:
    """Where it is, such as "https://ldp.example.org"; in front of a path all of it is kept.

    An attempt ends after `timeout` seconds without an answer, which should be more than an endpoint holds batches back. What
    passes is tried again for `patience` seconds (0: not at
    all), after pauses of random length that grow, or as long as the endpoint says.
    """

    def __init__(self, url: str, *, timeout: float = 100, patience: float = 60) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise Error(Code.INVALID_VALUE, f"{url!r} is no address of an endpoint", "", "It begins with https://.")
        self._url = url.rstrip("/")
        self._timeout = timeout
        self._patience = patience

    def fetch_spec(self, collection: str) -> str:
        """The spec of a collection, for Collection(…). Raises Error (ENVIRONMENT)."""
        status, body = self._request("GET", f"{_path(collection)}/spec")
        if status != 200:
            raise _refusal(f'fetching the spec of "{collection}"', status, body)
        return body.decode()

    def uploader(self, collection: str) -> HttpUploader:
        """A carrier to a collection, for Client.flush."""
        return HttpUploader(self, collection)

    def _request(self, method: str, path: str, content: bytes | None = None) -> tuple[int, bytes]:
        request = urllib.request.Request(self._url + path, content,
                                         # urllib would send its own name, with the version of Python.
                                         {"Content-Type": "application/octet-stream", "User-Agent": "ldp"},
                                         method=method)
        until, pause = time.monotonic() + self._patience, 0.1
        while True:
            least = 0.0
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                    return int(answer.status), answer.read()
            except urllib.error.HTTPError as refused:
                with refused:
                    status, body = refused.code, refused.read()
                if status not in _PASSING:
                    return status, body
                after = refused.headers.get("Retry-After", "")
                least = float(after) if after.isdigit() else 0.0
                failure: Exception = _refusal(f"{method} {path}", status, body)
            except (OSError, http.client.HTTPException) as lost:  # no connection, or one that broke
                failure = Error(Code.ENVIRONMENT, f"the endpoint cannot be reached: {lost}", "",
                                "Repeat the call: a batch counts once, however often it is sent.")
                failure.__cause__ = lost
            wait = max(least, random.uniform(pause / 2, pause))
            if time.monotonic() + wait > until:
                raise failure
            time.sleep(wait)
            pause = min(2 * pause, 10.0)


class HttpUploader:
    """Posts each batch under its id, so that however often it is sent, it counts once.

    What was begun through a database connection must not go on here, nor the reverse, before all of it is delivered.
    """

    def __init__(self, endpoint: Endpoint, collection: str) -> None:
        self._endpoint = endpoint
        self._collection = collection

    def __call__(self, batch: Batch) -> bool:
        doing = f'submitting to "{self._collection}"'
        path = f"{_path(self._collection)}/batches/{batch.id}"
        try:
            frame = batch.frame()
        except Error as error:
            if error.code == Code.FULL:  # so it was never sent
                raise Undelivered(Verdict.TOO_LARGE, error.message) from error
            if error.code != Code.MALFORMED:
                raise
            return self._give_up(doing, path, Verdict.REFUSED, error)
        status, body = self._endpoint._request("POST", path + (f"?round={batch.round}" if batch.round else ""), frame)
        if status in (200, 201):
            return status == 201
        failure = _refusal(doing, status, body)
        if status not in _VERDICTS:
            raise failure
        return self._give_up(doing, path, _VERDICTS[status], failure)

    def _give_up(self, doing: str, path: str, verdict: Verdict, why: Error) -> bool:
        """This attempt was refused; an earlier one, whose end nobody saw, may have been counted, or be on its way still.

        Once the endpoint has its id for void, neither is possible.
        """
        status, body = self._endpoint._request("DELETE", path)
        if status == 204:
            # An id that stands for another batch cannot be made void: this one was, before.
            raise Undelivered(Verdict.REFUSED if verdict is Verdict.OUTDATED else verdict, why.message) from why
        if status != 409:
            raise _refusal(doing, status, body)
        if verdict is Verdict.OUTDATED:
            raise Undelivered(verdict, why.message) from why
        return False


def _path(collection: str) -> str:
    return "/collections/" + urllib.parse.quote(collection, safe="")


def _refusal(doing: str, status: int, body: bytes) -> Error:
    """What an endpoint says of a failure: JSON as RFC 9457 has it. A proxy in front of it may say anything."""
    try:
        told = json.loads(body)
        title, detail, hint = (str(told.get(key, "")) for key in ("title", "detail", "hint"))
    except (ValueError, AttributeError):
        title, detail, hint = "", repr(body[:200]) if body else "", ""
    return Error(Code.ENVIRONMENT, f"{doing}: {title or 'the endpoint refuses it'} (status {status})", detail, hint)
