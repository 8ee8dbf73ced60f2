"""Where a process may open no more files, calls raise errors of ours that say so. Nothing is lost or left behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.processes import FOLDER
from oracle.slow import slow_after

pytest.importorskip("numpy")
resource = pytest.importorskip("resource")

# Each call is made with more and more handles until there are enough: so it ends at each file that it opens.
PROGRAM = """
import json, os, resource, sys
from multiprocessing import active_children
from pathlib import Path
import spm_lite
from spm_lite import CountTable, Lock, SpmLiteError, Tokenizer
from spm_lite.engines import shards

def files():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}

def outcomes(call, last):
    call()
    found, k = [], 0
    outcome = ""
    while outcome != "done":
        for path in Path().glob(last):
            path.unlink()
        before = files()
        lowest = os.dup(0)
        os.close(lowest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + k, hard))
        try:
            call()
            outcome = "done"
        except SpmLiteError as error:
            outcome = str(error)
        except BaseException as error:
            outcome = f"{type(error).__name__}: {error}"
        found.append(outcome)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        k += 1
        if outcome != "done" and files() != before:
            found.append("files differ: " + ", ".join(files().keys() ^ before.keys()))
        if active_children():
            found.append("processes are left")
    return found

def main():
    texts = ["the cat sat on the mat", "a dog ran to the mat"] * 20
    Path("t.txt").write_text("\\n".join(texts))
    options = {"vocab_size": 290, "hard_vocab_limit": False, "num_threads": 1}
    tok, table = spm_lite.train(texts, **options), CountTable.count(texts)
    lock = spm_lite.lock(tok)
    tok.save("m.model")
    plan = shards.plan("t.txt", "job", spm_lite.byte_tokenizer(), shard_size=400)
    calls = {
        "load": (lambda: Tokenizer.load("m.model"), "none"),
        "save": (lambda: tok.save("m.model", vocab=True), "none"),
        "train": (lambda: spm_lite.train("t.txt", **options), "none"),
        "checkpoint": (lambda: spm_lite.train("t.txt", checkpoint="c", **options), "c/*"),
        "count": (lambda: tok.count_files("t.txt"), "none"),
        "table": (lambda: table.save("t.counts"), "none"),
        "lock": (lambda: lock.save("t.lock"), "none"),
        "open lock": (lambda: Lock.load("t.lock"), "none"),
        "ids": (lambda: tok.encode_files("t.txt", "ids.npy", num_threads=1), "ids*"),
        "shards": (lambda: plan.run(num_workers=1), "job/0*"),
        "processes": (lambda: plan.run(num_workers=2), "job/0*"),
    }
    print(json.dumps({name: outcomes(*calls[name]) for name in sys.argv[1:]}))

if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    main()
"""


FILES = ["load", "save", "train", "checkpoint", "count", "table", "lock", "open lock", "ids", "shards"]


@pytest.mark.parametrize("names", slow_after(1, [FILES, ["processes"]]))
def test_is_told(names: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": FOLDER},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name, outcomes in json.loads(done.stdout).items():
        assert len(outcomes) > 1, name
        for outcome in outcomes[:-1]:
            assert "Too many open files" in outcome, (name, outcome)
            assert "Error: " not in outcome, (name, outcome)
