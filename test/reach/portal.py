"""A captive portal in front of an endpoint: PROGRAM URL STATUS prints where it listens, passes each GET on, and answers
everything else itself with this status. With the status 0 it passes nothing on and answers 200."""

import http.server
import sys
import urllib.request

behind, status = sys.argv[1], int(sys.argv[2])


class Portal(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if status == 0:
            return self.do_POST()
        with urllib.request.urlopen(behind + self.path) as answer:
            self.reply(answer.status, answer.read(), {"Ldp-Receipt": answer.headers.get("Ldp-Receipt", "")})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reply(status or 200, b"<html><title>Welcome</title>", {"Location": behind + self.path})

    do_DELETE = do_POST

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Portal)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
