"""Delivery over HTTP: doc/protocol.md."""

from __future__ import annotations

import hashlib
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .errors import Refused

RECEIPT = "Ldp-Receipt"
EMPTY = b""
PAUSE = 0.2  # seconds between two requests for a spec


def receipt(method: str, status: int, name: str, batch: str = "", round_: int = 0, content: bytes = EMPTY) -> str:
    """Returns the receipt of a response ("Receipts"): 64 hexadecimal digits.

    `batch` is the UUID, empty for GET. `content` is the posted body or the content of the response; it is left out for
    DELETE and for the status 413.
    """
    if method == "DELETE" or status == 413:
        content = EMPTY
    shown_round = round_ if method == "POST" else 0
    digest = hashlib.sha256(content).hexdigest()
    lines = ["ldp receipt 1", method, str(status), batch.lower(), str(shown_round), digest, name]
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


class Step(Enum):
    """What a client does after a response ("Rule for clients")."""

    COUNTED = "the batch is counted: delete its reports"
    REVOKE = "send DELETE for the id"
    SPLIT = "the batch was not counted: send its reports under other ids"
    OLDER_COPY = "this client is an older copy of its state"
    REPEAT = "repeat the request after a pause"
    STOP = "stop until an operator intervenes"


@dataclass(frozen=True)
class Response:
    """A response of an endpoint, or of something between. Status 0: no response."""

    status: int
    has_receipt: bool


def next_step(method: str, response: Response, before: Response | None = None, cause: int = 0) -> Step:
    """Returns what follows a response to POST or DELETE.

    `before` is the preceding response to the same request. `cause` is the status that made the client send DELETE.
    """
    status, sure = response.status, response.has_receipt
    if method == "POST" and sure and status in (200, 201):
        return Step.COUNTED
    if method == "POST" and sure and status in (400, 409, 413, 422):
        return Step.REVOKE
    if method == "POST" and status == 413 and before is not None and before.status == 413:
        return Step.REVOKE
    if method == "DELETE" and sure and status == 204:
        return Step.SPLIT
    if method == "DELETE" and sure and status == 409:
        return Step.OLDER_COPY if cause == 409 else Step.COUNTED
    unsure = status in (400, 409, 413, 422) or 200 <= status < 300
    if status in (0, 302, 303, 307, 408, 425, 429) or (status >= 500 and status not in (501, 505)):
        return Step.REPEAT
    return Step.REPEAT if unsure and not sure else Step.STOP


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class Endpoint:
    """An endpoint of `ldp collect`."""

    def __init__(self, address: str, name: str, timeout: float = 30) -> None:
        """Takes the address without a path, the name of the collection, and the time limit of a request in seconds."""
        self.name, self.timeout = name, timeout
        self.base = f"{address.rstrip('/')}/collections/{urllib.parse.quote(name, safe='')}"
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _request(self, method: str, path: str, body: bytes | None, kind: str = "") -> tuple[int, str, bytes]:
        """Returns status, receipt and content of a response. Without a response, the status is 0."""
        request = urllib.request.Request(self.base + path, data=body, method=method)
        if kind:
            request.add_header("Content-Type", kind)
        try:
            with self._open(request) as answer:
                return answer.status, answer.headers.get(RECEIPT, ""), answer.read()
        except (OSError, http.client.HTTPException):
            return 0, "", EMPTY

    def _open(self, request: urllib.request.Request) -> Any:
        """Returns the response with any status."""
        try:
            return self._opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as answer:
            return answer

    def spec(self, patience: float = 5) -> dict[str, Any]:
        """Returns the canonical spec. A response without the endpoint's receipt is refused.

        The request is repeated for `patience` seconds, because an endpoint finds a new collection within seconds.
        """
        until = time.monotonic() + patience
        while True:
            status, shown, content = self._request("GET", "/spec", None)
            if status == 200 and shown == receipt("GET", 200, self.name, content=content):
                break
            if status not in (0, 200, 404, 429, 503) or time.monotonic() >= until:
                raise Refused(f"no spec from the endpoint (status {status})")
            time.sleep(PAUSE)
        result = json.loads(content)
        if not isinstance(result, dict):
            raise Refused("the spec is no JSON object")
        return result

    def post(
        self, batch: uuid.UUID, content: bytes, round_: int = 0, columns: dict[str, str] | None = None
    ) -> Response:
        """Posts a batch, with values of public columns that apply to all of its reports."""
        kind = "application/octet-stream"
        if columns is not None:
            kind = "application/vnd.ldp.batch"
            content = columns_text(columns).encode("utf-8") + b"\n" + content
        status, shown, _ = self._request("POST", f"/batches/{batch}?round={round_}", content, kind)
        return Response(status, shown == receipt("POST", status, self.name, str(batch), round_, content))

    def revoke(self, batch: uuid.UUID) -> Response:
        """Revokes the id of a batch."""
        status, shown, _ = self._request("DELETE", f"/batches/{batch}", None)
        return Response(status, shown == receipt("DELETE", status, self.name, str(batch)))


def columns_text(columns: dict[str, str]) -> str:
    """Returns values of public columns as text: no spaces, keys in byte order (doc/formats.md, "Over HTTP")."""

    def text(value: str) -> str:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(f"\\u{ord(c):04x}" if c < " " else c for c in escaped) + '"'

    ordered = sorted(columns.items(), key=lambda item: item[0].encode("utf-8"))
    return "{" + ",".join(f"{text(key)}:{text(value)}" for key, value in ordered) + "}"
