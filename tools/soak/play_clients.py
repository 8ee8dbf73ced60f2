"""Bad clients of `spm-lite play`: half-open, crawling, flooding, deaf ones, while a good one gets right answers.

A round starts the server, lets clients of all kinds at it, asks for pieces meanwhile, looks at its memory, and ends it
by Ctrl-C while questions are answered.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from common import Result, model, run, text

from spm_lite import Tokenizer

N_BAD = 40  # threads of bad clients
N_QUESTIONS = 60  # of the good client, in a round
MOST_MEMORY = 1 << 30  # bytes of the server
GUARD = 120  # seconds, against hanging


class Served:
    """A server in a process of its own."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-m", "spm_lite", "play", str(path), "--quiet"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.host = self.process.stdout.readline().strip().removeprefix("http://").rstrip("/")
        self.address = self.host.partition(":")[0], int(self.host.partition(":")[2])

    def memory(self) -> int:
        """The most resident memory until now, in bytes."""
        with Path(f"/proc/{self.process.pid}/status").open() as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))

    def end(self) -> str:
        """End it by Ctrl-C; what is wrong with that."""
        self.process.send_signal(signal.SIGINT)
        try:
            _, said = self.process.communicate(timeout=GUARD)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return "Ctrl-C does not end it"
        return "" if (self.process.returncode, said) == (0, "") else f"ended with {self.process.returncode}: {said}"


def head(served: Served, path: str, size: int) -> bytes:
    """The head of a question."""
    lines = f"POST {path} HTTP/1.1\r\nHost: {served.host}\r\nContent-Type: application/json\r\n"
    return f"{lines}Content-Length: {size}\r\n\r\n".encode()


def question(served: Served, path: str, given: str) -> bytes:
    """A whole question."""
    body = json.dumps({"text": given}).encode()
    return head(served, path, len(body)) + body


def be_bad(served: Served, rng: random.Random, is_over: threading.Event) -> None:
    """Be one bad client after another."""
    while not is_over.is_set():
        with suppress(OSError), socket.create_connection(served.address, GUARD) as client:
            client.settimeout(2)
            kind = rng.randrange(8)
            if kind == 0:  # half-open
                is_over.wait(rng.random())
            elif kind == 1:  # crawls
                for byte in question(served, "/pieces", "abc"):
                    client.sendall(bytes([byte]))
                    if is_over.wait(0.02):
                        break
            elif kind == 2:  # too large
                client.sendall(head(served, "/pieces", 100_000_000))
                for _ in range(100):
                    client.sendall(bytes(1_000_000))
            elif kind == 3:  # endless headers
                while not is_over.is_set():
                    client.sendall(b"A: b\r\n" * 10_000)
            elif kind == 4:  # deaf
                client.sendall(question(served, "/tokens", "a b " * (1 << 18)))
                is_over.wait(rng.random())
            elif kind == 5:  # stops within a large body
                client.sendall(head(served, "/pieces", 8_000_000) + bytes(rng.randrange(8_000_000)))
                is_over.wait(rng.random())
            elif kind == 6:  # pipelines
                client.sendall(question(served, "/steps", "abc") * 100)
                client.recv(1000)
            else:  # noise
                client.sendall(rng.randbytes(rng.randrange(200_000)))
                client.recv(1000)


def ask(served: Served, given: str) -> tuple[int, dict[str, Any]]:
    """What the server answers to a good client."""
    connection = http.client.HTTPConnection(*served.address, timeout=GUARD)
    try:
        connection.request(
            "POST", "/tokens", json.dumps({"text": given}).encode(), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def one_round(served: Served, tok: Tokenizer, result: Result, rng: random.Random) -> None:
    """Ask while bad clients are at it."""
    is_over = threading.Event()
    threads = [
        threading.Thread(target=be_bad, args=(served, random.Random(rng.random()), is_over)) for _ in range(N_BAD)
    ]
    for thread in threads:
        thread.start()
    try:
        n_answered = 0
        for _ in range(N_QUESTIONS):
            given = text(rng)
            status, found = ask(served, given)
            n_answered += status == 200
            result.count(calls=1, faults=status == 503)
            if status == 200 and found["ids"] != tok.encode(given):
                result.lose(f"the page has other ids of {given!r}")
            elif status not in (200, 503) or (status == 503 and not found["error"]):
                result.lose(f"a good question is answered with {status} {found}")
        if not n_answered:
            result.lose("no good question was answered")
        if served.memory() > MOST_MEMORY:
            result.lose(f"the server has taken {served.memory():,} bytes")
        result.growth_bytes = max(result.growth_bytes, served.memory())
    finally:
        wrong = served.end()
        is_over.set()
        for thread in threads:
            thread.join()
    if wrong:
        result.lose(wrong)


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Each round is a new server."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.model"
        for _ in rounds:
            tok = model(rng)
            tok.save(path)
            try:
                one_round(Served(path), tok, result, rng)
            except (OSError, http.client.HTTPException) as error:
                result.lose(f"a good client: {type(error).__name__}: {error}")


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    os.environ.setdefault("PYTHONWARNINGS", "error")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
    return run("play_clients", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
