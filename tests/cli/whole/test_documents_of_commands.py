"""Each command with each option that says what a document is, on a file, on standard input and on a slow pipe."""

import subprocess
import sys

import pytest

import spm_lite

TEXT = b"the cat|sat on\nthe mat|the cat sat|\n" * 20
OPTIONS = [["--separator", "|"], ["--whole-files"], ["--keep-newlines"], []]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("documents")
    (place / "text.txt").write_bytes(TEXT)
    spm_lite.train(place / "text.txt", vocab_size=285, model_type="bpe", hard_vocab_limit=False).save(place / "m.model")
    return place


def run(folder, *arguments, is_slow=False):
    program = [sys.executable, "-m", "spm_lite", *arguments]
    with subprocess.Popen(
        program, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        if is_slow:
            for byte in TEXT[:3]:
                process.stdin.write(bytes([byte]))
                process.stdin.flush()
        out, error = process.communicate(TEXT[3:] if is_slow else TEXT, timeout=300)
    assert process.returncode == 0, error.decode()
    return out


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=["separator", "whole", "newlines", "lines"])
def test_train_and_encode_take_files_and_pipes_alike(folder, options):
    train = ["train", "--vocab-size", "285", "--model-type", "bpe", "--no-hard-vocab-limit", "--quiet", *options]
    models = []
    for name, files, is_slow in (("a", ["text.txt"], False), ("b", [], False), ("c", ["-"], True)):
        run(folder, *train, "--model-prefix", name, *files, is_slow=is_slow)
        models.append((folder / f"{name}.model").read_bytes())
    assert models[0] == models[1] == models[2]
    encode = ["encode", "--model", "m.model", *options]
    assert run(folder, *encode, "text.txt") == run(folder, *encode) == run(folder, *encode, "-", is_slow=True)
