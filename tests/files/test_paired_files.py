"""A model and its list of pieces: both or none, and a kill in between leaves no list of another model."""

import os
import signal
from pathlib import Path

import pytest
from oracle.processes import dying_at_rename

import spm_lite
from spm_lite import FileError, OptionError, SentencePieceTrainer, Tokenizer
from spm_lite.cli.outputs import ModelFiles

SAVE = """
import sys
from spm_lite import Tokenizer
Tokenizer.load(sys.argv[1]).save("m.model", vocab=True)
"""
TRAIN = """
import sys
from spm_lite import SentencePieceTrainer
SentencePieceTrainer.train(input=sys.argv[1], model_prefix="m", model_type="char", vocab_size=8, minloglevel=9)
"""
COMMAND = """
import sys
from spm_lite.cli.main import main
main(["train", sys.argv[1], "-o", "m", "--model-type", "char", "--vocab-size", "300", "--quiet"])
"""


def pair(folder: Path) -> list[bytes | None]:
    paths = [folder / "m.model", folder / "m.vocab"]
    return [path.read_bytes() if path.exists() else None for path in paths]


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.slow
@pytest.mark.parametrize("work", [SAVE, TRAIN, COMMAND], ids=["save", "drop-in", "command"])
def test_killed_between_the_model_and_its_list(work, tmp_path):
    sources = []
    for i, text in enumerate(["ab abc\n", "xyz xy\n", "opq op\n"]):
        sources.append(str(tmp_path / f"{i}.txt"))
        Path(sources[-1]).write_text(text, encoding="utf-8")
        if work == SAVE:
            sources[-1] = str(tmp_path / f"{i}.bytes")
            model = spm_lite.train([text], model_type="char", vocab_size=300, hard_vocab_limit=False)
            Path(sources[-1]).write_bytes(model.to_bytes())
    wholes = []
    for source in sources:
        assert dying_at_rename(work, source, step=-1, cwd=tmp_path) == 0
        wholes.append(pair(tmp_path))
    old, new, last = wholes
    for steps in ((0,), (1,), (2,), (1, 1), (2, 0), (2, 1), (0, 2)):
        assert dying_at_rename(work, sources[0], step=-1, cwd=tmp_path) == 0
        assert pair(tmp_path) == old
        for step in steps:
            assert dying_at_rename(work, sources[1], step=step, cwd=tmp_path) == -signal.SIGKILL
            model, listed = pair(tmp_path)
            assert [model, listed] in (old, new) or listed is None
            assert model in (old[0], new[0])
        assert dying_at_rename(work, sources[2], step=-1, cwd=tmp_path) == 0
        assert pair(tmp_path) == last
        assert not [path.name for path in tmp_path.iterdir() if ".tmp" in path.name]


def test_neither_is_written_without_the_other(tmp_path):
    tok = spm_lite.byte_tokenizer()
    with pytest.raises(FileError, match="nowhere"):
        tok.save(tmp_path / "m.model", vocab=tmp_path / "nowhere" / "m.vocab")
    (tmp_path / "m.vocab").mkdir()
    with pytest.raises(FileError, match=r"m\.vocab"):
        tok.save(tmp_path / "m.model", vocab=True)
    assert [path.name for path in tmp_path.iterdir()] == ["m.vocab"]


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices")
def test_a_device_is_written_beside_a_file(tmp_path):
    tok = spm_lite.byte_tokenizer()
    tok.save("/dev/null", vocab=tmp_path / "pieces.txt")
    assert len((tmp_path / "pieces.txt").read_bytes().splitlines()) == 259
    tok.save(tmp_path / "m.model", vocab="/dev/null")
    assert Tokenizer.load(tmp_path / "m.model") == tok
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_links_stay_links(tmp_path):
    tok = spm_lite.byte_tokenizer()
    (tmp_path / "there").mkdir()
    for name in ("m.model", "m.vocab"):
        (tmp_path / name).symlink_to(tmp_path / "there" / name)
    for _ in range(2):
        tok.save(tmp_path / "m.model", vocab=True)
        assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["m.model", "m.vocab"]
    assert all((tmp_path / name).is_symlink() for name in ("m.model", "m.vocab"))


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_one_file_by_two_names_is_refused(tmp_path):
    (tmp_path / "m.vocab").symlink_to("m.model")
    for vocab in (True, tmp_path / "m.model"):
        with pytest.raises(OptionError, match=r"one file, since|the same path"):
            spm_lite.byte_tokenizer().save(tmp_path / "m.model", vocab=vocab)
    with pytest.raises(OptionError, match="one file, since"):  # before the training
        ModelFiles(str(tmp_path / "m"))
    ModelFiles(str(tmp_path / "m"), vocab=False)
    assert not (tmp_path / "m.model").exists()


def test_the_drop_in_writes_both_or_none(tmp_path):
    (tmp_path / "m.vocab").mkdir()
    with pytest.raises(RuntimeError):
        SentencePieceTrainer.train(
            sentence_iterator=iter(["ab abc"]), model_prefix=str(tmp_path / "m"), model_type="char", vocab_size=8,
            minloglevel=9,
        )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["m.vocab"]
