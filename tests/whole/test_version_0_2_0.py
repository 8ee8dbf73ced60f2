"""What version 0.2.0 wrote is read: pickles, a count table, a checkpoint and a model, from before modules moved."""

import pickle
import shutil
import unicodedata
from pathlib import Path

import pytest

import spm_lite
import spm_lite.sentencepiece_model_pb2  # registers how messages are pickled
import spm_lite.sentencepiece_pb2
from spm_lite.engines import shards
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

FOLDER = Path(__file__).with_name("version_0_2_0")
LINES = (FOLDER / "lines.txt").read_text(encoding="utf-8").split("\n")[:-1]


@pytest.fixture(scope="module")
def tok():
    return spm_lite.Tokenizer.load(FOLDER / "bpe.model")


def unpickled(name):
    return pickle.loads((FOLDER / f"{name}.pickle").read_bytes())


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.pickle")))
def test_pickles_are_pickled_again(name):
    """Under the names of today, and equal where the class has an equality."""
    value = unpickled(name)
    again = pickle.dumps(value)
    assert b"spm_lite.model." not in again and b"pictures.steps" not in again
    assert type(pickle.loads(again)) is type(value)


def test_tokenizers(tok):
    assert unpickled("tokenizer") == tok
    assert unpickled("batch").to_lists() == tok.encode_batch(LINES[:5]).to_lists()
    assert unpickled("segmentations") == tok.nbest("the quick", 2)
    assert unpickled("quality") == spm_lite.evaluate(tok, LINES)
    assert unpickled("processor").encode("the fox") == tok.encode("the fox")
    old, new = unpickled("explanation"), tok.explain("the fox")  # whose diagrams say more
    assert [diagram.title for diagram in old.diagrams] == [diagram.title for diagram in new.diagrams]
    assert str(old).splitlines()[-1] == str(new).splitlines()[-1]
    assert unpickled("segments") == [spm_lite.Control("<s>"), spm_lite.Text("a")]


def test_messages(tok):
    assert unpickled("model_message").SerializeToString() == tok.to_bytes()
    assert [piece.id for piece in unpickled("text_message").pieces] == tok.encode("the fox")


def test_reports(tok):
    assert unpickled("report").vocab_size == tok.vocab_size
    assert "special piece" in str(unpickled("conversion"))
    assert isinstance(unpickled("error"), spm_lite.ArgumentTypeError)


def test_count_tables():
    table = spm_lite.CountTable.load(FOLDER / "lines.counts")
    assert unpickled("counts") == table == spm_lite.CountTable.count(LINES)


def test_a_plan_of_shards(tok, tmp_path, monkeypatch):
    shutil.copy(FOLDER / "lines.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    plan = unpickled("plan")
    assert isinstance(plan, shards.Plan)
    assert plan.missing() == list(range(len(plan)))


def test_a_checkpoint_is_resumed(tmp_path):
    """The model is that of a training without interruption."""
    folder = tmp_path / "checkpoint"
    shutil.copytree(FOLDER / "checkpoint", folder)
    assert (folder / "state.json").exists()
    options = {"vocab_size": 330, "character_coverage": 1.0, "num_threads": 1}
    resumed = spm_lite.train(LINES, checkpoint=folder, **options)
    assert resumed == spm_lite.train(LINES, **options)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_tables_of_the_forms_of_unicode(form):
    """Such files name the form and hold a table, which does not sort marks: so they did, and sentencepiece does."""
    sentencepiece = pytest.importorskip("sentencepiece")
    pieces = [("<unk>", 0.0, 2), ("\u2581", -1.0, 1), *((sign, -2.0, 1) for sign in "ae\u00e9\u1ea1\u0301\u0323\u0302")]
    spec = NormalizerSpec(form.lower(), charsmap_of(f"{form.lower()}_rules"))
    data = write_model(pieces, TrainerSpec(vocab_size=len(pieces), byte_fallback=False, bos_id=-1, eos_id=-1), spec)
    tok, other = spm_lite.load(data), sentencepiece.SentencePieceProcessor(model_proto=data)
    assert tok.to_bytes() == data
    for text in ("e\u0301", "a\u0302\u0323", "\u00e9 a\u0323", "e\u0301\u0323 e\u0323\u0301"):
        assert tok.encode(text) == other.encode(text)
    text = "\u0651\u064e"  # out of order
    assert tok.normalize(text) == f"\u2581{text}" != f"\u2581{unicodedata.normalize(form, text)}"
