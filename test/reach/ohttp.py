"""Oblivious HTTP from the Python client to `ldp collect`: PROGRAM ENDPOINT FOLDER TOKENS.

ENDPOINT is the address of the endpoint, FOLDER the example, TOKENS a file of tokens for the collection "ballot". PGHOST and the other
variables of libpq select the server. Between the parties are recorders, so the tests compare bytes on the connections:

    client - recorder - relay - recorder - gateway - recorder - endpoint

The client connects from 127.0.0.2 and all others from 127.0.0.1. A random ciphertext contains a certain sequence of eight bytes
with probability 2^-64 at each position. The tests search about 10^7 positions and sequences, so a false alarm has a probability
below 10^-12.
"""

from __future__ import annotations

import functools
import http.client
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

TOKENS = Path(sys.argv.pop(3)).read_text().split()
FOLDER = sys.argv.pop(2)
ENDPOINT = sys.argv.pop(1)

import ldp  # noqa: E402
from binary_http import BLOCK, RequestMessage, ResponseMessage  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from encapsulation import (  # noqa: E402
    REQUEST_OVERHEAD,
    RESPONSE_OVERHEAD,
    GatewayKey,
    encapsulate,
    encode_list,
    first_supported,
)
from sender import Sender  # noqa: E402

CLIENT = "127.0.0.2"
SERVED = "https://ldp.example.org"


class Recorder:
    """A TCP proxy that records the bytes in both directions, and connects from the address of its client."""

    def __init__(self, port):
        self._port = port
        self.addresses, self.requests, self.responses = set(), bytearray(), bytearray()
        self.drop = None  # is called with bytes of a response, and returns whether the connection ends instead
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def clear(self):
        self.addresses.clear()
        self.requests.clear()
        self.responses.clear()

    def _accept(self):
        while True:
            client, (address, _) = self._server.accept()
            self.addresses.add(address)
            try:
                server = socket.create_connection(("127.0.0.1", self._port), source_address=(address, 0))
            except OSError:
                client.close()
                continue
            for one in ((client, server, self.requests), (server, client, self.responses)):
                threading.Thread(target=self._pump, args=one, daemon=True).start()

    def _pump(self, source, target, record):
        try:
            while data := source.recv(65536):
                record += data
                if record is self.responses and self.drop and self.drop(data):
                    break
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        if record is self.responses:
            for one in (source, target):  # which the other thread may be reading
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                one.close()


class Program:
    """A program of the example, with its output in a file."""

    def __init__(self, name, *arguments):
        self.output = Path(f"{name}.output")
        with open(self.output, "a") as output:
            self.process = subprocess.Popen([sys.executable, f"{FOLDER}/{name}.py", *arguments],
                                            stdout=subprocess.PIPE, stderr=output, text=True)
        self.port = int(self.process.stdout.readline().rpartition(":")[2])

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Recording(Sender):
    """A sender that records the contents of requests and the receipts of responses."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.contents, self.texts, self.statuses = [], [], []

    def __call__(self, method, url, fields, content):
        status, given, body = super().__call__(method, url, fields, content)
        self.contents.append(content or body)
        self.texts += [given["ldp-receipt"], url.removeprefix(SERVED)] if "ldp-receipt" in given else []
        self.statuses.append((method, status))
        return status, given, body


class Altering(Sender):
    """A sender whose relay alters messages."""

    def __init__(self, *arguments, request=lambda data: data, response=lambda data: data, times=1):
        super().__init__(*arguments)
        self._request, self._response, self._times = request, response, times

    def relayed(self, request):
        for _ in range(self._times):
            response = super().relayed(self._request(request))
        return self._response(response)


def flipped(position):
    """Returns a function that changes one bit of the byte at this position, or of the last byte for -1."""
    def flip(data):
        changed = bytearray(data)
        changed[position] ^= 1
        return bytes(changed)
    return flip


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = subprocess.run([sys.executable, f"{FOLDER}/gateway.py", "--new-key", "test.key"], check=True, capture_output=True).stdout
        cls.at_endpoint = Recorder(int(ENDPOINT.rpartition(":")[2]))
        cls.gateway = cls.start_gateway(0)
        cls.at_gateway = Recorder(cls.gateway.port)
        cls.relay = Program("relay", "--listen", "127.0.0.1:0", "--gateway", cls.at_gateway.url, "--log")
        cls.at_relay = Recorder(cls.relay.port)
        cls.recorders = (cls.at_relay, cls.at_gateway, cls.at_endpoint)
        cls.addClassCleanup(cls.relay.end)
        cls.addClassCleanup(lambda: cls.gateway.end())
        # Connections of this process, the client's, come from an address of their own.
        cls.enterClassContext(mock.patch("http.client.HTTPConnection",
                                         functools.partial(http.client.HTTPConnection, source_address=(CLIENT, 0))))

    @classmethod
    def start_gateway(cls, port):
        return Program("gateway", "--listen", f"127.0.0.1:{port}", "--key", "test.key", "--serves", SERVED,
                       "--endpoint", cls.at_endpoint.url)

    def setUp(self):
        for recorder in self.recorders:
            recorder.clear()

    def counted(self, collection="mood"):
        return int(subprocess.run(["psql", "-XqAtc", f"SELECT count(*) FROM {collection}"],
                                  check=True, capture_output=True, text=True).stdout)

    def through(self, send, retry_for=0):
        return ldp.Endpoint(SERVED, retry_for=retry_for, send=send)

    def sender(self, kind=Sender, **named):
        return kind(self.at_relay.url, self.keys, **named)

    def client(self, name, collection="mood"):
        return ldp.Client(self.through(self.sender()).collection(collection), name)

    def refused(self, client, send, words):
        """A flush through this sender fails, and the report stays queued."""
        with self.assertRaisesRegex(ldp.Error, words):
            client.flush(self.through(send).uploader("mood"))
        self.assertEqual(client.pending, 1)

    def delivered(self, client, repeated):
        flushed = client.flush(self.through(self.sender()).uploader("mood"))
        self.assertEqual((flushed.reports, flushed.repeated, client.pending), (1, repeated, 0))

    def unseen(self, record, content):
        """No eight consecutive bytes of the content are in the record."""
        windows = {bytes(record[i:i + 8]) for i in range(len(record) - 7)}
        return not any(content[i:i + 8] in windows for i in range(len(content) - 7))

    def test_separation(self):
        before = self.counted()
        send = self.sender(Recording)
        endpoint = self.through(send)
        with ldp.Client(endpoint.collection("mood"), "separation.ldp") as client:
            for _ in range(20):
                client.report(["good"])
            self.assertEqual(client.flush(endpoint.uploader("mood")).reports, 20)
        self.assertEqual(self.counted(), before + 20)
        self.assertEqual(send.statuses, [("GET", 200), ("POST", 201)])
        # The endpoint receives the contents. The connections to and from the relay do not contain them.
        self.assertIn(send.contents[1], self.at_endpoint.requests)
        self.assertIn(send.contents[0], self.at_endpoint.responses)
        contents = send.contents + [text.encode() for text in send.texts]
        self.assertEqual(len(contents), 6)
        for content in contents:
            self.assertFalse(self.unseen(self.at_endpoint.requests + self.at_endpoint.responses, content))
            for recorder in (self.at_relay, self.at_gateway):
                self.assertTrue(self.unseen(recorder.requests + recorder.responses, content))
        # The relay receives the address of the client. The gateway and the endpoint do not, in connections and in bytes.
        self.assertEqual([recorder.addresses for recorder in self.recorders], [{CLIENT}, {"127.0.0.1"}, {"127.0.0.1"}])
        for recorder in (self.at_gateway, self.at_endpoint):
            self.assertNotIn(CLIENT.encode(), recorder.requests)
        self.assertIn(CLIENT, self.relay.output.read_text())
        self.assertNotIn(CLIENT, self.gateway.output.read_text())
        # Neither the sender nor the relay nor the gateway sends other header fields.
        for recorder in self.recorders:
            names = {name.decode().lower() for name in re.findall(rb"\r\n([A-Za-z-]+): ", recorder.requests)}
            self.assertEqual(names, {"host", "content-type", "content-length"})

    def test_sizes(self):
        """Requests and responses of different kinds have one size, as long as they fit into one block."""
        lines = len(self.relay.output.read_text().splitlines())
        send = self.sender(Recording)
        endpoint = self.through(send)
        with self.client("sizes.ldp") as client:
            client.report(["bad"])
            client.flush(endpoint.uploader("mood"))
        uploads = f"{SERVED}/collections/mood/batches/00000000-0000-4000-8000-000000000001"
        send("POST", uploads, {"Content-Type": "application/octet-stream"}, b"no batch")
        send("DELETE", uploads, {}, None)
        self.assertEqual(send.statuses, [("POST", 201), ("POST", 400), ("DELETE", 204)])
        logged = [line.split() for line in self.relay.output.read_text().splitlines()[lines:]]
        sizes = str(REQUEST_OVERHEAD + BLOCK), "200", str(RESPONSE_OVERHEAD + BLOCK)
        self.assertEqual([tuple(line) for line in logged[-3:]], [(CLIENT, *sizes)] * 3)

    def test_replays(self):
        before = self.counted()
        with self.client("replayed.ldp") as client:
            client.report(["good"])
        shutil.copy("replayed.ldp", "copy.ldp")
        with self.client("replayed.ldp") as client:
            # The relay sends each encapsulated request twice. The client receives the second response.
            flushed = client.flush(self.through(self.sender(Altering, times=2)).uploader("mood"))
            self.assertEqual((flushed.reports, flushed.repeated, client.pending), (1, 1, 0))
            self.assertEqual(self.counted(), before + 1)
        # A copy of the state, from before the delivery, sends the same batch in another encapsulated request.
        with self.client("copy.ldp") as client:
            self.delivered(client, 1)
        self.assertEqual(self.counted(), before + 1)

    def test_gateway_that_dies(self):
        before, port = self.counted(), self.gateway.port

        def die(data):
            if data.startswith(b"HTTP/1.1 201"):
                self.gateway.end()
                return True
            return False

        with self.client("died.ldp") as client:
            client.report(["good"])
            self.at_endpoint.drop = die
            self.addCleanup(setattr, self.at_endpoint, "drop", None)
            self.refused(client, self.sender(), "cannot be reached.*status 502")
        self.assertEqual(self.counted(), before + 1)
        # The gateway is absent while the program starts again.
        with ldp.Client(ldp.Collection('{"mechanism": "grr", "epsilon": 1, "domain": ["good", "bad"]}'), "died.ldp") as client:
            self.refused(client, self.sender(), "cannot be reached.*status 502")
            type(self).gateway = self.start_gateway(port)
            self.delivered(client, 1)
        self.assertEqual(self.counted(), before + 1)

    def test_gateway_that_returns(self):
        """A flush repeats its request until the gateway is back."""
        before, port = self.counted(), self.gateway.port
        with self.client("returned.ldp") as client:
            client.report(["good"])
            self.gateway.end()
            lines = len(self.relay.output.read_text().splitlines())

            def restart():
                while len(self.relay.output.read_text().splitlines()) < lines + 2:
                    time.sleep(0.05)
                type(self).gateway = self.start_gateway(port)

            thread = threading.Thread(target=restart)
            thread.start()
            flushed = client.flush(self.through(self.sender(), retry_for=60).uploader("mood"))
            thread.join()
            self.assertEqual((flushed.reports, flushed.repeated, client.pending), (1, 0, 0))
        self.assertEqual(self.counted(), before + 1)

    def test_endpoint_that_does_not_respond(self):
        """The response of the gateway is encapsulated and has no receipt."""
        before = self.counted()
        with self.client("silent.ldp") as client:
            client.report(["good"])
            self.at_endpoint.drop = lambda data: True
            self.addCleanup(setattr, self.at_endpoint, "drop", None)
            self.refused(client, self.sender(), "^submitting to .*status 502")
            self.at_endpoint.drop = None
            self.delivered(client, 1)
        self.assertEqual(self.counted(), before + 1)

    def test_damaged_requests(self):
        before = self.counted()
        with self.client("damaged.ldp") as client:
            client.report(["good"])
            self.at_endpoint.clear()
            for position in (0, 1, 4, 6, 7, 38, 39, 500, -1):
                with self.subTest(position=position):
                    self.refused(client, self.sender(Altering, request=flipped(position)), "refused the encapsulated request .status 400")
            for altered in (lambda data: data[:-1], lambda data: data[:40], lambda data: b"", lambda data: data + b"\0"):
                self.refused(client, self.sender(Altering, request=altered), "status 400")
            self.refused(client, self.sender(Altering, request=lambda data: bytes(3 << 20)), "cannot be reached")
            self.assertEqual((self.at_endpoint.addresses, self.counted()), (set(), before))
            self.delivered(client, 0)
        self.assertEqual(self.counted(), before + 1)

    def test_altered_responses(self):
        """The endpoint has stored the batch, but the client does not accept the response of the relay."""
        before = self.counted()
        earlier = []
        with self.client("altered.ldp") as client:
            self.through(self.sender(Altering, response=lambda data: earlier.append(data) or data)).fetch_spec("mood")
            client.report(["good"])
            for altered in (flipped(0), flipped(16), flipped(-1), lambda data: data[:-1], lambda data: b"", lambda data: earlier[0]):
                self.refused(client, self.sender(Altering, response=altered), "damaged or belongs to another request")
                self.assertEqual(self.counted(), before + 1)
            self.delivered(client, 1)
        self.assertEqual(self.counted(), before + 1)

    def test_wrong_keys(self):
        before = self.counted()
        with self.client("keys.ldp") as client:
            client.report(["good"])
            self.at_endpoint.clear()
            for number in (1, 2):  # another key with the identifier of the gateway's key, and with another identifier
                key = GatewayKey(number, X25519PrivateKey.generate())
                self.refused(client, Sender(self.at_relay.url, encode_list([key.configuration])), "status 400")
            self.assertEqual((self.at_endpoint.addresses, self.counted()), (set(), before))
            self.delivered(client, 0)
        self.assertEqual(self.counted(), before + 1)

    def test_tokens(self):
        token = TOKENS[0]
        endpoint = self.through(self.sender())
        with self.client("ballot.ldp", "ballot") as client:
            client.report(["good"], token=token)
            sent_twice = self.through(self.sender(Altering, times=2)).uploader("ballot")
            flushed = client.flush(sent_twice)
            self.assertEqual((flushed.reports, flushed.repeated), (1, 1))
            self.assertIn(token.encode(), self.at_endpoint.requests)
            for recorder in (self.at_relay, self.at_gateway):
                self.assertTrue(self.unseen(recorder.requests, token.encode()))
            # A second report with the token is refused by the endpoint, through gateway and relay.
            client.report(["good"], token=token)
            with self.assertRaises(ldp.Error):
                client.flush(endpoint.uploader("ballot"))
            self.assertEqual([text.count("no valid token") for text in client.refused()], [1])
            client.report(["bad"], token=TOKENS[1])
            self.assertEqual(client.flush(endpoint.uploader("ballot")).reports, 1)
        self.assertEqual(self.counted("ballot"), 2)

    def test_other_targets(self):
        send = self.sender()
        for method, url in (("GET", f"{SERVED}/metrics"), ("GET", f"{SERVED}/"), ("GET", f"{SERVED}/collections/"),
                            ("PUT", f"{SERVED}/collections/mood/spec"), ("GET", "https://other.example/collections/mood/spec"),
                            ("GET", "http://ldp.example.org/collections/mood/spec")):
            with self.subTest(url=url):
                self.assertEqual(send(method, url, {}, None)[0], 403)
        # A path with the beginning of another request, and bytes that are no message.
        smuggled = RequestMessage("GET", "https", "ldp.example.org", "/collections/a HTTP/1.1\r\nHost: b\r\n\r\n")
        for message in (smuggled.encode(), b"\0", b""):
            request, context = encapsulate(first_supported(self.keys), message)
            self.assertEqual(ResponseMessage.decode(context.open_response(send.relayed(request))).status, 400)
        self.assertEqual(self.at_endpoint.addresses, set())
        batch = "/collections/mood/batches/00000000-0000-4000-8000-000000000002?round=5"
        self.assertEqual(send("POST", SERVED + batch, {"Content-Type": "application/octet-stream"}, b"no batch")[0], 400)
        self.assertIn(f"POST {batch} HTTP/1.1\r\n".encode(), self.at_endpoint.requests)

    def test_requests_that_are_not_encapsulated(self):
        for recorder in (self.at_relay, self.at_gateway):
            for method, fields, status in (("POST", {"Content-Type": "text/plain", "Content-Length": "0"}, 415), ("GET", {}, 501),
                                           ("POST", {"Content-Type": "message/ohttp-req"}, 411),
                                           ("POST", {"Content-Type": "message/ohttp-req", "Content-Length": str(3 << 20)}, 413)):
                connection = http.client.HTTPConnection(recorder.url.removeprefix("http://"), timeout=60)
                connection.putrequest(method, "/")
                for name, value in fields.items():
                    connection.putheader(name, value)
                connection.endheaders()
                self.assertEqual(connection.getresponse().status, status)
                connection.close()


if __name__ == "__main__":
    unittest.main()
