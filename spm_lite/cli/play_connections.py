"""What the server of the page grants its connections: how many, how long, how large; which goes if a new one comes."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Condition
from time import monotonic

MOST_OPEN = 32  # connections; a browser opens six
MOST_ASKED = 16  # questions that are answered or wait for it: fewer than MOST_OPEN, so that a new request is heard
MOST_ANSWERED = 2  # questions at once
MOST_HEAD = 64 << 10  # bytes of a request before its body
MOST_DRAINED = 256 << 20  # bytes that are thrown away after an answer, so that who still sends comes to read it
SECONDS = 30  # for a request to come, and for its answer to go
STEP = 64 << 10  # bytes


class Refusal(Exception):
    """Why a request is not answered: a status of HTTP and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Connections:
    """The open connections. If there are too many, the one goes that has been idle longest.

    A connection is idle while its request comes or its answer goes: both take no time for a browser on this machine. So
    clients that send or read nothing, or little, cannot keep others out.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._open: set[socket.socket] = set()
        self._idle: dict[socket.socket, int] = {}  # the longest idle first; what to shut down: a half or both
        self._pushed_out: set[socket.socket] = set()
        self._n_asked = 0
        self._turns = BoundedSemaphore(MOST_ANSWERED)

    def enter(self, connection: socket.socket) -> None:
        """Add a connection, as soon as there is room."""
        with self._changed:
            while len(self._open) >= MOST_OPEN:
                if self._idle:
                    oldest = next(iter(self._idle))
                    self._pushed_out.add(oldest)
                    with suppress(OSError):  # it has ended by itself
                        oldest.shutdown(self._idle.pop(oldest))
                self._changed.wait(1)  # where a shutdown wakes no thread, the next one goes
            self._open.add(connection)
            self._idle[connection] = socket.SHUT_RD

    def leave(self, connection: socket.socket) -> None:
        """Forget a connection that ends."""
        with self._changed:
            self._open.discard(connection)
            self._pushed_out.discard(connection)
            self._idle.pop(connection, None)
            self._changed.notify_all()

    def is_pushed_out(self, connection: socket.socket) -> bool:
        """Whether a connection had to make room."""
        return connection in self._pushed_out

    @contextmanager
    def turn(self, connection: socket.socket) -> Iterator[None]:
        """Wait until this connection's question may be answered. Raises Refusal if too many wait."""
        with self._changed:
            if self._n_asked >= MOST_ASKED:
                raise Refusal(503, f"{MOST_ASKED} questions wait for their answers: ask again in a moment")
            self._n_asked += 1
            self._idle.pop(connection, None)
        try:
            with self._turns:
                yield
        finally:
            with self._changed:
                self._n_asked -= 1

    def begin_answer(self, connection: socket.socket) -> None:
        """Note that a connection has nothing more to do than to read its answer."""
        with self._changed:
            self._idle.pop(connection, None)
            self._idle[connection] = socket.SHUT_RDWR


class RequestReader(io.RawIOBase):
    """The bytes of one request, within a time and a size."""

    def __init__(self, connection: socket.socket, connections: Connections) -> None:
        self._connection, self._connections = connection, connections
        self._end = monotonic() + SECONDS
        self._left = MOST_HEAD

    def readable(self) -> bool:
        return True

    def allow(self, n_bytes: int) -> None:
        """Let a body of so many bytes follow the head."""
        self._left += n_bytes

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # io.BufferedReader gives no other
        """Read some bytes. Raises Refusal if there are too many, if they come too late, or if others need the room."""
        if self._left <= 0:
            raise Refusal(431, f"the head of the request is longer than {MOST_HEAD:,} bytes: send shorter headers")
        try:
            self._connection.settimeout(max(self._end - monotonic(), 1e-3))
            n_read = self._connection.recv_into(buffer[: self._left])
        except TimeoutError:
            n_read = -1
        if n_read == 0 and self._connections.is_pushed_out(self._connection):
            raise Refusal(503, f"more than {MOST_OPEN} connections are open, and this one was idle: ask again")
        if n_read < 0 or monotonic() > self._end:
            raise Refusal(408, f"the request was not whole after {SECONDS} seconds: send it again, at once")
        self._left -= n_read
        return n_read

    def drain(self) -> None:
        """Throw away what still comes. A connection that is closed before that may lose its answer on the way."""
        self._left = MOST_DRAINED
        rest = memoryview(bytearray(STEP))
        with suppress(Refusal, OSError):
            while self.readinto(rest):
                pass
