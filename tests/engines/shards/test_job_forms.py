"""Plans, records and manifests that are damaged or of others are one typed error, or a shard that is made again."""

import json

import pytest

pytest.importorskip("numpy")

import spm_lite
from spm_lite.engines import shards
from spm_lite.errors import FileError, ModelError


@pytest.fixture
def job(tmp_path):
    (tmp_path / "a.txt").write_text("the cat\nsat on\n" * 20)
    made = shards.plan(tmp_path / "a.txt", tmp_path / "out", spm_lite.byte_tokenizer(), shard_size=150)
    made.run(num_workers=1)
    made.save(tmp_path / "plan.json")
    return made


def changed(path, place, value):
    data = json.loads(path.read_bytes())
    part = data
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("out",), 5, "the plan.out is 5, not the name of a file"),
        (("out",), "a\0", "not the name of a file"),
        (("model",), "a", "padding|base64"),
        (("options", "format"), "xml", "the plan.options.format is 'xml', not one of 'npy'"),
        (("options", "dtype"), "uint32", "the format megatron has no ids of type uint32"),
        (("options", "separator"), "\u3042", "Latin-1"),
        (("options", "reading"), {"nonsense": 1}, "reading.nonsense is 1, not an option of reading"),
        (("options", "reading"), {"columns": []}, "columns is empty"),
        (("sources", 0), ["a"], r"sources\[0\] has 1 values, not 5"),
        (("tasks", 0, 0, 0), 7, "task 0 is from 0 to .* of file 7"),
        (("tasks", 0, 0, 1), 10**9, "task 0 is from 1000000000"),
        (("tasks", 0, 0, 2), -1, "not a whole number"),
        (("version",), "1", "the plan.version is '1'"),
        (("version",), 2, "is a plan of version 2"),
    ],
)
def test_plans(job, tmp_path, place, value, message):
    changed(tmp_path / "plan.json", place, value)
    with pytest.raises(ModelError, match=rf"plan\.json.*({message})"):
        shards.load(tmp_path / "plan.json")


def test_a_deep_plan(tmp_path):
    (tmp_path / "plan.json").write_bytes(b"[" * 100_000)
    with pytest.raises(ModelError, match="nested too deep"):
        shards.load(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("place", "value"),
    [(("ids",), "9"), (("spans",), [[0, 1]]), (("files", 0, "name"), "../00000.bin"), (("files", 0, "sha256"), 1)],
)
def test_a_damaged_record_is_made_again(job, tmp_path, place, value):
    before = (tmp_path / "out" / "00001.json").read_bytes()
    changed(tmp_path / "out" / "00001.json", place, value)
    assert job.missing() == [1]
    job.run(num_workers=1)
    assert (tmp_path / "out" / "00001.json").read_bytes() == before


def test_a_record_of_another_file(job, tmp_path):
    changed(tmp_path / "out" / "00001.json", ("spans",), [[3, 0, 5]])
    with pytest.raises(FileError, match=r"shard 1 is of file 3, and the plan has 1 files: remove 00001\.json"):
        job.finish()


def test_a_record_that_lacks_a_file(job, tmp_path):
    data = json.loads((tmp_path / "out" / "00001.json").read_bytes())
    changed(tmp_path / "out" / "00001.json", ("files",), data["files"][:1])
    assert "names other files than a shard of this format has" in str(job.verify(num_workers=1))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("figures",), [1], "the manifest.figures has 1 values, not 6"),
        (("figures", 4), "xml", r"figures\[4\] is 'xml', not one of"),
        (("files", 0), [], "the files of shard 0 are not those"),
        (("tasks", 0, 0, 0), 9, "task 0 is from"),
        (("inputs",), "", "the manifest.inputs is '', not a SHA-256"),
    ],
)
def test_a_damaged_manifest(job, tmp_path, place, value, message):
    changed(tmp_path / "out" / "manifest.json", place, value)
    with pytest.raises(FileError, match=rf"manifest\.json' is damaged: .*{message}"):
        shards.merge(tmp_path / "out", tmp_path / "all")
