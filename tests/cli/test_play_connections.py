"""Clients that wait, crawl, flood or never read: each is refused with a sentence, and the page is answered meanwhile.

No test waits for a time to pass: the clock is a stand-in, and what the server does first is what is looked at.
"""

import http.client
import json
import socket
import threading
from contextlib import ExitStack, closing

import pytest
from oracle.slow import slow_after

from spm_lite.cli import play_answers, play_connections
from spm_lite.cli.play_answers import MOST_COPIED, Played
from spm_lite.cli.play_connections import MOST_ASKED, MOST_HEAD, MOST_OPEN, Connections, Refusal, RequestReader
from spm_lite.cli.play_server import MOST_BYTES, PlayServer

GUARD = 300  # seconds, against hanging


@pytest.fixture
def own(models):
    """A server for one test, whose clients all go before it ends."""
    server = PlayServer([Played(models["bpe"])])
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    with ExitStack() as clients:
        server.clients = clients
        yield server
    server.shutdown()
    thread.join()
    server.server_close()


def connect(server, data=b""):
    client = server.clients.enter_context(closing(socket.create_connection(server.server_address, GUARD)))
    client.sendall(data)
    return client


def head(server, length, path="/pieces", method="POST"):
    host = f"{method} {path} HTTP/1.1\r\nHost: {server.hosts[0]}\r\nContent-Type: application/json\r\n"
    return f"{host}Content-Length: {length}\r\n\r\n".encode()


def question(server, path="/pieces", **wanted):
    body = json.dumps({"text": "hello", **wanted}).encode()
    return head(server, len(body), path) + body


def read(client):
    """Status and content of an answer."""
    response = http.client.HTTPResponse(client)
    response.begin()
    return response.status, response.read().decode()


def is_usable(server):
    page = connect(server, head(server, 0, "/", "GET"))
    return read(page)[0] == read(connect(server, question(server)))[0] == 200


@pytest.mark.parametrize("sent", slow_after(1, ["body", b"", b"GET / HT", b"POST /pieces HTTP/1.1\r\nHost"]))
def test_200_half_open_connections(own, sent):
    sent = head(own, 100) + b'{"te' if sent == "body" else sent
    clients = [connect(own, sent) for _ in range(200)]
    assert is_usable(own)
    assert len(own.connections._open) <= MOST_OPEN
    for client in clients[: 200 - MOST_OPEN]:  # the oldest have made room
        status, said = read(client)
        assert status == 503
        assert f"more than {MOST_OPEN} connections are open" in said


class Clock:
    """A connection over which a byte a second comes, and its clock."""

    def __init__(self):
        self.now, self.waits = 0.0, []

    def __call__(self):
        return self.now

    def settimeout(self, seconds):
        self.waits.append(seconds)

    def recv_into(self, buffer):
        self.now += 1
        buffer[0] = ord("x")
        return 1


def test_a_byte_a_second_ends_with_the_time_of_a_request(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(play_connections, "monotonic", clock)
    reader = RequestReader(clock, Connections())
    with pytest.raises(Refusal, match="not whole after 30 seconds") as raised:
        while reader.read(1):
            pass
    assert raised.value.status == 408
    assert clock.now == 31
    assert clock.waits == [30 - i for i in range(30)] + [1e-3]


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x", b"body"])
def test_a_late_request_is_told_so(own, monkeypatch, sent):
    monkeypatch.setattr(play_connections, "SECONDS", 0)
    status, said = read(connect(own, head(own, 100) + b"{" if sent == b"body" else sent))
    assert (status, "not whole after" in said) == (408, True)


def test_100_mb_of_text_are_refused_when_all_is_sent(own):
    client = connect(own, head(own, 100_000_000))
    for _ in range(100):
        client.sendall(b"a" * 1_000_000)
    status, said = read(client)
    assert status == 413
    assert f"longer than {MOST_BYTES:,} bytes" in said
    assert is_usable(own)


@pytest.mark.parametrize(
    ("sent", "status", "sentence"),
    [
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n", 431, f"longer than {MOST_HEAD:,} bytes"),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n", 431, "headers"),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 1_000_000 + b"\r\n\r\n", 431, f"longer than {MOST_HEAD:,} bytes"),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n c\r\n" * 100_000, 431, "Too many headers"),
        (b"\0" * 1_000_000, 431, f"longer than {MOST_HEAD:,} bytes"),
        (b"\x16\x03\x01\r\n\r\n", 400, "Bad request"),
        (b"GET / HTTP/9.9\r\n\r\n", 505, "Invalid HTTP version"),
        (b"TRACE / HTTP/1.1\r\n\r\n", 501, "Unsupported method"),
        (b"GET / HTTP/1.0\r\n\r\n", 421, "the Host is not"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 421, "the Host is not"),
        (b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n", 421, "the Host is not"),
    ],
)
def test_heads_that_are_refused(own, sent, status, sentence):
    found, said = read(connect(own, sent))
    assert found == status
    assert sentence in said
    assert set(json.loads(said)) == {"error"}
    assert is_usable(own)


def test_an_endless_request_is_cut_off(own, monkeypatch):
    monkeypatch.setattr(play_connections, "MOST_DRAINED", 1 << 20)
    client = connect(own, head(own, 1).replace(b"Content-Length: 1", b"Transfer-Encoding: chunked"))
    with pytest.raises(OSError):
        for _ in range(10_000):
            client.sendall(b"10000\r\n" + b"a" * (1 << 16) + b"\r\n")
    assert is_usable(own)


def test_clients_that_never_read_make_room(own, monkeypatch):
    monkeypatch.setattr(play_connections, "MOST_OPEN", 3)
    large = {"html": "a" * (16 << 20)}  # more than the system keeps for a client
    monkeypatch.setitem(play_answers.QUESTIONS, "/steps", lambda tok, text, wanted: large)
    clients = [connect(own, question(own, "/steps")) for _ in range(6)]
    assert is_usable(own)
    del clients


def test_questions_wait_for_their_turns_and_too_many_are_refused(own, monkeypatch):
    is_over, begun = threading.Event(), threading.Semaphore(0)
    running, most = [], []

    def slow(tok, text, wanted):
        running.append(text)
        most.append(len(running))
        begun.release()
        assert is_over.wait(GUARD)
        running.pop()
        return {}

    monkeypatch.setitem(play_answers.QUESTIONS, "/steps", slow)
    clients = [connect(own, question(own, "/steps")) for _ in range(MOST_ASKED)]
    for _ in range(play_connections.MOST_ANSWERED):
        assert begun.acquire(timeout=GUARD)
    while own.connections._n_asked < MOST_ASKED:
        pass
    status, said = read(connect(own, question(own)))
    assert (status, "ask again in a moment" in said) == (503, True)
    half_open = [connect(own) for _ in range(2 * MOST_OPEN)]
    assert read(connect(own, head(own, 0, "/", "GET")))[0] == 200
    is_over.set()
    assert [read(client)[0] for client in clients] == [200] * MOST_ASKED  # none of them had to make room
    assert max(most) == play_connections.MOST_ANSWERED
    assert is_usable(own)
    del half_open


def test_http_1_0_and_pipelining_get_one_answer(own):
    one = f"GET / HTTP/1.0\r\nHost: {own.hosts[0]}\r\n\r\n".encode()
    for sent in (one, one * 1000, one.replace(b"1.0", b"1.1\r\nConnection: keep-alive") * 2):
        client = connect(own, sent)
        assert read(client)[0] == 200
        assert client.recv(1) == b""
    head_only = connect(own, one.replace(b"GET", b"HEAD"))
    assert b"".join(iter(lambda: head_only.recv(1000), b"")).endswith(b"\r\n\r\n")


def test_more_text_than_is_copied_is_refused_with_a_command(own):
    status, said = read(connect(own, question(own, "/tokens", text="é" * (MOST_COPIED // 2 + 1))))
    assert status == 422
    assert "spm-lite encode --output FILE" in said


def test_no_memory_is_told(own, monkeypatch):
    def full(tok, text, wanted):
        raise MemoryError

    monkeypatch.setitem(play_answers.QUESTIONS, "/steps", full)
    status, said = read(connect(own, question(own, "/steps")))
    assert (status, "take a shorter one" in said) == (500, True)
    assert is_usable(own)
