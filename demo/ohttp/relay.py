"""A relay of Oblivious HTTP (RFC 9458): it forwards encapsulated requests to one gateway, without the addresses of clients.

    python3 relay.py --listen 127.0.0.1:8444 --gateway http://127.0.0.1:8443

With --log, it writes what the operator of a relay can record: address, and sizes of request and response.
"""

from __future__ import annotations

import argparse
import http.client
import sys

from plain_http import PostHandler, exchange, serve


def handler(gateway: str, log: bool) -> type[PostHandler]:
    class Relay(PostHandler):
        def respond(self, content: bytes) -> tuple[int, str, bytes]:
            try:
                status, fields, body = exchange("POST", gateway, {"Content-Type": self.accepted}, content)
            except (OSError, http.client.HTTPException):
                status, fields, body = 502, {}, b""
            if log:
                print(f"{self.client_address[0]} {len(content)} {status} {len(body)}", file=sys.stderr, flush=True)
            return status, fields.get("content-type", ""), body

    return Relay


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A relay of Oblivious HTTP (RFC 9458), for tests.")
    parser.add_argument("--listen", required=True, metavar="HOST:PORT")
    parser.add_argument("--gateway", required=True, metavar="URL")
    parser.add_argument("--log", action="store_true", help="log address, size of the request, status and size of the response")
    chosen = parser.parse_args()
    serve(chosen.listen, handler(chosen.gateway, chosen.log))
