"""Access to an endpoint (`ldp collect`) over HTTP, for devices without a connection to the database."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

from typing import Any, Callable, Mapping

from .client import Batch, Outcome, Undelivered
from .collection import Collection
from .contract import Terms
from .delivery import Action, Request, foreign_response, http_step, receipt, settled, spec_step
from .errors import Code, Error, escaped, says


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Disables redirects, so that the page of a captive portal is not taken for a response of the endpoint."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class _Response(http.client.HTTPResponse):
    """A response without the interim responses (1xx) before it."""

    def begin(self) -> None:
        for _ in range(16):
            super().begin()
            if not 100 <= self.status < 200:
                return
            self.headers = None  # type: ignore[assignment]  # begin() reads the next response
        raise http.client.HTTPException("too many interim responses")


class _PlainConnection(http.client.HTTPConnection):
    response_class = _Response


class _PlainHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_PlainConnection, req)


class _TlsConnection(http.client.HTTPSConnection):
    response_class = _Response


class _TlsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_TlsConnection, req)  # type: ignore[arg-type]  # typeshed expects a host only


#: The maximum size of a response in bytes. The longest response of an endpoint is a spec.
_MOST = 1 << 20

#: The maximum pause in seconds that an endpoint can ask for, as in the other clients.
_LONGEST_PAUSE = 3600.0

#: Seconds for which a missing collection may still be found: an endpoint looks for new collections every two seconds.
_FOUND_WITHIN = 5.0

#: Sends one request and returns the status, the header fields and the body of the response, whatever the status is. The
#: arguments are the method, the URL, the header fields and the body of the request, which is `None` for GET and DELETE. It
#: does not follow redirects, does not repeat the request, adds no identifying header fields, and raises OSError if there is no
#: complete response. The package checks the receipt and the size of the response, and repeats failed requests.
Send = Callable[[str, str, Mapping[str, str], "bytes | None"], "tuple[int, Mapping[str, str], bytes]"]

#: Returns the next action after a response with this status, body and receipt.
_Judge = Callable[[int, bytes, str], Action]


class Endpoint:
    """The address of an endpoint, such as "https://ldp.example.org". The address may contain a path.

    `timeout` is the maximum time of an attempt in seconds. It should exceed the time for which the endpoint holds batches.
    Temporary failures are retried for `retry_for` seconds (0: no retries), after random pauses of increasing length. A
    Retry-After header of the endpoint extends a pause.

    `send` replaces the sender of requests, for example by one through a relay, an anonymizing network or an HTTP library of the
    program (`Send`). It then applies a time limit of its own instead of `timeout`.
    """

    def __init__(self, url: str, *, timeout: float = 100, retry_for: float = 60, send: Send | None = None) -> None:
        if url.startswith(("localhost:", "127.0.0.1:", "[::1]:")):
            url = "http://" + url
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise Error(Code.INVALID_VALUE, f"{url!r} is no address of an endpoint", "", "It begins with https://.")
        self._url = url.rstrip("/")
        self._history = ""  # of the last response, or empty
        self._timeout = timeout
        self._retry_for = retry_for
        self._opener = urllib.request.build_opener(_NoRedirect, _PlainHandler, _TlsHandler)
        self._send = send or self._exchange

    def fetch_spec(self, collection: str) -> str:
        """Returns the spec of a collection, for Collection(…). Raises Error (ENVIRONMENT)."""
        failure: Error
        missing_since: float | None = None

        def judge(status: int, body: bytes, given: str) -> Action:
            nonlocal failure, missing_since
            right = given == receipt("GET", status, collection, content=body)
            failure = _refusal(f'fetching the spec of "{collection}"', status, body, right)
            if status == 404:
                now = time.monotonic()
                missing_since = missing_since or now
                if now - missing_since < _FOUND_WITHIN:
                    return Action.REPEAT
            return spec_step(status, right)

        body = self._request("GET", f"{_path(collection)}/spec", judge, lambda: failure)
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            raise Error(Code.ENVIRONMENT, f'fetching the spec of "{collection}": the response is not UTF-8',
                        said=_words(body)) from error

    def collection(self, collection: str, outside: str = "clamp", *, terms: Terms | None = None) -> Collection:
        """The collection of this name, with its source in the contract. Raises Error as fetch_spec() and Collection do."""
        return Collection(self.fetch_spec(collection), outside, terms=terms, endpoint=self._url, name=collection)

    def uploader(self, collection: str) -> HttpUploader:
        """A transport to a collection, for Client.flush."""
        return HttpUploader(self, collection)

    def _request(self, method: str, path: str, judge: _Judge, failure: Callable[[], Error],
                 content: bytes | None = None, kind: str = "application/octet-stream") -> bytes:
        """The body of the first answer that is judged final. Raises the failure that the judge noted, or one of its own."""
        # urllib would send its own name, with the version of Python.
        fields = {"Content-Type": kind, "User-Agent": "ldp"}
        until, pause = time.monotonic() + self._retry_for, 0.1
        while True:
            least = 0.0
            try:
                status, given, body = self._send(method, self._url + path, fields, content)
            except (OSError, http.client.HTTPException) as lost:  # no connection, or one that broke
                error = Error(Code.ENVIRONMENT, f"the endpoint cannot be reached: {escaped(str(lost))}", "",
                              "Repeat the call: a batch counts once, however often it is sent.")
                error.__cause__ = lost
            else:
                headers = {name.lower(): value for name, value in given.items()}
                if len(body) > _MOST:
                    raise Error(Code.ENVIRONMENT, "the response is too long", f"At most {_MOST} bytes are read.",
                                "Check the address of the endpoint.")
                self._history = headers.get("ldp-history", "")
                action = judge(status, body, headers.get("ldp-receipt", ""))
                if action not in (Action.REPEAT, Action.STOP):
                    return body
                error = failure()
                if action is Action.STOP:
                    raise error
                least = _pause(headers.get("retry-after", ""))
            wait = max(least, random.uniform(pause / 2, pause))
            if time.monotonic() + wait > until:
                raise error
            time.sleep(wait)
            pause = min(2 * pause, 10.0)

    def _exchange(self, method: str, url: str, fields: Mapping[str, str],
                  content: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        request = urllib.request.Request(url, content, dict(fields), method=method)
        # One byte more than an endpoint sends, so that a longer response is detected.
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return int(answer.status), dict(answer.headers.items()), answer.read(_MOST + 1)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, dict(refused.headers.items()), refused.read(_MOST + 1)


class HttpUploader:
    """Posts each batch under its id, so that it counts once even if it is sent repeatedly.

    Deliver all reports of a client before you switch between this transport and a database connection.
    """

    def __init__(self, endpoint: Endpoint, collection: str) -> None:
        self._endpoint = endpoint
        self._collection = collection
        #: The id of the server's history at the last delivery; empty if it is unknown.
        self.history = ""

    @property
    def destination(self) -> tuple[str, str]:
        """The address of the endpoint and the name of the collection."""
        return self._endpoint._url, self._collection

    def __call__(self, batch: Batch) -> bool:
        try:
            body, kind = batch.body()
        except Error as error:
            if error.code == Code.FULL:  # so it was never sent
                raise Undelivered(Outcome.TOO_LARGE, error.message) from error
            if error.code != Code.MALFORMED:
                raise
            outcome = self._send(Request.REVOKE, Outcome.REFUSED, batch)[1]
            return settled(outcome, error.message)
        action, outcome, why = self._send(Request.SUBMIT, Outcome.LATER, batch, body, kind)
        if action is Action.REVOKE:
            outcome = self._send(Request.REVOKE, outcome, batch)[1]
        return settled(outcome, "; ".join(part for part in (why.message, says(why.said)) if part))

    def _send(self, request: Request, so_far: Outcome, batch: Batch,
              posted: bytes | None = None, kind: str = "application/octet-stream") -> tuple[Action, Outcome, Error]:
        method, round = ("DELETE", 0) if request is Request.REVOKE else ("POST", batch.round)
        path = f"{_path(self._collection)}/batches/{batch.id}" + (f"?round={round}" if round else "")

        action, outcome = Action.STOP, so_far
        why: Error

        def judge(status: int, body: bytes, given: str) -> Action:
            nonlocal action, outcome, why
            right = given == receipt(method, status, self._collection, batch.id, round, posted or b"")
            why = _refusal(f'submitting to "{self._collection}"', status, body, right)
            action, outcome = http_step(request, outcome, status, right)
            if right:
                self.history = self._endpoint._history
            return action

        self._endpoint._request(method, path, judge, lambda: why, posted, kind)
        return action, outcome, why


def _path(collection: str) -> str:
    return "/collections/" + urllib.parse.quote(collection, safe="")


def _pause(header: str) -> float:
    """Returns the pause in the header Retry-After, in seconds; 0 for another form than a number of seconds."""
    seconds = header.strip()
    return min(float(seconds), _LONGEST_PAUSE) if seconds.isascii() and seconds.isdecimal() else 0.0


def _refusal(doing: str, status: int, body: bytes, right: bool) -> Error:
    """Returns the error of a failed request. The endpoint's body is JSON (RFC 9457); a proxy's body may be any text.

    The words of the body are in `said` alone, so that they are not taken for advice of this package.
    """
    foreign = foreign_response(status, right)
    what, hint = foreign if foreign is not None else ("the endpoint rejected the request", "")
    return Error(Code.ENVIRONMENT, f"{doing}: {what} (status {status})", "", hint, said=_words(body))


def _words(body: bytes) -> str:
    """Returns the words of a response for `Error.said`: the texts of a JSON problem, or the beginning of the body."""
    try:
        problem = json.loads(body)
        texts = [problem.get(key) for key in ("title", "detail", "hint")]
    except (ValueError, AttributeError, RecursionError):
        return escaped(body[:1000].decode("utf-8", "replace").strip())
    return escaped(". ".join(text.rstrip(". ") for text in texts if isinstance(text, str) and text.strip()))
