"""The server: one page, four questions, and nobody else's."""

import http.client
import json
import shutil
import socket

import pytest

from spm_lite.cli.play_answers import Played
from spm_lite.cli.play_server import MOST_BYTES, PlayServer

JSON = {"Content-Type": "application/json"}


def ask(server, method="POST", path="/pieces", body=b'{"text": "hello"}', **headers):
    connection = http.client.HTTPConnection(*server.server_address)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def own(server, **headers):
    return {"Content_Type": "application/json", "Origin": server.url.rstrip("/"), **headers}


def test_the_page(server):
    status, headers, page = ask(server, "GET", "/", None)
    assert status == 200
    assert b"bpe.model" in page
    assert b"://" not in page.replace(b"http://www.w3.org", b"")  # nothing from elsewhere
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe-inline" not in headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0]
    assert not [name for name in headers if name.lower().startswith("access-control")]


def test_an_answer(server):
    status, headers, found = ask(server, **own(server))
    assert status == 200
    assert json.loads(found)["characters"] == 5
    assert not [name for name in headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "[::1]", ""])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_host_is_refused(server, host, method):
    status, _, found = ask(server, method, "/" if method == "GET" else "/pieces", Host=host, **JSON)
    assert status == 421
    assert b"hello" not in found


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}"])
def test_a_foreign_origin_is_refused(server, origin):
    origin = origin.format(port=server.server_address[1])
    assert ask(server, **own(server, Origin=origin))[0] == 403
    assert ask(server, "OPTIONS", **own(server, Origin=origin))[0] in (403, 501)


def test_what_browsers_say_of_other_pages_is_heard(server):
    assert ask(server, **own(server, Sec_Fetch_Site="cross-site"))[0] == 403
    framed = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
    assert ask(server, "GET", "/", None, **framed)[0] == 403
    assert ask(server, "GET", "/", None, **{**framed, "Sec_Fetch_Dest": "document"})[0] == 200  # a link


def test_localhost_is_this_machine(server):
    port = server.server_address[1]
    assert ask(server, Host=f"localhost:{port}", **own(server, Origin=f"http://localhost:{port}"))[0] == 200


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"path": "/../etc/passwd"}, 404),
        ({"path": "/page.htm"}, 404),
        ({"Content_Type": "text/plain"}, 415),
        ({"body": b"{"}, 400),
        ({"body": b"\xff"}, 400),
        ({"body": b"[" * 100_000}, 400),
        ({"body": b"{}"}, 422),
        ({"Content_Length": str(MOST_BYTES + 1)}, 413),
        ({"Content_Length": "9" * 5000}, 413),
        ({"Content_Length": "-1"}, 411),
        ({"Transfer_Encoding": "chunked"}, 411),
        ({"method": "PUT"}, 501),
    ],
)
def test_wrong_requests(server, change, status):
    assert ask(server, **{**own(server), **change})[0] == status


def test_half_a_request_ends(server):
    with socket.create_connection(server.server_address) as connection:
        connection.sendall(
            f"POST /pieces HTTP/1.1\r\nHost: {server.hosts[0]}\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{".encode()
        )
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1000) == b""


def test_names_of_models_cannot_end_the_data(models, tmp_path):
    path = tmp_path / "<script>&.model"
    shutil.copy(models["bpe"], path)
    server = PlayServer([Played(str(path))])
    server.server_close()
    assert b"<script>&.model" not in server.page
    assert b"\\u003cscript>\\u0026.model" in server.page
