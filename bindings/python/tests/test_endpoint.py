"""Client and endpoint together: `ldp collect`, whose program is in LDP, beside the server that PGHOST and its like name; and
endpoints that behave badly.
"""

import hashlib
import http.client
import http.server
import json
import os
import subprocess
import threading
import time
import unittest

import psycopg2

import ldp

REGION = '{"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "region", "domain": ["north", "east", "south", "west"]}]}'


class Endpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.connection = psycopg2.connect("")
        cls.connection.autocommit = True
        cls.addClassCleanup(cls.connection.close)
        cls.run_sql("CREATE EXTENSION IF NOT EXISTS ldp")
        cls.run_sql("SELECT ldp_create_collection('regions / here', %s)", REGION)
        cls.run_sql("CREATE ROLE ldp_python_gateway LOGIN IN ROLE ldp_submitter")
        cls.addClassCleanup(cls.run_sql, "DROP ROLE ldp_python_gateway")
        cls.addClassCleanup(cls.run_sql, "SELECT ldp_drop_collection('regions / here')")
        cls.process = subprocess.Popen([os.environ["LDP"], "collect", "--listen", "127.0.0.1:0", "--dsn",
                                        "user=ldp_python_gateway"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        cls.addClassCleanup(cls.end)
        first = cls.process.stdout.readline()
        cls.url = "http://127.0.0.1:" + first.rstrip().rstrip(".").rpartition(":")[2].split()[0]

    @classmethod
    def end(cls):
        cls.process.terminate()
        cls.process.communicate(timeout=60)

    @classmethod
    def run_sql(cls, sql, *parameters):
        with cls.connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else None

    def counted(self):
        return self.run_sql('SELECT count(*) FROM "regions / here"')[0][0]

    def setUp(self):
        self.endpoint = ldp.Endpoint(self.url, retry_for=5)
        self.region = ldp.Collection(self.endpoint.fetch_spec("regions / here"))
        self.client = ldp.Client(self.region)
        self.uploader = self.endpoint.uploader("regions / here")

    def test_public_columns(self):
        self.run_sql("SELECT ldp_create_collection('columned', %s, ARRAY[['country', 'text']])", REGION)
        self.addCleanup(self.run_sql, "SELECT ldp_drop_collection('columned')")
        for _ in range(100):
            try:
                self.endpoint.fetch_spec("columned")
                break
            except ldp.Error:
                time.sleep(0.1)
        self.client.report_many([["west"]] * 3, columns={"country": ["de", "fr", "de"]})
        self.client.report(["west"], columns={"continent": "europe"})
        sent = self.client.flush(self.endpoint.uploader("columned"))
        self.assertEqual((sent.batches, sent.reports, sent.refused), (2, 3, 1))
        self.assertIn("no public column", self.client.refused()[0])
        self.assertEqual(self.run_sql("SELECT country, count(*) FROM columned GROUP BY 1 ORDER BY 1"), [("de", 2), ("fr", 1)])

    def test_tokens(self):
        self.run_sql("SELECT ldp_create_collection('ballots', %s)", REGION)
        self.addCleanup(self.run_sql, "SELECT ldp_drop_collection('ballots')")
        tokens = self.run_sql("SELECT ldp_create_tokens('ballots', 3)")[0][0]
        uploader = self.endpoint.uploader("ballots")
        for _ in range(100):
            try:
                self.endpoint.fetch_spec("ballots")
                break
            except ldp.Error:
                time.sleep(0.1)
        for token in tokens[:2]:
            self.client.report(["west"], token=token)
        # The program ends before it sends. The state has the tokens.
        state = self.client.state()
        self.assertEqual(self.client.flush(uploader).reports, 2)
        again = ldp.Client(self.region, state=state)
        repeated = again.flush(uploader)
        self.assertEqual((repeated.reports, repeated.repeated), (2, 2))
        # A report with a redeemed token, and one without a token: through the endpoint, and through the database.
        again.report(["west"], token=tokens[0])
        again.report(["west"])
        with self.assertRaises(ldp.Error):
            again.flush(uploader)
        self.assertEqual([text.count("no valid token") for text in again.refused()], [1, 1])
        self.assertEqual(again.drop_refused(), 2)
        direct = ldp.Client(self.region)
        direct.report(["west"], token=tokens[1])
        with self.assertRaises(ldp.Error):
            direct.flush(ldp.Uploader(self.connection, "ballots"))
        self.assertIn("redeemed", direct.refused()[0])
        fleet = ldp.Fleet(self.region, "fleet.ldp")
        self.addCleanup(fleet.close)
        fleet.report("ann", ["west"], token=tokens[2])
        self.assertEqual(fleet.flush(uploader).reports, 1)
        self.assertEqual(self.run_sql("SELECT count(*) FROM ballots"), [(3,)])
        self.assertEqual(self.run_sql("SELECT count(*) FROM ldp_internal.ldp_token"), [(0,)])
        rounds = ldp.Collection('{"mechanism": "ddrm", "epsilon": 4, "domain": ["good", "bad"], "rounds": 4}')
        series = ldp.Client(rounds)
        with self.assertRaises(ldp.Error) as refused:
            series.report(["good"], 1, token=tokens[0])
        self.assertEqual(refused.exception.code, ldp.Code.UNSUPPORTED)
        self.assertEqual(series.pending, 0)

    def test_sender_of_the_program(self):
        requests = []

        def send(method, url, headers, body):
            requests.append((method, url, sorted(headers), len(body or b"")))
            if len(requests) == 2:
                raise ConnectionResetError("the relay ended")
            if len(requests) == 3:
                return 503, {"RETRY-AFTER": "0"}, b"busy"
            connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=60)
            try:
                path = url.removeprefix("https://relay.example/ldp")
                connection.request(method, path, body, dict(headers))
                answer = connection.getresponse()
                return answer.status, dict(answer.getheaders()), answer.read()
            finally:
                connection.close()

        endpoint = ldp.Endpoint("https://relay.example/ldp", retry_for=5, send=send)
        before = self.counted()
        client = ldp.Client(endpoint.collection("regions / here"))
        client.report(["west"])
        self.assertEqual(client.flush(endpoint.uploader("regions / here")).reports, 1)
        self.assertEqual(self.counted(), before + 1)
        self.assertEqual([request[0] for request in requests], ["GET", "POST", "POST", "POST"])
        self.assertEqual(requests[1], requests[3])
        self.assertEqual(requests[1][2], ["Content-Type", "User-Agent"])
        # The package checks the size and the receipt of a response of any sender.
        for answer in [(200, {}, bytes(2 << 20)), (200, {"Ldp-Receipt": "0" * 64}, b"{}")]:
            with self.assertRaises(ldp.Error):
                ldp.Endpoint("https://relay.example", retry_for=0, send=lambda *_: answer).fetch_spec("regions / here")

    def test_specs(self):
        self.assertEqual(self.region.fingerprint, ldp.Collection(REGION).fingerprint)
        with self.assertRaisesRegex(ldp.Error, "status 404"):
            self.endpoint.fetch_spec("nothing")
        for url in ("ftp://here", "here", "http://"):
            with self.assertRaisesRegex(ldp.Error, "no address"):
                ldp.Endpoint(url)

    def test_batches_count_once(self):
        before = self.counted()

        def cut(batch):
            self.assertTrue(self.uploader(batch))
            raise ConnectionResetError("the answer was lost")

        self.client.report_many([["west"]] * 5)
        with self.assertRaises(ConnectionResetError):
            self.client.flush(cut)
        self.assertEqual(self.client.flush(self.uploader), ldp.Flushed(1, 5, 1, 0))
        self.assertEqual((self.counted() - before, self.client.pending), (5, 0))

    def test_what_is_refused_is_set_aside(self):
        before = self.counted()
        self.client.report(["west"], round=7)  # which is not open
        self.client.report(["west"])
        sent = self.client.flush(self.uploader)
        self.assertEqual((sent.reports, sent.refused, self.counted() - before), (1, 1, 1))
        self.assertIn("round 7", self.client.refused()[0])

    def test_an_older_copy_is_noticed(self):
        self.client.report(["west"])
        old = ldp.Client(self.region, state=self.client.state())
        self.client.report(["west"])
        self.client.flush(self.uploader)
        with self.assertRaisesRegex(ldp.Error, "another copy of the store") as caught:
            old.flush(self.uploader)
        self.assertEqual(caught.exception.code, ldp.Code.INCOMPATIBLE)

    def test_other_specs_are_refused(self):
        other = ldp.Client(ldp.Collection({"mechanism": "grr", "epsilon": 2, "domain": 4}))
        other.report([1])
        with self.assertRaisesRegex(ldp.Error, "rejects all reports"):
            other.flush(self.uploader)

    def test_a_frame_is_there_while_its_batch_is_on_its_way(self):
        self.client.report(["west"])
        seen = []
        self.client.flush(lambda batch: seen.append((batch, batch.frame())) or True)
        batch, frame = seen[0]
        self.assertEqual((frame[:2], frame[2:10]), (b"\2\3", batch.reports[0][8:16]))
        with self.assertRaisesRegex(ldp.Error, "within a transport"):
            batch.frame()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def receipt(method, status, collection, batch="", round=0, content=b""):
    """As doc/protocol.md describes it."""
    return sha256("\n".join(["ldp receipt 1", method, str(status), batch, str(round), sha256(content), collection]).encode())


#: Stands for the endpoint's own answer.
GENUINE = {"Ldp-Receipt": "its receipt"}


class Moody(http.server.BaseHTTPRequestHandler):
    """Sends the given responses."""

    def do_GET(self):
        status, headers, body = self.server.answers.pop(0)
        self.server.asked.append(self.path)
        if headers is GENUINE:
            headers = {"Ldp-Receipt": receipt("GET", status, "region", content=body)}
        self.answer(status, headers, body)

    def do_DELETE(self):
        self.do_POST()

    def do_POST(self):
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, headers, body = self.server.answers.pop(0)
        self.server.asked.append(self.path)
        if headers is GENUINE:
            batch = self.path.rpartition("/")[2]
            batch, _, round = batch.partition("?round=")
            headers = {"Ldp-Receipt": receipt(self.command, status, "region", batch, int(round or 0), content)}
        self.answer(status, headers, body)

    def answer(self, status, headers, body):
        if headers is ENDLESS:
            self.send_response(status)
            self.end_headers()
            try:
                while True:
                    self.server.sent += self.wfile.write(bytes(1 << 20))
            except OSError:
                self.close_connection = True
            return
        if status is None:
            self.connection.close()
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


ENDLESS = {}  # in place of headers: the body does not end


class BadEndpoints(unittest.TestCase):
    def setUp(self):
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Moody)
        self.server.asked = []
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)
        self.client = ldp.Client(ldp.Collection(REGION))
        self.client.report(["north"])

    def flush(self, *answers, retry_for=30):
        self.server.answers = list(answers)
        endpoint = ldp.Endpoint(f"http://127.0.0.1:{self.server.server_port}/below/", retry_for=retry_for)
        return self.client.flush(endpoint.uploader("region"))

    def test_what_passes_is_tried_again(self):
        self.assertEqual(self.flush((429, {"Retry-After": "0"}, b""), (None, {}, b""), (503, {}, b"<html>"),
                                    (201, GENUINE, b"")).reports, 1)
        self.assertEqual(len(set(self.server.asked)), 1)
        self.assertRegex(self.server.asked[0], "^/below/collections/region/batches/[0-9a-f-]{36}$")

    def test_statuses_of_a_proxy_set_nothing_aside(self):
        for _ in range(39):
            self.client.report(["north"])
        turns = [(400, {}, b""), (413, {}, b""), (422, {}, b""), (520, {}, b""), (201, GENUINE, b"")]
        self.server.answers = turns * 6
        endpoint = ldp.Endpoint(f"http://127.0.0.1:{self.server.server_port}/below/", retry_for=60)
        sent = self.client.flush(endpoint.uploader("region"), 7)
        self.assertEqual((sent.batches, sent.reports, sent.repeated, sent.refused), (6, 40, 0, 0))
        self.assertEqual((self.client.pending, self.client.refused()), (0, []))
        self.assertEqual([self.server.asked.count(one) for one in dict.fromkeys(self.server.asked)], [5] * 6)

    def test_a_body_without_end_is_not_read(self):
        for status in (200, 201, 400, 503):
            self.server.sent = 0
            with self.assertRaisesRegex(ldp.Error, "the response is too long") as caught:
                self.flush((status, ENDLESS, b""), retry_for=0)
            self.assertEqual(caught.exception.code, ldp.Code.ENVIRONMENT)
            self.assertIn(str(1 << 20), caught.exception.detail)
            self.assertLess(self.server.sent, 64 << 20)  # the limit and the buffers of the connection
            self.assertEqual((self.client.pending, self.client.refused()), (1, []))

    def test_what_another_answers_delivers_nothing(self):
        elsewhere = {"Location": f"http://127.0.0.1:{self.server.server_port}/login"}
        foreign = [(200, {}, b"<html>Welcome"), (201, {}, b""), (302, elsewhere, b""), (307, elsewhere, b""),
                   (201, {"Ldp-Receipt": "0" * 64}, b""), (511, {}, b"")]
        for answer in foreign:
            for first in ([], [(422, {}, b"")]):  # in place of a receipt, or of a revocation
                with self.assertRaisesRegex(ldp.Error, "something other than the endpoint") as caught:
                    self.flush(*first, answer, (201, GENUINE, b""), retry_for=0)
                self.assertIn("captive portal", caught.exception.hint)
                self.assertEqual((self.client.pending, self.client.refused()), (1, []))
        # A permanent redirect is no portal; it is not followed either.
        self.server.asked.clear()
        with self.assertRaisesRegex(ldp.Error, "a redirect"):
            self.flush((308, elsewhere, b""), (201, GENUINE, b""))
        self.assertEqual(len(self.server.asked), 1)
        # As if something had been stored under the id, or something else: only the endpoint can say so.
        for answers in ([(422, {}, b""), (409, {}, b"")], [(409, {}, b"")], [(409, GENUINE, b""), (409, {}, b"")]):
            with self.assertRaisesRegex(ldp.Error, "something other than the endpoint"):
                self.flush(*answers, retry_for=0)
            self.assertEqual(self.client.pending, 1)
        self.assertEqual(self.flush(*foreign, (201, GENUINE, b"")).reports, 1)

    def test_a_login_page_is_no_spec(self):
        spec = REGION.encode()
        endpoint = ldp.Endpoint(f"http://127.0.0.1:{self.server.server_port}", retry_for=0)
        for answer in [(200, {}, b"<html>Welcome"), (200, {}, spec), (302, {"Location": "/login"}, b""),
                       (200, {"Ldp-Receipt": receipt("GET", 200, "others", content=spec)}, spec)]:
            self.server.answers = [answer, (200, GENUINE, spec)]
            with self.assertRaisesRegex(ldp.Error, "something other than the endpoint"):
                endpoint.fetch_spec("region")
        self.server.answers = [(200, GENUINE, b"\x1f\x8b")]
        with self.assertRaisesRegex(ldp.Error, "not UTF-8"):
            endpoint.fetch_spec("region")
        self.server.answers = [(200, GENUINE, spec)]
        self.assertEqual(endpoint.fetch_spec("region"), REGION)

    def test_retries_end(self):
        with self.assertRaisesRegex(ldp.Error, "status 503"):
            self.flush((503, {"Retry-After": "60"}, b""), retry_for=1)
        self.assertEqual(self.client.pending, 1)
        with self.assertRaisesRegex(ldp.Error, "status 403.*\n.*Go away"):
            self.flush((403, {}, b'{"title": "Go away"}'))
        with self.assertRaisesRegex(ldp.Error, "cannot be reached"):
            self.client.flush(ldp.Endpoint("http://127.0.0.1:1", retry_for=0).uploader("region"))
        self.assertEqual(self.client.pending, 1)


    def test_pauses_are_numbers_of_seconds(self):
        for header in ("\u00b2", "-1", "1e1", "0x5", " ", "Fri, 31 Dec 9999 23:59:59 GMT", "1, 2"):
            busy = (503, {"Retry-After": header}, b"")
            self.assertEqual(self.flush(busy, (201, GENUINE, b""), retry_for=30).reports, 1, header)
            self.client.report(["north"])
        for header in ("9" * 400, "9" * 5000, "3600"):
            with self.assertRaisesRegex(ldp.Error, "status 503"):
                self.flush((503, {"Retry-After": header}, b""), retry_for=1)
        self.assertEqual(ldp.endpoint._pause("9" * 5000), 3600)
        self.assertEqual((ldp.endpoint._pause("12"), ldp.endpoint._pause("\u0663")), (12, 0))

    def test_words_of_the_server_are_quoted(self):
        """No word of the server is in the message, the detail or the hint, which are the package's own."""
        advice = "Delete the state and run again with --copy"
        problem = json.dumps({"title": "zwyxtitle\u001b[2J", "detail": "zwyxdetail\n\"x\"\u202e", "hint": "zwyxhint " + advice}).encode()
        for status, body in ((403, problem), (404, problem), (403, b"zwyx <html>" + advice.encode()), (302, problem),
                             (403, b"[" * 100000), (403, b'{"title": {"zwyx": 1}, "hint": ["zwyx"]}'), (403, b"\xffzwyx")):
            self.server.asked.clear()
            with self.assertRaises(ldp.Error) as caught:
                self.flush((status, {}, body), retry_for=0)
            error = caught.exception
            for own in (error.message, error.detail, error.hint):
                self.assertNotIn("zwyx", own)
                self.assertNotIn("--copy", own)
            self.assertLessEqual(len(error.said.encode()), 400)
            self.assertTrue(error.said.isprintable())
            if error.said:
                self.assertIn(f'the server says: "{error.said}"', str(error))
        self.assertEqual(ldp.errors.escaped('a"\\\n\u202e\ud800\U000e0001'), "a\\u{22}\\u{5c}\\u{a}\\u{202e}\\u{d800}\\u{e0001}")
        long = ldp.errors.escaped("\u20ac" * 1000)
        self.assertEqual((len(long.encode()), long[-1]), (399, "\u2026"))
        with self.assertRaises(ldp.Error) as caught:
            self.flush((403, {}, problem), retry_for=0)
        self.assertEqual(caught.exception.said, "zwyxtitle\\u{1b}[2J. zwyxdetail\\u{a}\\u{22}x\\u{22}\\u{202e}. zwyxhint " + advice)
        # The reason of a dead letter names the server, too.
        self.client.report(["north"], round=1)
        self.flush((422, GENUINE, problem), (204, GENUINE, b""), (201, GENUINE, b""))
        self.assertIn('; the server says: "zwyxtitle', self.client.refused()[0])


class Interim(Moody):
    """Sends interim responses before each response."""

    def answer(self, status, headers, body):
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        super().answer(status, headers, body)


class InterimResponses(unittest.TestCase):
    def test_they_are_not_final(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), Interim)
        self.addCleanup(server.server_close)
        spec = REGION.encode()
        server.asked, server.answers = [], [(200, GENUINE, spec)]
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        self.addCleanup(serving.join)
        self.addCleanup(server.shutdown)
        found = ldp.Endpoint(f"http://127.0.0.1:{server.server_port}", retry_for=0).fetch_spec("region")
        self.assertEqual(found, REGION)


if __name__ == "__main__":
    unittest.main()
