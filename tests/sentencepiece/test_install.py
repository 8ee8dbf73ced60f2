"""The drop-in under the name `sentencepiece`: with the real package beside it, and without."""

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import spm_lite
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

PROGRAM = """
import sys, importlib.util, pickle
import spm_lite
assert "sentencepiece" not in sys.modules
spm_lite.install_as_sentencepiece()
spm_lite.install_as_sentencepiece()
import sentencepiece as spm
import sentencepiece.sentencepiece_model_pb2 as model_pb2
from sentencepiece import sentencepiece_pb2, SentencePieceProcessor
assert spm.SentencePieceProcessor is spm_lite.SentencePieceProcessor is SentencePieceProcessor
assert spm.__version__ == "0.2.3" and spm.__spec__.name == "sentencepiece"
assert importlib.util.find_spec("sentencepiece") is spm.__spec__
assert importlib.util.find_spec("sentencepiece.sentencepiece_pb2") is sentencepiece_pb2.__spec__
assert spm.sentencepiece_model_pb2 is model_pb2
sp = SentencePieceProcessor(model_file=sys.argv[1])
model = model_pb2.ModelProto()
model.ParseFromString(sp.serialized_model_proto())
assert pickle.loads(pickle.dumps(model)) == model
assert pickle.loads(pickle.dumps(sp)).encode("hello") == sp.encode("hello")
assert isinstance(sp.encode("hello", return_type="proto"), sentencepiece_pb2.SentencePieceText)
namespace = {}
exec("from sentencepiece import *", namespace)
assert "SentencePieceTrainer" in namespace
"""

TAKEN = """
import sentencepiece, spm_lite
try:
    spm_lite.install_as_sentencepiece()
except ImportError as error:
    assert "force=True" in str(error)
else:
    raise SystemExit("no error")
spm_lite.install_as_sentencepiece(force=True)
import sentencepiece as again
assert again is not sentencepiece and again.SentencePieceProcessor is spm_lite.SentencePieceProcessor
import sentencepiece.sentencepiece_pb2
assert sentencepiece.sentencepiece_pb2.SentencePieceText.DESCRIPTOR.full_name == "spm_lite.SentencePieceText"
"""


def run(code, *arguments, options=(), **variables):
    command = [sys.executable, *options, "-c", code, *map(str, arguments)]
    environment = {**os.environ, **variables}
    folder = tempfile.gettempdir()  # not the source folder, which `-c` would put first on the path
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def model_file(model, tmp_path):
    path = tmp_path / "small.model"
    path.write_bytes(model)
    return path


def test_before_the_real_package(model_file):
    run(PROGRAM, model_file)


def test_after_the_real_package():
    run(TAKEN)


def test_without_the_real_package(model_file, tmp_path):
    """An environment that has what spm_lite needs at run time, and nothing else."""
    site = tmp_path / "site"
    site.mkdir()
    for name in ("spm_lite", "google", "numpy"):
        spec = find_spec(name)
        folder = Path(next(iter(spec.submodule_search_locations)))
        (site / name).symlink_to(folder, target_is_directory=True)
        if (libraries := folder.with_name(f"{name}.libs")).is_dir():
            (site / libraries.name).symlink_to(libraries, target_is_directory=True)
    absent = "import importlib.util\nassert importlib.util.find_spec('sentencepiece') is None\n"
    run(absent + PROGRAM, model_file, options=("-S",), PYTHONPATH=str(site))


def test_a_light_start():
    """What encodes and decodes needs nothing that takes as long to import as a model to load."""
    code = """
import sys
before = set(sys.modules)
import spm_lite
sp = spm_lite.SentencePieceProcessor(model_proto=sys.stdin.buffer.read())
assert sp.decode(sp.encode(["ab", "b"])) == ["ab", "b"]
slow = {"numpy", "google.protobuf", "dataclasses", "inspect", "logging", "pathlib", "csv", "difflib"}
assert not (set(sys.modules) - before) & slow, (set(sys.modules) - before) & slow
"""
    pieces = [("<unk>", 0.0, 2), ("a", -1.0, 1), ("b", -1.0, 1), ("\u2581", -1.0, 1)]
    model = write_model(pieces, TrainerSpec(model_type="bpe", byte_fallback=False), NormalizerSpec())
    root = str(Path(spm_lite.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], input=model, cwd=root, timeout=500, check=True)
