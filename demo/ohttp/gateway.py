"""A gateway of Oblivious HTTP (RFC 9458) in front of `ldp collect`.

    python3 gateway.py --new-key gateway.key >gateway.keys
    python3 gateway.py --listen 127.0.0.1:8443 --key gateway.key --serves https://ldp.example.org --endpoint http://127.0.0.1:8417

The first command creates the private key, and writes the key configuration for clients. The second command decapsulates requests to
the address --serves, and sends them to the endpoint. It serves no other address and only the paths of the delivery protocol.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import sys
import urllib.parse
from typing import Sequence

from binary_http import Malformed, RequestMessage, ResponseMessage
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from encapsulation import GatewayKey, Refused, decapsulate, encode_list
from plain_http import PostHandler, exchange, serve

METHODS = ("GET", "POST", "DELETE")
PATHS = re.compile(r"/collections/[!-~]+")

#: The fields that the delivery protocol uses. Other fields are dropped, because they could distinguish clients.
REQUEST_FIELDS = ("content-type", "if-none-match")
RESPONSE_FIELDS = ("content-type", "etag", "ldp-history", "ldp-receipt", "retry-after")

#: The response to a request that cannot be decapsulated. Its cause is not stated, because the requester may be anybody.
KEY_PROBLEM = json.dumps({"type": "https://iana.org/assignments/http-problem-types#ohttp-key",
                          "title": "key identifier unknown or message damaged"}).encode()


def answer(request: RequestMessage, serves: str, endpoint: str) -> ResponseMessage:
    """Returns the endpoint's response to a request, or a refusal that the endpoint has not received."""
    if f"{request.scheme}://{request.authority}" != serves or request.method not in METHODS or not PATHS.fullmatch(request.path):
        return ResponseMessage(403)
    fields = {name: request.fields[name] for name in REQUEST_FIELDS if name in request.fields}
    content = request.content if request.method == "POST" else None
    try:
        status, given, body = exchange(request.method, endpoint + request.path, fields, content)
    except (OSError, http.client.HTTPException):
        return ResponseMessage(502)
    return ResponseMessage(status, {name: given[name] for name in RESPONSE_FIELDS if name in given}, body)


def handler(keys: Sequence[GatewayKey], serves: str, endpoint: str) -> type[PostHandler]:
    class Gateway(PostHandler):
        def respond(self, content: bytes) -> tuple[int, str, bytes]:
            try:
                message, context = decapsulate(keys, content)
            except Refused:
                return 400, "application/problem+json", KEY_PROBLEM
            try:
                response = answer(RequestMessage.decode(message), serves, endpoint)
            except Malformed:
                response = ResponseMessage(400)
            return 200, "message/ohttp-res", context.seal_response(response.encode())

    return Gateway


def create_key(path: str, number: int) -> None:
    """Writes a new private key to a file that only its owner may read, and its configuration to standard output."""
    key = GatewayKey(number, X25519PrivateKey.generate())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key.line())
    sys.stdout.buffer.write(encode_list([key.configuration]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A gateway of Oblivious HTTP (RFC 9458) in front of ldp collect, for tests.")
    parser.add_argument("--new-key", metavar="FILE", help="create a private key, write its configuration, and end")
    parser.add_argument("--id", type=int, default=1, choices=range(256), metavar="0-255", help="identifier of the new key")
    parser.add_argument("--listen", metavar="HOST:PORT")
    parser.add_argument("--key", metavar="FILE", help="private keys, one on each line")
    parser.add_argument("--serves", metavar="URL", help="the address of the endpoint in the programs of clients")
    parser.add_argument("--endpoint", metavar="URL", help="the address of the endpoint for this gateway")
    chosen = parser.parse_args()
    if chosen.new_key:
        create_key(chosen.new_key, chosen.id)
    elif chosen.listen and chosen.key and chosen.serves and chosen.endpoint:
        with open(chosen.key) as file:
            private_keys = [GatewayKey.of_line(line) for line in file]
        serve(chosen.listen, handler(private_keys, chosen.serves.rstrip("/"), chosen.endpoint.rstrip("/")))
    else:
        parser.error("--new-key, or --listen, --key, --serves and --endpoint are needed")
