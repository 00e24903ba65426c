"""HTTP/1.1 for the sender, the relay and the gateway: one request on one connection."""

from __future__ import annotations

import http.client
import http.server
import socket
import sys
import urllib.parse
from typing import Mapping

#: The largest content of a message, in bytes. It exceeds the default of `ldp collect --largest`.
LARGEST = 2 << 20

#: The time limit of an exchange in seconds. It exceeds the time for which `ldp collect --hold-for` holds a batch.
TIMEOUT = 120.0


def exchange(method: str, url: str, fields: Mapping[str, str], content: bytes | None,
             timeout: float = TIMEOUT) -> tuple[int, dict[str, str], bytes]:
    """Sends one request and returns status, fields (in lower case) and content. Adds no field that identifies the sender.

    It follows no redirect and repeats nothing. Raises OSError or http.client.HTTPException if there is no complete response.
    """
    parts = urllib.parse.urlsplit(url)
    kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}[parts.scheme]
    connection = kind(parts.netloc, timeout=timeout)
    try:
        path = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in fields.items():
            connection.putheader(name, value)
        if content is not None:
            connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        response = connection.getresponse()
        body = response.read(LARGEST + 1)
        if len(body) > LARGEST:
            raise http.client.HTTPException("the response is too long")
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body
    finally:
        connection.close()


class PostHandler(http.server.BaseHTTPRequestHandler):
    """Serves POST requests of one media type. A subclass defines respond()."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    accepted = "message/ohttp-req"

    def respond(self, content: bytes) -> tuple[int, str, bytes]:
        """Returns status, media type and content of the response."""
        raise NotImplementedError

    def do_POST(self) -> None:
        self.close_connection = True
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != self.accepted:
            return self.finish_with(415, "", b"")
        if not (length.isascii() and length.isdecimal()):
            return self.finish_with(411, "", b"")
        if int(length) > LARGEST:
            return self.finish_with(413, "", b"")
        content = self.rfile.read(int(length))
        if len(content) == int(length):
            self.finish_with(*self.respond(content))

    def finish_with(self, status: int, kind: str, content: bytes) -> None:
        self.send_response_only(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Logs nothing."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = socket.SOMAXCONN

    def handle_error(self, request: object, client_address: object) -> None:
        """Logs the kind of an error only: a trace could contain addresses or content."""
        print(f"a request failed: {type(sys.exc_info()[1]).__name__}", file=sys.stderr, flush=True)


def serve(listen: str, handler: type[PostHandler]) -> None:
    """Serves until the process ends, and prints the address first. `listen` is HOST:PORT; port 0 is any free port."""
    host, _, port = listen.rpartition(":")
    server = Server((host, int(port)), handler)
    print(f"listening on http://{host}:{server.server_port}", flush=True)
    server.serve_forever()
