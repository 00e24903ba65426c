"""An endpoint whose every answer is the test's: what a hostile owner, a database, or anyone on the path may say to a client."""

import gzip
import hashlib
import http.server
import json
import re
import socket
import struct
import threading
import urllib.parse


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def receipt(method, status, collection, batch="", round=0, content=b""):
    """As doc/protocol.md describes it."""
    return sha256("\n".join(["ldp receipt 1", method, str(status), batch, str(round), sha256(content), collection]).encode())


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


def unpacked(kind, body):
    """The public columns, the fingerprint and the payloads of a batch in the short form (doc/formats.md)."""
    columns = {}
    if kind == "application/vnd.ldp.batch":
        head, _, body = body.partition(b"\n")
        columns = json.loads(head)
    fingerprint, count = struct.unpack_from("<8sI", body, 2)
    payloads = body[14:]
    size = len(payloads) // count if count else 0
    return columns, fingerprint, [payloads[i * size:(i + 1) * size].hex() for i in range(count)]


class Endpoint(http.server.ThreadingHTTPServer):
    """Serves `offer` as `ldp collect` does, or answers with `answers`, and records every request."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.down = False
        self.begin({})
        self.batches, self.void = {}, set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def begin(self, offer, answers=()):
        """Serves this offer from now on. An answer may have a number of times after which it ends."""
        with self.lock:
            self.offer = offer
            self.answers = [dict(answer) for answer in answers]
            self.requests = []

    def counted(self):
        """The reports that were counted: (collection, round, columns, fingerprint, payload)."""
        with self.lock:
            return [(name, round, columns, fingerprint, payload)
                    for name, round, kind, body in self.batches.values()
                    for columns, fingerprint, payloads in [unpacked(kind, body)] for payload in payloads]

    def answer_to(self, method, path):
        """The next answer that replaces the endpoint's own."""
        kind = "columns" if path.endswith("/columns") else "spec" if path.endswith("/spec") else method
        for answer in self.answers:
            if kind in answer.get("to", ["POST", "DELETE"]) and answer.get("times", 1 << 30) > 0:
                answer["times"] = answer.get("times", 1 << 30) - 1
                return answer
        return None

    def answer_first(self, method):
        """Whether an answer replaces the endpoint's own to this request."""
        return any(method in answer.get("to", ["POST", "DELETE"]) and answer.get("times", 1) > 0 for answer in self.answers)

    def handle_error(self, request, address):
        pass  # a client that hangs up


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.respond(b"")

    def do_POST(self):
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
        self.respond(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    do_DELETE = do_POST

    def respond(self, body):
        server = self.server
        with server.lock:
            server.requests.append((self.command, self.path, dict(self.headers.items()), body))
            if server.down:
                answer, own = {"hang_up": True}, (0, b"", {})
            else:
                own = self.own(body)
                answer = server.answer_to(self.command, urllib.parse.urlsplit(self.path).path)
        status, content, headers = own
        if answer is None:
            return self.send(status, content, headers)
        if answer.get("hang_up"):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return None
        status = answer.get("status", status)
        if "body" in answer:
            content = answer["body"].encode() if isinstance(answer["body"], str) else json.dumps(answer["body"]).encode()
        if "gzip" in answer:
            content = gzip.compress(b" " * answer["gzip"])
        if "size" in answer:
            content = content.ljust(answer["size"])
        headers = {name: value for name, value in headers.items() if name != "Ldp-Receipt"}
        if answer.get("receipt"):
            headers["Ldp-Receipt"] = self.receipt(status, body if self.command != "GET" else content)
        headers.update({name: str(value) for name, value in answer.get("headers", {}).items()})
        return self.send(status, content, headers, answer)

    def receipt(self, status, content):
        path = urllib.parse.urlsplit(self.path)
        name, batch = self.target(path.path)
        round = int(urllib.parse.parse_qs(path.query).get("round", ["0"])[0])
        return receipt(self.command, status, name, batch, round, content)

    def target(self, path):
        found = re.fullmatch(r".*/collections/([^/]+)/(?:(?:spec|columns)|batches/([0-9a-f-]{36}))", path)
        return (urllib.parse.unquote(found[1]), found[2] or "") if found else ("", "")

    def own(self, body):
        """What the endpoint itself answers: the status, the content and the headers."""
        server, parts = self.server, urllib.parse.urlsplit(self.path)
        name, batch = self.target(parts.path)
        round = int(urllib.parse.parse_qs(parts.query).get("round", ["0"])[0])
        if self.command == "GET":
            key = parts.path.rpartition("/")[2]
            if key not in ("spec", "columns") or not name:
                return 404, b"{}", {}
            content = json.dumps(server.offer[key], ensure_ascii=False).encode()
            headers = {"Content-Type": "application/json", **server.offer.get("headers", {})}
            return 200, content, {**headers, "Ldp-Receipt": receipt("GET", 200, name, content=content)}
        if parts.path.endswith("/columns"):  # no value of a public column is refused
            return 200, b"[]", {"Ldp-Receipt": receipt("POST", 200, name, content=body)}
        known, given = server.batches.get(batch), (name, round, self.headers.get("Content-Type"), body)
        if self.command == "DELETE":
            status = 409 if known else 204
            if not known:
                server.void.add(batch)
        elif server.answer_first(self.command):
            status = 201  # another answer replaces this one, and nothing is stored
        elif batch in server.void or (known and known != given):
            status = 409
        else:
            status = 200 if known else 201
            server.batches[batch] = given
        history = {"Ldp-History": server.offer["history"]} if "history" in server.offer else {}
        return status, b"", {"Ldp-Receipt": receipt(self.command, status, name, batch, round, body), **history}

    def send(self, status, content, headers, answer=None):
        answer = answer or {}
        try:
            for line in answer.get("before", []):
                self.wfile.write(line.encode("latin-1"))
            self.send_response_only(status)
            for name, value in headers.items():
                self.wfile_header(name, value)
            if answer.get("endless"):
                self.end_headers()
                self.close_connection = True
                while True:
                    self.wfile.write(b" " * 65536)
            if not (100 <= status < 200 or status in (204, 304)):
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD" and status not in (204, 304):
                self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def wfile_header(self, name, value):
        self._headers_buffer.append(f"{name}: {value}\r\n".encode("latin-1"))

    def log_message(self, *arguments):
        pass
