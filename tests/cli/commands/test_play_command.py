"""spm-lite play: it says where the page is, answers there, and ends on Ctrl-C."""

import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

import spm_lite
from spm_lite.cli.main import main


@pytest.mark.slow
def test_it_runs_until_ctrl_c(tmp_path):
    path = tmp_path / "m.model"
    spm_lite.byte_tokenizer().save(path)
    program = subprocess.Popen(
        [sys.executable, "-m", "spm_lite", "play", str(path)], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url) as response:
        assert b"m.model" in response.read()
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate()
    assert (program.returncode, out) == (0, "")
    assert "Traceback" not in errors


@pytest.mark.slow
def test_ctrl_c_ends_it_while_clients_wait_and_questions_are_answered(tmp_path):
    path = tmp_path / "m.model"
    spm_lite.byte_tokenizer().save(path)
    program = subprocess.Popen(
        [sys.executable, "-m", "spm_lite", "play", str(path), "--quiet"], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert program.stdout is not None
    host = program.stdout.readline().strip().removeprefix("http://").rstrip("/")
    address = host.partition(":")[0], int(host.partition(":")[2])
    body = b'{"text": "%s"}' % (b"a" * 8_000_000)
    head = f"POST /pieces HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    clients = [socket.create_connection(address) for _ in range(200)]
    for client in clients[-10:]:
        client.sendall(f"{head}\r\n\r\n".encode() + body)
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate()  # no question has been answered: the first takes seconds
    assert (program.returncode, out, errors) == (0, "", "")
    for client in clients:
        client.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "0 models given, one or two expected"),
        (["a", "b", "c"], "3 models given"),
        (["m.model", "--port", "70000"], "--port 70000 is not between 0 and 65535"),
        (["nowhere.model"], "nowhere.model"),
    ],
)
def test_wrong_arguments(capsys, arguments, message):
    assert main(["play", *arguments]) in (1, 2)
    assert message in capsys.readouterr().err
