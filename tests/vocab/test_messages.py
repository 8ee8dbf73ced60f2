import os
import subprocess
import sys
from importlib import import_module

import pytest
from oracle import extras
from oracle.repository import ROOT

from spm_lite.vocab import messages, schema

GENERATOR = ROOT / "tools" / "generate" / "schema.py"
OURS = "from spm_lite.vocab.messages import message_class as c; ours = c('ModelProto')()"
THEIRS = "from sentencepiece import sentencepiece_model_pb2 as p; theirs = p.ModelProto()"
USE = """
ours.pieces.add(piece="a", score=-1)
ours.trainer_spec.model_type = 2
theirs.ParseFromString(ours.SerializeToString())
assert theirs.pieces[0].piece == "a" and theirs.trainer_spec.model_type == 2
assert theirs.SerializeToString() == ours.SerializeToString()
assert type(theirs) is not type(ours)
"""


def run(program):
    """Run a program in a process of its own, with the same import path."""
    path = f"import sys; sys.path[:0] = {[entry for entry in sys.path if entry]!r}\n"
    done = subprocess.run([sys.executable, "-W", "error", "-c", path + program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_lives_beside_the_original(first):
    pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)  # wants a new protobuf
    imports = [OURS, THEIRS] if first == "ours" else [THEIRS, OURS]
    run("\n".join([*imports, USE]))


def test_protobuf_is_imported_on_first_use():
    run("import sys, spm_lite.vocab.model_file; assert not [name for name in sys.modules if name.startswith('google')]")


PURE = """
import os, pickle
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
from google.protobuf.internal import api_implementation
assert api_implementation.Type() == "python"
from spm_lite import sentencepiece_model_pb2, sentencepiece_pb2
for model in (sentencepiece_model_pb2.ModelProto(), sentencepiece_pb2.SentencePieceText()):
    inner = type(model).SentencePiece
    piece = model.pieces.add(piece="a")
    assert type(piece) is inner and pickle.loads(pickle.dumps(piece)) == inner(piece="a")
    assert pickle.loads(pickle.dumps(model)) == model
"""


STRINGS = """
import os
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
import spm_lite
from spm_lite.vocab.model_writer import write_model
from spm_lite.specs import NormalizerSpec, TrainerSpec

trainer = TrainerSpec(model_type="unigram", byte_fallback=False)
data = write_model([("<unk>", 0.0, 2), (b"\\xff", 0.0, 1)], trainer, NormalizerSpec())
sp = spm_lite.SentencePieceProcessor(model_proto=data)
assert sp.id_to_piece(1)
for call in (
    lambda: spm_lite.Tokenizer.load(data)._file.message(),
    sp.serialized_model_proto,
    lambda: sp.encode(b"a\\xff", return_type="proto"),
    lambda: sp.EncodeAsImmutableProto(b"a\\xff").pieces,
):
    try:
        call()
    except (spm_lite.ModelError, spm_lite.TextError) as error:
        assert str(error).count("can't decode") == 1 and "Install protobuf with its compiled part" in str(error), error
    else:
        raise AssertionError
"""


@pytest.mark.parametrize("program", [PURE, STRINGS])
def test_protobuf_without_compiled_code(program):
    """What it is where no wheel of it fits."""
    run(program)


@pytest.mark.dev
def test_schema_is_what_the_generator_makes():
    extras.need("grpc_tools")
    if not GENERATOR.exists():
        pytest.skip("no source tree")
    done = subprocess.run([sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, "run tools/generate/schema.py" + done.stderr


def described(descriptor):
    """Fields and enums of a message and its inner messages, without package names."""
    fields = {
        field.number: (
            field.name,
            field.type,
            field.is_repeated if hasattr(field, "is_repeated") else field.label,
            field.has_default_value and field.default_value,
            field.message_type and field.message_type.name,
        )
        for field in descriptor.fields
    }
    enums = {enum.name: dict(enum.values_by_name.items()) for enum in descriptor.enum_types}
    numbers = {name: {key: value.number for key, value in values.items()} for name, values in enums.items()}
    return fields, numbers, {inner.name: described(inner) for inner in descriptor.nested_types}


@pytest.mark.parametrize("name", ["TrainerSpec", "NormalizerSpec"])
def test_specs_agree_with_the_original(name):
    pb2 = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    assert described(messages.message_class(name).DESCRIPTOR) == described(getattr(pb2, name).DESCRIPTOR)


def test_pieces_agree_with_the_original():
    pb2 = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    theirs = described(pb2.ModelProto.DESCRIPTOR)
    ours = described(messages.message_class("ModelProto").DESCRIPTOR)
    assert ours[2]["SentencePiece"] == theirs[2]["SentencePiece"]
    assert all(theirs[0][number] == field for number, field in ours[0].items())


@pytest.mark.parametrize("name", ["SentencePieceText", "NBestSentencePieceText"])
def test_texts_agree_with_the_original(name):
    pb2 = pytest.importorskip("sentencepiece.sentencepiece_pb2", exc_type=ImportError)
    assert described(messages.message_class(name).DESCRIPTOR) == described(getattr(pb2, name).DESCRIPTOR)


def test_extension():
    model = messages.message_class("ModelProto")()
    assert not messages.has_extension(model)
    assert not messages.extension_of(model).lossless
    assert not messages.has_extension(model)
    messages.extension_of(model).lossless = True
    again = messages.message_class("ModelProto").FromString(model.SerializeToString())
    assert messages.has_extension(again)
    assert messages.extension_of(again).lossless


def test_classes_are_made_once():
    assert messages.message_class("TrainerSpec") is messages.message_class("TrainerSpec")
    assert isinstance(messages.message_class("ModelProto")().trainer_spec, messages.message_class("TrainerSpec"))
    with pytest.raises(KeyError):
        messages.message_class("Nothing")


def test_every_field_has_a_comment():
    source = ROOT / "proto" / "spm_lite_model.proto"
    if not source.exists():
        pytest.skip("no source tree")
    lines = [
        line for line in source.read_text(encoding="utf-8").splitlines() if " = " in line and line.startswith("  ")
    ]
    assert len(lines) > 70
    assert [line for line in lines if "//" not in line and "optional Extension" not in line] == []
    assert schema.MODEL.startswith(b"\n\x14spm_lite_model.proto")


@pytest.mark.parametrize("implementation", ["", "python"])
def test_first_messages_on_many_threads(implementation):
    """In pure Python a class is there before its fields are. All threads get the same class, of one pool."""
    run(f"""
import os
if {implementation!r}:
    os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = {implementation!r}
import google.protobuf.descriptor_pool, google.protobuf.message_factory, threading
from spm_lite.vocab.messages import message_class
sys.setswitchinterval(1e-6)
start, found = threading.Barrier(8), []
def first():
    start.wait()
    try:
        kind = message_class("ModelProto")
        kind().trainer_spec.SetInParent()
        found.append(kind)
    except Exception as error:
        found.append(error)
threads = [threading.Thread(target=first) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8, found
assert len(set(map(id, found))) == 1 and isinstance(found[0], type), found
""")


FORK = """
import os, signal, threading
from spm_lite.vocab import messages

made, go_on = threading.Event(), threading.Event()
make_class = messages.make_class

def slow(name):
    made.set()
    go_on.wait(500)
    return make_class(name)

messages.make_class = slow
thread = threading.Thread(target=messages.message_class, args=("ModelProto",))
thread.start()
made.wait(500)
os.register_at_fork(before=go_on.set)  # before what the package does then
child = os.fork()
if child == 0:
    signal.alarm(500)  # only against a test that hangs
    messages.message_class("TrainerSpec")
    os._exit(7)
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_while_another_thread_makes_a_class():
    """The child has no such thread, so nobody would release the lock there."""
    run("import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n" + FORK)


def test_no_memory_is_a_memory_error(monkeypatch):
    """protobuf says it in the words of another error."""
    real = import_module("google.protobuf.message")

    class Refusing:
        DESCRIPTOR = messages.message_class("ModelProto").DESCRIPTOR

        @staticmethod
        def FromString(data):
            raise real.DecodeError("Error parsing message with type 'spm_lite.ModelProto': Arena alloc failed")

        def SerializeToString(self, deterministic):
            raise real.EncodeError("Failed to serialize proto")

    monkeypatch.setitem(messages.classes, "ModelProto", Refusing)
    with pytest.raises(MemoryError, match="ModelProto of 3 bytes"):
        messages.read_message("ModelProto", b"abc")
    with pytest.raises(MemoryError, match="ModelProto"):
        messages.serialize(Refusing())
