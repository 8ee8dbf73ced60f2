"""Standard streams that are closed or full, outputs other than ordinary files, and being told to end."""

import math
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from oracle.slow import slow_after

from spm_lite.cli.outputs import descriptor

pytestmark = pytest.mark.skipif(os.name == "nt", reason="descriptors, devices and signals of POSIX")

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@pytest.fixture
def shell(tmp_path, bpe_model, demo_text):
    """Run a line of bash; S is the program, E encodes text.txt, T trains on it as m."""
    (tmp_path / "text.txt").write_bytes(demo_text)
    functions = f"""
S() {{ '{sys.executable}' -m spm_lite "$@"; }}
E() {{ S encode --model '{bpe_model}' text.txt "$@"; }}
T() {{ S train text.txt --vocab-size 1500 --model-type bpe --model-prefix m "$@"; }}
"""

    def shell(line):
        return subprocess.run(["bash", "-c", functions + line], cwd=tmp_path, capture_output=True, timeout=500)

    return shell


@pytest.fixture
def expected(shell):
    """What encoding writes."""
    return shell("E").stdout


@pytest.mark.parametrize("name", slow_after(2, ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"]))
def test_names_of_standard_output(shell, expected, tmp_path, name):
    if name.startswith("/") and not Path(name).exists():
        pytest.skip(f"no {name} here")
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "log").write_bytes(b"kept\n")
    before = (tmp_path / "log").stat().st_ino
    result = shell(f"E --output {name} >> log")
    assert (result.returncode, result.stderr) == (0, b"")
    assert (tmp_path / "log").read_bytes() == b"kept\n" + expected
    assert (tmp_path / "log").stat().st_ino == before
    assert shell(f"E --output {name} | cat").stdout == expected
    assert (tmp_path / "link").is_symlink()


@pytest.mark.slow
def test_other_open_files(shell, expected, tmp_path):
    assert shell("E --output /dev/fd/7 7>seven").returncode == 0
    assert (tmp_path / "seven").read_bytes() == expected
    assert shell("E --output /dev/stderr").stderr == expected
    assert shell("E --output >(cat >inner; echo done) | cat").stdout == b"done\n"
    assert (tmp_path / "inner").read_bytes() == expected
    assert b"/dev/fd/9" in shell("E --output /dev/fd/9 9>&-").stderr


@pytest.mark.slow
def test_devices_and_pipes(shell, expected, tmp_path, null_device):
    os.mkfifo(tmp_path / "pipe")
    assert shell("cat pipe & E --output pipe; wait").stdout == expected
    assert shell("E --output null").returncode == 0
    assert null_device.is_char_device()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["null", "pipe", "text.txt"]


def test_an_output_keeps_its_permissions(shell, expected, tmp_path):
    (tmp_path / "out").touch(0o600)
    assert shell("E --output out").returncode == 0
    assert (tmp_path / "out").read_bytes() == expected
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


def test_a_descriptor_is_known_by_its_folder(tmp_path, monkeypatch):
    assert descriptor("/dev/fd/12") == 12
    assert descriptor("/dev/../dev/fd/2") == 2
    assert descriptor("/dev/fd/x") is None
    assert descriptor("/dev/null") is None
    assert descriptor(str(tmp_path / "1")) is None
    (tmp_path / "loop").symlink_to("loop")
    assert descriptor(str(tmp_path / "loop")) is None
    monkeypatch.chdir("/dev")
    assert descriptor("stdout") == 1


@pytest.mark.parametrize("line", ["E >&-", "E --output /dev/stdout >&-", "S --help >&-", "S demo >&-"])
def test_standard_output_is_closed_and_needed(shell, tmp_path, line):
    result = shell(line)
    assert result.returncode == 1
    assert result.stderr.startswith(b"spm-lite: error: cannot write standard output: it is closed")
    assert result.stderr.count(b"\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("closed", slow_after(1, [">&-", "2>&-", "<&- >&- 2>&-"]))
def test_streams_are_closed_and_not_needed(shell, expected, tmp_path, closed):
    assert shell(f"E --output out {closed}").returncode == 0
    assert (tmp_path / "out").read_bytes() == expected
    result = shell(f"T {closed}")
    assert (result.returncode, result.stdout) == (0, b"")  # the report stands nowhere else
    assert (tmp_path / "m.vocab").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_no_place_for_messages(shell, expected, tmp_path, closed):
    assert shell(f"T {closed}").returncode == 0
    assert (tmp_path / "m.vocab").is_file()
    assert shell(f"E {closed}").stdout == expected
    assert shell(f"S encode --model absent {closed}").returncode == 1
    assert shell(f"S encod {closed}").returncode == 2


@needs_full
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("E > /dev/full", "standard output"),
        ("E --output /dev/full", "/dev/full"),
        ("S --help > /dev/full", "standard output"),
        ("S encode --help > /dev/full", "standard output"),
    ],
)
def test_a_full_disk_is_named(shell, line, name):
    result = shell(line)
    assert result.returncode == 1
    assert result.stderr == f"spm-lite: error: cannot write {name}: No space left on device\n".encode()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_told_to_end(bpe_model, tmp_path, name):
    number = getattr(signal, name)
    (tmp_path / "out").write_bytes(b"old")
    command = [sys.executable, "-m", "spm_lite", "encode", "--model", bpe_model, "--output", "out"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        wait_for(lambda: len(list(tmp_path.iterdir())) == 2)  # the partial file
        process.send_signal(number)
        process.stdin.close()  # a signal just before Python waits for input is heard when some comes
        assert process.wait(timeout=500) == 128 + number
        assert process.stderr.read() == b""
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out", b"old")]


def test_told_again(tmp_path):
    """A signal whose exception is lost, as in the midst of an import, ends the program all the same."""
    code = """
import os, signal, sys, time
import spm_lite.cli.termination as signals
signals.AGAIN = 0.2
with signals.clean_exit():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1000)
    except SystemExit:
        pass
    time.sleep(1000)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=500).returncode == 128 + signal.SIGTERM


def test_cleaning_is_not_told_again(tmp_path):
    code = """
import os, signal, time
import spm_lite.cli.termination as signals
signals.AGAIN = 0.1
n_alarms, leave_again = 0, signals.leave_again
def count(number, frame):
    global n_alarms
    n_alarms += 1
    leave_again(number, frame)
signals.leave_again = count
with signals.clean_exit():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1000)
    finally:
        try:
            {}["a slow disk"]
        except KeyError:
            while n_alarms < 3:  # which come here, and are not to disturb
                time.sleep(0.01)
        print("cleaned", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=500, capture_output=True)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, b"cleaned\n")


def test_a_later_command_has_its_own_errors(tmp_path):
    """Of a signal that an earlier one got, nothing is left; nor is an alarm of the program's touched."""
    code = """
import os, signal, threading, time
from spm_lite.cli.main import main
from spm_lite.cli.termination import clean_exit
try:
    with clean_exit():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1000)
except SystemExit as error:
    assert error.code == 143
codes = []
thread = threading.Thread(target=lambda: codes.append(main(["inspect", "there is none"])))
thread.start()
thread.join()
assert codes == [1], codes
signal.setitimer(signal.ITIMER_REAL, 0.1)
with clean_exit():
    time.sleep(1000)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=500, capture_output=True)
    assert done.returncode == -signal.SIGALRM, done.stderr


@pytest.mark.parametrize(("name", "kind"), [("SIGTERM", "SystemExit"), ("SIGINT", "KeyboardInterrupt")])
def test_an_error_after_the_signal(tmp_path, name, kind):
    """numpy makes an ImportError of what is raised while it is imported."""
    code = f"""
import os, signal, sys, time
from spm_lite.cli.termination import clean_exit
try:
    with clean_exit():
        try:
            os.kill(os.getpid(), signal.{name})
            time.sleep(1000)
        except {kind}:
            raise ImportError("the environment is broken")
except {kind}:
    sys.exit(7)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=500).returncode == 7


def test_told_to_end_while_arrays_are_written(bpe_model, tmp_path):
    (tmp_path / "text").write_bytes(b"hello world\n" * 500_000)
    options = ["--model", bpe_model, "--output-format", "npy", "--output", "ids.npy"]
    command = [sys.executable, "-m", "spm_lite", "encode", *["text"] * 500, *options]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(list(tmp_path.iterdir())) == 3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=500) == 128 + signal.SIGTERM
        assert process.stderr.read() == b""
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_a_signal_counts_again_later(monkeypatch):
    """The first may be lost: Python drops an exception that is raised where a callback runs."""
    from spm_lite.cli import termination as signals

    monkeypatch.setattr(signals, "_left_at", -math.inf)
    monkeypatch.setattr(signals, "PAUSE", math.inf)
    try:
        with pytest.raises(SystemExit, match="143"):
            signals.leave(15, None)
        signals.leave(15, None)
        monkeypatch.setattr(signals, "PAUSE", 0)
        with pytest.raises(SystemExit, match="143"):
            signals.leave(15, None)
    finally:
        signals.take_alarm_back()


def test_each_command_is_told_to_end():
    """However soon after another one in the same process."""
    from spm_lite.cli.termination import clean_exit

    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        for _ in range(2):
            with pytest.raises(SystemExit, match="143"), clean_exit():
                signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def wait_for(condition):
    """Until it holds. The limit is only against a test that hangs."""
    end = time.monotonic() + 500
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_handlers_of_others_stay(capfd):
    from spm_lite.cli.main import main

    def handler(number, frame):
        pass

    before = signal.signal(signal.SIGTERM, handler)
    try:
        assert main(["--version"]) == 0
        assert signal.getsignal(signal.SIGTERM) is handler
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        assert main(["--version"]) == 0
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_standard_input_twice(shell):
    done = shell("S train - - --vocab-size 300 --model-prefix m < text.txt")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"spm-lite: error: standard input is named twice, but can be read only once: write '-' once\n"
