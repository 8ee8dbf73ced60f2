"""`spm-lite shards`: plan, run, missing, finish, verify, merge; exit code 1 where shards are missing or wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from oracle.small_models import small_model

from spm_lite import Tokenizer
from spm_lite.cli.main import main
from spm_lite.engines import shards

TEXTS = ["hello world", "", "the pen is 日本"] * 60


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("m.model").write_bytes(small_model(byte_fallback=True))
    Path("a.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    rows = "".join(json.dumps({"body": text}) + "\n" for text in TEXTS)
    Path("b.jsonl").write_text(rows, encoding="utf-8")
    return tmp_path


def test_from_plan_to_one_file(folder: Path, capfd: Any) -> None:
    plan = ["shards", "plan", "a.txt", "b.jsonl", "-m", "m.model", "-o", "out", "--shard-size", "1500", "--eos"]
    assert main([*plan, "--column", "body"]) == 0
    assert capfd.readouterr().out == "out/plan.json: tasks 0 to 4, of 2 files\n"
    assert main(["shards", "missing", "out/plan.json"]) == 1
    assert capfd.readouterr().out == "0\n1\n2\n3\n4\n"
    assert main(["shards", "run", "out/plan.json", "--task", "1"]) == 0
    assert capfd.readouterr().out.startswith("shard 1: ")
    assert main(["shards", "run", "out/plan.json", "--task", "3", "--json", "-j", "1"]) == 0
    assert json.loads(capfd.readouterr().out)["task"] == 3
    assert main(["shards", "missing", "out/plan.json", "--json"]) == 1
    assert json.loads(capfd.readouterr().out) == {"missing": [0, 2, 4], "tasks": 5}
    assert main(["shards", "finish", "out/plan.json"]) == 1
    assert "3 of 5 shards are missing in" in capfd.readouterr().err
    assert main(["shards", "run", "out/plan.json", "-j", "1"]) == 0
    assert capfd.readouterr().out.startswith("5 shards of megatron: 360 documents, ")
    assert main(["shards", "missing", "out/plan.json"]) == 0
    assert main(["shards", "finish", "out/plan.json", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["documents"] == 360
    assert main(["shards", "merge", "out", "-o", "merged", "-q"]) == 0
    assert capfd.readouterr().out == ""
    tok = Tokenizer.load("m.model")
    tok.encode_files(["a.txt", "b.jsonl"], "whole", column="body", format="megatron", eos=True)
    for suffix in (".bin", ".idx"):
        assert Path(f"merged{suffix}").read_bytes() == Path(f"whole{suffix}").read_bytes()


def test_verify(folder: Path, capfd: Any) -> None:
    assert main(["shards", "plan", "a.txt", "-m", "m.model", "-o", "out", "--shard-size", "1500", "--eos", "-q"]) == 0
    assert main(["shards", "verify", "out/plan.json", "-j", "1"]) == 1
    assert "shard 0: it is missing, or belongs to another plan: run task 0" in capfd.readouterr().out
    assert main(["shards", "run", "out/plan.json", "-j", "1", "-q"]) == 0
    assert main(["shards", "verify", "out/plan.json", "-j", "1"]) == 0
    told = capfd.readouterr().out.splitlines()
    assert told[0].startswith("2 shards: 180 documents and ")
    assert told[-1] == "problems: 0"
    assert main(["shards", "verify", "out/plan.json", "-j", "1", "--sample", "7", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["documents"], found["ends"], found["special"]["</s>"], found["problems"]) == (7, 7, 7, [])
    path = Path("out/00001.bin")
    path.write_bytes(b"\x09\x00" + path.read_bytes()[2:])
    assert main(["shards", "verify", "out/plan.json", "-j", "1", "--json"]) == 1
    found = json.loads(capfd.readouterr().out)
    assert (found["wrong"], found["problems"][0]["shard"], found["problems"][0]["document"]) == (1, 1, 0)
    assert found["problems"][0]["message"].startswith("id number 0 is 9 '<0x06>', expected ")
    assert main(["shards", "verify", "out/plan.json", "-j", "1", "-q"]) == 1
    assert capfd.readouterr().out == ""


def test_all_options_reach_the_plan(folder: Path) -> None:
    given = [
        "--format",
        "npy",
        "--dtype",
        "uint32",
        "--nulls",
        "empty",
        "--bos",
        "--separator",
        "<e>",
        "--plan",
        "p.json",
    ]
    assert main(["shards", "plan", "a.txt", "-m", "m.model", "-o", "out", *given, "--as-text", "-q"]) == 0
    plan = shards.load("p.json")
    expected = shards.plan(
        "a.txt", "out", "m.model", format="npy", dtype="uint32", nulls="empty", bos=True, separator="<e>", column=""
    )
    assert plan.options == expected.options


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to do: plan, run, missing, finish, verify, merge"),
        (["plam"], "'plam' is not one of plan, run, missing, finish, verify, merge; did you mean plan?"),
        (["plan", "a.txt"], "shards plan needs --model and --output"),
        (["plan", "-m", "m.model", "-o", "out"], "shards plan needs at least one FILE"),
        (["run"], "shards run takes the file of a plan, and 0 are given"),
        (["merge", "a", "b"], "shards merge takes the folder of a finished job, and 2 are given"),
        (["merge", "a"], "shards merge needs --output"),
        (["verify"], "shards verify takes the file of a plan, and 0 are given"),
        (["verify", "plan.json", "--sample", "0"], "--sample"),
        (["run", "plan.json", "--sample", "3"], "--sample is not an option of shards run"),
        (["run", "plan.json", "--eos"], "--eos is not an option of shards run"),
        (["plan", "a.txt", "-m", "m.model", "-o", "out", "--task", "3"], "--task is not an option of shards plan"),
        (["plan", "a.txt", "-m", "m.model", "-o", "out", "--format", "mds"], "'mds' is not one of megatron, datatrove"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, folder: Path, capfd: Any) -> None:
    assert main(["shards", *arguments]) == 2
    assert message in capfd.readouterr().err


def test_errors_of_the_data(folder: Path, capfd: Any) -> None:
    assert main(["shards", "run", "plan.json"]) == 1
    assert "plan.json" in capfd.readouterr().err
    assert main(["shards", "plan", "b.jsonl", "-m", "m.model", "-o", "out"]) == 0
    assert main(["shards", "run", "out/plan.json"]) == 1
    assert "b.jsonl', line 1: there is no field 'text': it has 'body'" in capfd.readouterr().err


def test_an_engine_runs_all_tasks(folder: Path, monkeypatch: Any, capfd: Any) -> None:
    from spm_lite.engines import ray, spark

    assert main(["shards", "plan", "a.txt", "-m", "m.model", "-o", "out", "--shard-size", "900", "-q"]) == 0
    for engine in (ray, spark):
        monkeypatch.setattr(engine, "run", lambda plan: plan.run(num_workers=1))
        assert main(["shards", "run", "out/plan.json", "--engine", engine.__name__.rpartition(".")[2]]) == 0
        assert "shards of megatron: 180 documents" in capfd.readouterr().out
    assert main(["shards", "run", "out/plan.json", "--engine", "ray", "--task", "1"]) == 2
    assert "leave out --task and -j" in capfd.readouterr().err
