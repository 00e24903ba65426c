"""A sender of requests through Oblivious HTTP, for ldp.Endpoint(url, send=Sender(relay, keys))."""

from __future__ import annotations

import urllib.parse
from typing import Mapping

from binary_http import Malformed, RequestMessage, ResponseMessage
from encapsulation import Refused, encapsulate, first_supported
from plain_http import TIMEOUT, exchange


class RelayError(OSError):
    """No response of the gateway that can be decapsulated. The client sends the same batch again later."""


class Sender:
    """Sends each request as an encapsulated request to a relay.

    `relay` is the URL of the relay. `keys` is the list of the gateway's key configurations (application/ohttp-keys), which the
    program contains. A program that fetches the keys must verify that all people receive the same keys: a key for a single person
    would identify this person.
    """

    def __init__(self, relay: str, keys: bytes, *, timeout: float = TIMEOUT) -> None:
        self._relay = relay
        self._configuration = first_supported(keys)
        self._timeout = timeout

    def __call__(self, method: str, url: str, fields: Mapping[str, str], content: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        parts = urllib.parse.urlsplit(url)
        path = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        message = RequestMessage(method, parts.scheme, parts.netloc, path, fields, content or b"")
        request, context = encapsulate(self._configuration, message.encode())
        try:
            response = ResponseMessage.decode(context.open_response(self.relayed(request)))
        except (Refused, Malformed) as error:
            raise RelayError(str(error)) from error
        return response.status, response.fields, response.content

    def relayed(self, request: bytes) -> bytes:
        """Returns the encapsulated response to an encapsulated request."""
        status, fields, body = exchange("POST", self._relay, {"Content-Type": "message/ohttp-req"}, request, self._timeout)
        if status != 200 or fields.get("content-type") != "message/ohttp-res":
            raise RelayError(f"the relay or the gateway refused the encapsulated request (status {status})")
        return body
