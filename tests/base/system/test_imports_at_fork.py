"""A child forked while another thread imports does not wait for ever for that thread."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import spm_lite
from spm_lite.base.system import imports_at_fork

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# `import_slowly` begins to import a module in another thread, and returns while it is in the middle of that.
START = """
import importlib.machinery, os, sys, threading, time

def import_slowly(name):
    begun = threading.Event()
    class Slow:
        def find_spec(self, found, path, target=None):
            if found != name:
                return None
            spec = importlib.machinery.PathFinder.find_spec(found, path)
            work = spec.loader.exec_module
            def exec_module(module):
                begun.set()
                time.sleep(0.3)
                work(module)
            spec.loader.exec_module = exec_module
            return spec
    sys.meta_path.insert(0, Slow())
    thread = threading.Thread(target=__import__, args=(name,))
    thread.start()
    begun.wait()
    return thread

def end_of_child(work):
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def check(program: str) -> None:
    root = str(Path(spm_lite.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", START + program],
        env={**os.environ, "PYTHONPATH": root},
        cwd=sys.prefix,
        capture_output=True,
        text=True,
        timeout=500,  # a guard against hanging
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["spm_lite.training", "colorsys", "rich.console", "jinja2.environment"])
def test_a_fork_waits(name):
    check(f"import spm_lite; import_slowly({name!r}); assert end_of_child(lambda: __import__({name!r})) == 0")


def test_an_import_that_needs_a_lock():
    """The module makes message classes. The fork may not hold their lock while it waits for the import."""
    check("""
import spm_lite.vocab.messages as messages
with messages.one_at_a_time:
    thread = import_slowly("spm_lite.sentencepiece_model_pb2")
    time.sleep(0.5)  # the thread waits for the lock
assert end_of_child(lambda: __import__("spm_lite.sentencepiece_model_pb2")) == 0
thread.join()
""")


def test_a_lock_of_another_thread():
    check("""
import spm_lite.vocab.messages as messages
taken = threading.Event()
def hold():
    with messages.one_at_a_time:
        taken.set()
        time.sleep(0.3)
threading.Thread(target=hold).start()
taken.wait()
assert end_of_child(lambda: messages.message_class("ModelProto")) == 0
""")


@pytest.mark.parametrize("name", ["spm_lite.training", "colorsys"])
def test_an_import_that_begins_after_the_look(name):
    """Functions that were registered before ours run after it; another thread may run meanwhile."""
    check(f"""
os.register_at_fork(before=lambda: import_slowly({name!r}))
import spm_lite
assert end_of_child(lambda: __import__({name!r})) == 0
""")


def test_patience_ends():
    """A thread that holds the lock for good does not keep the process from forking; the child has a new lock."""
    check("""
import spm_lite.base.system.imports_at_fork as imports_at_fork
import spm_lite.vocab.messages as messages
imports_at_fork.PATIENCE = 3
taken, is_over = threading.Event(), threading.Event()
def hold():
    with messages.one_at_a_time:
        taken.set()
        is_over.wait()
threading.Thread(target=hold).start()
taken.wait()
assert end_of_child(lambda: messages.message_class("ModelProto")) == 0
is_over.set()
""")


@pytest.mark.slow
def test_threads_that_fork_at_once():
    check("""
import spm_lite.vocab.messages as messages
ends = []
def fork():
    for _ in range(30):
        ends.append(end_of_child(lambda: messages.message_class("ModelProto")))
threads = [threading.Thread(target=fork) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert ends == [0] * 90
assert messages.one_at_a_time.acquire(blocking=False)
""")


def test_an_interrupted_fork_leaves_no_lock_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython only prints what a hook raises, and forks: Ctrl-C after the locks were taken must not keep them."""
    lock, answers, free = threading.RLock(), iter([[]]), []

    def busy() -> list[str]:
        for answer in answers:
            return answer
        raise KeyboardInterrupt

    monkeypatch.setattr(imports_at_fork, "locks", [lock])
    monkeypatch.setattr(imports_at_fork, "busy_imports", busy)
    with pytest.raises(KeyboardInterrupt):
        imports_at_fork.before_fork()
    imports_at_fork.after_fork()
    thread = threading.Thread(target=lambda: free.append(lock.acquire(blocking=False)))
    thread.start()
    thread.join()
    assert free == [True]
