"""The server of the page: on 127.0.0.1 only, for pages of its own only, one file and four questions."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader
from pathlib import Path
from socket import SHUT_WR
from typing import Any

from spm_lite.cli.play_answers import QUESTIONS, Played, answer
from spm_lite.cli.play_connections import SECONDS, Connections, Refusal, RequestReader
from spm_lite.errors import SpmLiteError

ADDRESS = "127.0.0.1"
MOST_BYTES = 8 << 20  # of a request: a text of 1 MB whose characters are all written as escapes fits
PAGE = Path(__file__).with_name("page.htm")
JSON = "application/json"


class PlayServer(ThreadingHTTPServer):
    """The server. It listens as soon as it is made; `serve_forever` answers, `server_close` ends it."""

    daemon_threads = True
    request_queue_size = 128  # connections that wait for a thread

    def __init__(self, played: list[Played], port: int = 0) -> None:
        """port: 0 for any that is free. Raises OSError if it is taken."""
        super().__init__((ADDRESS, port), PlayHandler)
        self.played = played
        self.connections = Connections()
        page = PAGE.read_text(encoding="utf-8")
        script = page.partition("<script>")[2].partition("</script>")[0]
        self.policy = policy_of(script)
        facts = json.dumps([one.facts() for one in played])
        # Within the page, data stands where no script runs, and cannot end the element that it stands in.
        self.page = page.replace("MODELS", facts.replace("&", "\\u0026").replace("<", "\\u003c"), 1).encode()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_address[1]}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The Host headers of people on this machine. A page elsewhere whose name leads here sends another."""
        port = self.server_address[1]
        names = (ADDRESS, "localhost")
        return tuple(f"{name}:{port}" for name in names) + (names if port == 80 else ())

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for a connection, as soon as there is room."""
        self.connections.enter(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        super().shutdown_request(request)
        self.connections.leave(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing if a browser leaves in the middle, or if there is no memory for one connection more."""
        if not isinstance(sys.exc_info()[1], (OSError, MemoryError)):
            super().handle_error(request, client_address)


def policy_of(script: str) -> str:
    """The content security policy of the page: its own script runs, and nothing else loads or runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class PlayHandler(BaseHTTPRequestHandler):
    """One connection, of one request."""

    server: PlayServer
    timeout = SECONDS  # for the whole of an answer
    server_version, sys_version = "spm_lite", ""
    command, requestline, request_version = "", "", "HTTP/1.0"  # of a request that is refused before it is read
    default_request_version = "HTTP/1.0"  # an answer in HTTP 0.9 would have no status

    def setup(self) -> None:
        """Read the request within its limits."""
        super().setup()
        self.rfile.close()
        self.reader = RequestReader(self.connection, self.server.connections)
        self.rfile = BufferedReader(self.reader)

    def handle(self) -> None:
        """Answer or refuse the one request, and wait until the client has read that."""
        try:
            self.handle_one_request()
        except Refusal as refusal:
            self.refuse(refusal.status, str(refusal))
        except MemoryError:
            self.refuse(500, "there is not enough memory for this text: take a shorter one")
        self.connection.shutdown(SHUT_WR)
        self.reader.drain()

    def do_GET(self) -> None:
        """The page."""
        if not self.is_from_here():
            return
        if self.path != "/":
            self.refuse(404, f"there is no {self.path!r:.80} here: the page is {self.server.url}")
            return
        self.reply(200, self.server.page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """A question of the page."""
        if not self.is_from_here():
            return
        if self.path not in QUESTIONS:
            self.refuse(404, f"there is no {self.path!r:.80} here; the paths are {', '.join(QUESTIONS)}")
        elif self.headers.get_content_type() != JSON:
            self.refuse(415, f"the type is {self.headers.get_content_type()!r:.80}, not {JSON}")
        else:
            body = self.body()
            if body is not None:
                self.answer(body)

    def is_from_here(self) -> bool:
        """Whether the request is of this machine and of this page; if not, it is refused."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].strip().lower() not in self.server.hosts:
            self.refuse(421, f"the Host is not {self.server.hosts[0]}: open {self.server.url}")
            return False
        origins = self.headers.get_all("Origin", [])
        site = self.headers.get("Sec-Fetch-Site", "none")
        if any(origin != f"http://{hosts[0].strip().lower()}" for origin in origins) or (
            site not in ("same-origin", "none") and (self.command != "GET" or self.is_within())
        ):
            self.refuse(403, "the request comes from another page: only the page of this server may ask")
            return False
        return True

    def is_within(self) -> bool:
        """Whether another page embeds this one. A link that people follow is allowed."""
        return self.headers.get("Sec-Fetch-Mode") != "navigate" or self.headers.get("Sec-Fetch-Dest") != "document"

    def body(self) -> bytes | None:
        """The body of the request; None: it was refused."""
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdigit()):
            self.refuse(411, "the request does not say how long it is: send Content-Length")
            return None
        if len(length) > 12 or int(length) > MOST_BYTES:
            self.refuse(413, f"the request is longer than {MOST_BYTES:,} bytes: take a shorter text")
            return None
        self.reader.allow(int(length))
        found = self.rfile.read(int(length))
        if len(found) < int(length):
            self.close_connection = True
            return None
        return found

    def answer(self, body: bytes) -> None:
        """Answer a question."""
        try:
            with self.server.connections.turn(self.connection):
                found = json.dumps(answer(self.server.played, self.path, json.loads(body))).encode()
        except SpmLiteError as error:
            self.refuse(422, str(error))
        except (ValueError, RecursionError):
            self.refuse(400, "the request is not JSON")
        else:
            self.reply(200, found, JSON)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what the base class cannot read or does not know."""
        self.refuse(code, f"the request cannot be answered: {message or self.responses[HTTPStatus(code)][1]}")

    def refuse(self, status: int, message: str) -> None:
        """Say why there is no answer, and end the connection: an unread body must not become a request."""
        self.close_connection = True
        shown = message.encode("utf-8", "backslashreplace").decode()
        self.reply(status, json.dumps({"error": shown}).encode(), JSON)

    def reply(self, status: int, content: bytes, kind: str) -> None:
        """Write a response that no other page can read, frame or keep."""
        self.server.connections.begin_answer(self.connection)
        self.connection.settimeout(SECONDS)
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": self.server.policy,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing: requests hold the texts that people type."""
