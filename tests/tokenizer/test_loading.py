"""`load` takes whatever holds a tokenizer, by its content, and says of anything else what it is."""

import copy
import gzip
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from oracle import partners

import spm_lite
from spm_lite import Tokenizer
from spm_lite.errors import ArgumentTypeError, FileError, ModelError, OptionError, SpmLiteError
from spm_lite.tokenizer.conversions import json_of, write_gpt2
from spm_lite.tokenizer.format_table import READING, all_formats

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a" * 16 + b"\nsize 2183982\n"
TEXTS = ["the cat sat", " The  cat, sat. ", "naïve café 12345", "a\nb", "\u4f60\u597d"]
PATTERN = " *[^ ]+| +"


def forms(data: bytes, folder: Path, name: str):
    """The content as a file under this name, as bytes, as memory, as an open file and as an address."""
    path = folder / name
    path.write_bytes(data)
    yield path
    yield str(path)
    yield data
    yield bytearray(data)
    yield memoryview(data)
    yield io.BytesIO(data)
    try:
        import fsspec  # noqa: F401
    except ImportError:
        return
    yield path.as_uri()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Format -> (content of a file, options, the Tokenizer that its own reader gives)."""
    folder = tmp_path_factory.mktemp("files")
    byte_bpe, bpe, words = map(partners.trained, ("byte_bpe", "bpe", "wordpiece"))
    bpe.save(folder / "m.model")
    byte_bpe.save(folder / "own.model")
    byte_bpe.to_tiktoken(folder / "x.tiktoken")
    (folder / "x.json").write_text(json_of(bpe), encoding="utf-8")
    bpe.to_gguf(folder / "x.gguf")
    partners.trained("wordpiece", normalization="bert_cased").save(folder / "vocab.txt", format="vocab.txt")
    (folder / "x.codes").write_text("#version: 0.2\nt h\nth e</w>\nc a\nca t</w>\n", encoding="utf-8")
    write_gpt2(byte_bpe, folder / "pair")
    found = {}
    for name, format, options, reader in (
        ("m.model", "model", {}, Tokenizer.load),
        ("own.model", "model", {}, Tokenizer.load),
        ("x.tiktoken", "tiktoken", {"pattern": PATTERN}, Tokenizer.from_tiktoken),
        ("x.json", "tokenizer.json", {}, partial(Tokenizer.load, format="tokenizer.json")),
        ("x.gguf", "gguf", {}, partial(Tokenizer.load, format="gguf")),
        ("vocab.txt", "vocab.txt", {"lowercase": False}, partial(Tokenizer.load, format="vocab.txt")),
        ("x.codes", "subword-nmt", {}, partial(Tokenizer.load, format="subword-nmt")),
    ):
        found[name] = ((folder / name).read_bytes(), format, options, reader(folder / name, **options))
    assert words.model_type == "wordpiece"
    pair = Tokenizer.load(folder / "pair", format="gpt2", pattern=PATTERN)
    merges = (folder / "pair" / "merges.txt").read_bytes()
    vocab = (folder / "pair" / "vocab.json").read_bytes()
    found["vocab.json"] = (vocab, "gpt2", {"pattern": PATTERN, "merges": merges}, pair)
    found["merges.txt"] = (merges, "gpt2", {"pattern": PATTERN, "vocabulary": vocab}, pair)
    return found


NAMES = ("m.model", "own.model", "x.tiktoken", "x.json", "x.gguf", "vocab.txt", "x.codes", "vocab.json", "merges.txt")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", ["", "x.model", "x", "tokenizer.json", "x.bin"])
def test_the_content_decides(files, name, other, tmp_path):
    data, _, options, own = files[name]
    if not other:
        other = name
    for given in forms(data, tmp_path, other):
        tok = spm_lite.load(given, **options)
        assert tok == own
        assert tok.encode_lists(TEXTS) == own.encode_lists(TEXTS)


@pytest.mark.parametrize("name", NAMES)
def test_a_named_format_is_the_one_that_reads(files, name, tmp_path):
    data, format, options, own = files[name]
    assert spm_lite.load(data, format=format, **options) == own
    for other, entry in all_formats().items():
        if other in (format, "transformers") or (name == "merges.txt" and other == "subword-nmt"):
            continue  # merges of bytes are valid codes, whose words have no ends
        known = {**options, "pattern": PATTERN, "lowercase": True}
        given = {key: known[key] for key in entry.asks if key in known and key not in ("merges", "vocabulary")}
        with pytest.raises(SpmLiteError):
            spm_lite.load(data, format=other, **given)


def test_a_text_or_dict_of_a_tokenizer_json(files):
    data, _, _, own = files["x.json"]
    assert spm_lite.load(data.decode()) == own
    assert spm_lite.load(json.loads(data)) == own
    given = json.loads(data)
    before = copy.deepcopy(given)
    spm_lite.load(given)
    assert given == before
    with pytest.raises(ModelError, match=r"config.json"):
        spm_lite.load({"architectures": ["LlamaForCausalLM"]})
    with pytest.raises(spm_lite.ArgumentTypeError, match="dict"):
        spm_lite.load({"model": object()})


def test_files_beside(files, tmp_path):
    vocab, merges = files["vocab.json"], files["merges.txt"]
    for names in (("vocab.json", "merges.txt"), ("a.vocab.json", "a.merges.txt")):
        folder = tmp_path / names[0]
        folder.mkdir()
        (folder / names[0]).write_bytes(vocab[0])
        with pytest.raises((OptionError, FileError), match="merges"):
            spm_lite.load(folder / names[0], pattern=PATTERN)
        (folder / names[1]).write_bytes(merges[0])
        for name in names:
            assert spm_lite.load(folder / name, pattern=PATTERN) == vocab[3]
    with pytest.raises(OptionError, match="pattern=REGEX"):
        spm_lite.load(tmp_path / "vocab.json")
    assert spm_lite.load(tmp_path / "vocab.json", pattern=PATTERN) == vocab[3]
    (tmp_path / "vocab.json" / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    assert "'(?:[sdmt]|" in str(spm_lite.load(tmp_path / "vocab.json").info.split_pattern)


def test_folders(files, tmp_path):
    for name in ("x.tiktoken", "x.gguf", "x.codes", "m.model"):
        folder = tmp_path / f"folder of {name}"
        folder.mkdir()
        with pytest.raises(FileError, match="nothing in it"):
            spm_lite.load(folder)
        (folder / name).write_bytes(files[name][0])
        (folder / "README.md").write_text("A tokenizer.")
        assert spm_lite.load(folder, **files[name][2]) == files[name][3]
        for other in (f"2{name}", "x.gguf", "x.tiktoken"):
            if other != name:
                (folder / other).write_bytes(files[name][0])
                with pytest.raises(FileError, match="holds several tokenizers"):
                    spm_lite.load(folder, **files[name][2])
                (folder / other).unlink()
    with pytest.raises(FileError, match="is a folder, and the format tiktoken is a file"):
        spm_lite.load(tmp_path, format="tiktoken")


def test_options_are_those_of_the_format(files, tmp_path):
    data = files["m.model"][0]
    for name in READING:
        with pytest.raises(OptionError, match=f"{name} has no meaning for a file of the format model, which takes no"):
            spm_lite.load(data, **{name: 1})
    with pytest.raises(OptionError, match=r"format tiktoken, which takes name, pattern, special_tokens"):
        spm_lite.load(files["x.tiktoken"][0], lowercase=True)
    with pytest.raises(OptionError, match=r"'patern' is unknown; did you mean pattern\?; formats of files take name"):
        spm_lite.load(files["x.tiktoken"][0], patern=PATTERN)
    with pytest.raises(OptionError, match=r"'tiktokn' is unknown \(did you mean tiktoken\?\): the formats are model, "):
        spm_lite.load(data, format="tiktokn")
    with pytest.raises(OptionError, match="name=NAME of its tokenizer"):
        spm_lite.load(files["x.tiktoken"][0])
    with pytest.raises(OptionError, match=r"lowercase=True"):
        spm_lite.load(files["vocab.txt"][0])
    with pytest.raises(spm_lite.ArgumentTypeError, match="a tokenizer is a path"):
        spm_lite.load(5)
    with pytest.raises(spm_lite.MissingFileError):
        spm_lite.load(tmp_path / "none")


def zipped(names: dict[str, bytes]) -> bytes:
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in names.items():
            file.writestr(name, data)
    return out.getvalue()


def as_json(**parts) -> bytes:
    return json.dumps(parts, indent=2).encode()


NO_TOKENIZERS = {  # content -> what it is
    "pointer": (POINTER, "a Git LFS pointer"),
    "pointer, Windows": (POINTER.replace(b"\n", b"\r\n"), "a Git LFS pointer"),
    "git-annex": (b"/annex/objects/MD5E-s2183982--4d7a.model\n", "a pointer of git-annex"),
    "xet": (b"# xet version 0\nfilesize = 5\nhash = 'ab'\n", "a pointer of Xet"),
    "page": (b"<!DOCTYPE html>\n<html><body>404</body></html>", "a web page"),
    "page without doctype": (b"\n\n<html lang=en><head>", "a web page"),
    "xml": (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "an XML document"),
    "safetensors": (
        (80).to_bytes(8, "little")
        + b'{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
        "a safetensors file",
    ),
    "pickle": (pickle.dumps({"vocab": {"a": 1}}), "a Python pickle"),
    "pickle 2": (pickle.dumps({"vocab": {"a": 1}}, 2), "a Python pickle"),
    "pickle 0": (pickle.dumps({"vocab": {"a": 1}}, 0), "a Python pickle"),
    "pickle 0, list": (pickle.dumps(["a", "b"], 0), "a Python pickle"),
    "zip": (zipped({"archive/data.pkl": pickle.dumps(1)}), "a zip archive"),
    "gzip": (gzip.compress(b'{"version": "1.0"}'), "gzip-compressed data"),
    "bzip2": (b"BZh91AY&SY", "bzip2-compressed data"),
    "xz": (b"\xfd7zXZ\0\0\x04", "xz-compressed data"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\0", "zstd-compressed data"),
    "hdf5": (b"\x89HDF\r\n\x1a\n\0\0", "an HDF5 file"),
    "numpy": (b"\x93NUMPY\x01\0v\0{'descr': '<f4'}", "a numpy array"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "a PDF document"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
    "program": (b"\x7fELF\x02\x01\x01\0", "a program"),
    "parquet": (b"PAR1\x15\x04\x15", "Parquet data"),
    "sqlite": (b"SQLite format 3\0\x10\0", "an SQLite database"),
    "tar": (b"a.txt".ljust(257, b"\0") + b"ustar\x0000", "a tar archive"),
    "config.json": (as_json(architectures=["T5"], model_type="t5", vocab_size=32128), "a config.json"),
    "tokenizer_config.json": (
        as_json(tokenizer_class="LlamaTokenizer", bos_token="<s>", model_max_length=4096),
        "a tokenizer_config.json",
    ),
    "tokenizer_config.json with tokens": (
        as_json(added_tokens_decoder={"0": {"content": "<unk>"}}, unk_token="<unk>"),
        "a tokenizer_config.json",
    ),
    "special_tokens_map.json": (
        as_json(bos_token="<s>", pad_token={"content": "<pad>"}, additional_special_tokens=[]),
        "a special_tokens_map.json",
    ),
    "added_tokens.json": (as_json(**{"<|im_end|>": 151645, "<|im_start|>": 151644}), "JSON of added tokens"),
    "generation_config.json": (as_json(_from_model_config=True, eos_token_id=2), "a generation_config.json"),
    "index": (as_json(metadata={}, weight_map={"w": "model-1.safetensors"}), "an index of tensors"),
    "preprocessor": (as_json(feature_extractor_type="WhisperFeatureExtractor"), "a preprocessor_config.json"),
    "notebook": (as_json(cells=[], nbformat=4, metadata={}), "a notebook"),
    "server": (as_json(error="Repository not found"), "an error message of a server"),
    "other JSON": (as_json(name="x", dependencies={}), "JSON of another kind (with the keys 'name', 'dependencies')"),
    "empty object": (b"{}", "JSON of another kind (an empty object)"),
    "JSON list": (b'["a", "b"]', "JSON of another kind (no object)"),
    "JSON lines": (b'{"text": "a"}\n{"text": "b"}\n', "JSON lines"),
    "damaged JSON": (b'{"vocab": {"a": 0, ', "JSON that is damaged or cut off"),
    "template": (b"{% for message in messages %}{{ message.content }}{% endfor %}", "a Jinja template"),
    "list of pieces": (b"<unk>\t0\n<s>\t0\n</s>\t0\n\xe2\x96\x81the\t-3.2\n", "a vocabulary list"),
    "list of counts": (b"the 500\ncat 30\nsat 7\n", "a list of pieces and counts"),
    "plain text": (b"The cat sat on the mat.\nIt was a fine mat.\n", "plain text"),
    "Markdown": (b"---\nlicense: mit\n---\n# A model\n", "plain text"),
    "Python": (b"import torch\n\nclass Tokenizer:\n    pass\n", "plain text"),
    "UTF-16": ("<unk>\n<s>\n".encode("utf-16"), "UTF-16 text"),
    "NUL": (b"\0" * 5000, "all NUL bytes"),
    "empty": (b"", "empty (0 bytes)"),
    "count table": (b"\x93spmcnt\n\x01\0\0", "a count table of spm_lite"),
}


@pytest.mark.parametrize("name", NO_TOKENIZERS)
def test_what_is_no_tokenizer_is_named(name, tmp_path):
    data, what = NO_TOKENIZERS[name]
    words = set()
    for i, given in enumerate(forms(data, tmp_path, "tokenizer.json" if "JSON" in name else "tokenizer.model")):
        with pytest.raises(ModelError) as caught:
            spm_lite.load(given)
        assert f" is {what}" in str(caught.value), i
        words.add(str(caught.value).partition(" is ")[2])
    assert len(words) == 1
    assert len(NO_TOKENIZERS) >= 39


READERS = {
    "tokenizer.json": partial(Tokenizer.load, format="tokenizer.json"),
    "vocab.txt": lambda path: Tokenizer.load(path, format="vocab.txt", lowercase=True),
    "x.tiktoken": lambda path: Tokenizer.from_tiktoken(path, name="gpt2"),
    "tekken.json": partial(Tokenizer.load, format="tekken.json"),
    "x.gguf": partial(Tokenizer.load, format="gguf"),
    "x.codes": partial(Tokenizer.load, format="subword-nmt"),
    "vocab.json": lambda path: Tokenizer.load(path.parent, format="gpt2", name="gpt2"),
    "tokenizer.model": lambda path: Tokenizer.from_hf(path.parent),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "name", ["pointer", "page", "safetensors", "pickle", "zip", "gzip", "config.json", "NUL", "empty"]
)
def test_every_reader_says_it_in_the_same_words(reader, name, tmp_path):
    data, what = NO_TOKENIZERS[name]
    path = tmp_path / reader
    path.write_bytes(data)
    (tmp_path / "merges.txt").write_bytes(data)
    with pytest.raises(ModelError) as caught:
        spm_lite.load(data)
    words = str(caught.value).partition(" is ")[2]
    with pytest.raises(ModelError) as caught:
        READERS[reader](path)
    assert str(caught.value).endswith(words)
    assert what in words


def test_nothing_is_unpickled(tmp_path):
    """Loading a pickle would make a file."""

    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "trap",)

    for level in range(6):
        with pytest.raises(ModelError, match="pickle"):
            spm_lite.load(pickle.dumps(Trap(), level))
    assert not (tmp_path / "trap").exists()


def test_a_long_file_is_not_read_whole(tmp_path):
    """A sparse file of many gigabytes that begins as tensors do."""
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write(NO_TOKENIZERS["safetensors"][0])
        file.truncate(1 << 34)
    with pytest.raises(ModelError, match="is a safetensors file"):
        spm_lite.load(path)


def test_conditions_are_kept(tmp_path):
    tok = partners.trained("bpe")
    parts = json.loads(json_of(tok))
    parts["normalizer"] = None
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    parts["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}
    assert spm_lite.load(parts).encode("a\tb") == tok.encode("a b")  # as there, by a step of its own
    found = spm_lite.load(parts, allow="metaspace")  # the nearest model of sentencepiece
    assert found._conditions
    assert any("swallow" in sentence for sentence in found._conditions)
    found.save(tmp_path / "x.model")
    for again in (spm_lite.load(tmp_path / "x.model"), pickle.loads(pickle.dumps(found)), found.add_pieces(["zebra"])):
        assert again._conditions == found._conditions
    assert spm_lite.load(tmp_path / "x.model") == found
    assert tok._conditions == ()
    assert found.encode("the cat") == tok.encode("the cat")
    sp = pytest.importorskip("sentencepiece").SentencePieceProcessor(model_proto=found.to_bytes())
    assert sp.encode("the cat") == found.encode("the cat")


def test_a_model_without_conditions_has_the_same_bytes(files):
    data, _, _, own = files["x.json"]
    assert own._conditions == ()
    assert spm_lite.load(own.to_bytes()).to_bytes() == own.to_bytes()
    assert spm_lite.load(files["m.model"][0]).to_bytes() == files["m.model"][0]
    assert spm_lite.load(data)._conditions == ()


def test_verify(files, tmp_path):
    pytest.importorskip("tokenizers")
    data = files["x.json"][0]
    (tmp_path / "texts.txt").write_text("the cat sat\n", encoding="utf-8")
    for verify in (TEXTS, tmp_path / "texts.txt", []):
        assert spm_lite.load(data, verify=verify) == files["x.json"][3]
    with pytest.raises(OptionError, match="no package gives ids of a file of the format gguf"):
        spm_lite.load(files["x.gguf"][0], verify=TEXTS)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_verify_a_model(kind):
    pytest.importorskip("sentencepiece")
    data = partners.trained(kind).to_bytes()
    assert spm_lite.load(data, verify=TEXTS).to_bytes() == data
    with pytest.raises(OptionError, match="sentencepiece reads no byte_bpe model"):
        spm_lite.load(partners.trained("byte_bpe").to_bytes(), verify=TEXTS)


def test_verify_names_the_package(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(OptionError, match="package tokenizers, which is not installed: pip install tokenizers"):
        spm_lite.load(files["x.json"][0], verify=TEXTS)


def test_an_ordinary_model_needs_no_other_module(tmp_path):
    """The readers of other formats are imported where one is met."""
    spm_lite.byte_tokenizer().save(tmp_path / "m.model")
    program = (
        "import sys, io, spm_lite; p = sys.argv[1]; spm_lite.load(p); spm_lite.load(open(p, 'rb').read());"
        "spm_lite.load(open(p, 'rb'));"
        "print([name for name in sys.modules if name.startswith('spm_lite.') and "
        "('formats' in name or 'loading' in name)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m.model")],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


def test_save_and_convert(files, tmp_path):
    tok = partners.trained("byte_bpe")
    for format, name in (
        ("tokenizer.json", "x.json"), ("tiktoken", "x.tiktoken"), ("gpt2", "pair"), ("transformers", "folder"),
        ("gguf", "x.gguf"), ("model", "x.anything"),
    ):  # fmt: skip
        if format == "gguf":
            with pytest.raises(OptionError):
                tok.save(tmp_path / name, format=format)
            continue
        found = tok.save(tmp_path / name, format=format)
        assert (found is None) == (format == "model")
        options = {"pattern": found.pattern} if found is not None and found.pattern else {}
        assert spm_lite.load(tmp_path / name, **options).encode_lists(TEXTS[:3]) == tok.encode_lists(TEXTS[:3])
        tok.save(tmp_path / name, format=format)  # again
    with pytest.raises(OptionError, match="can be read but not written"):
        tok.save(tmp_path / "tekken.json", format="tekken.json")
    with pytest.raises(OptionError, match="vocab"):
        tok.save(tmp_path / "y.json", vocab=True, format="tokenizer.json")
    made = spm_lite.convert(tmp_path / "x.json", tmp_path / "again.model")
    assert isinstance(made, spm_lite.Converted)
    assert made.written.exact
    assert spm_lite.load(tmp_path / "again.model").encode_lists(TEXTS) == made.tok.encode_lists(TEXTS)
    with pytest.raises(FileError, match="overwrite=True"):
        spm_lite.convert(tmp_path / "x.json", tmp_path / "again.model")
    assert spm_lite.convert(files["x.json"][0], tmp_path / "of-bytes", to="transformers").written.format


COMMANDS = {
    "count": ["count", "-m", "{}", "t.txt"],
    "encode": ["encode", "-m", "{}", "t.txt"],
    "show": ["show", "-m", "{}", "the cat"],
    "explain": ["explain", "-m", "{}", "the"],
    "vocab": ["vocab", "{}"],
    "inspect": ["inspect", "{}"],
    "normalize": ["normalize", "-m", "{}", "t.txt"],
    "compare": ["compare", "{}", "m.model", "t.txt"],
    "bench": ["bench", "{}", "t.txt", "--runs", "1"],
    "audit": ["audit", "{}"],
    "shards": ["shards", "plan", "t.txt", "-m", "{}", "-o", "out"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_every_format(command, files, tmp_path, monkeypatch, capfd):
    from spm_lite.cli.main import main

    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text("the cat\n" * 30, encoding="utf-8")
    for name in ("m.model", "x.json", "x.tiktoken", "x.gguf"):
        Path(name).write_bytes(files[name][0])
    for name in ("x.json", "x.tiktoken", "x.gguf"):
        shutil.rmtree("out", ignore_errors=True)
        words = [word.format(name) for word in COMMANDS[command]]
        assert main([*words, *(["--pattern", PATTERN] if name == "x.tiktoken" else []), "--quiet"]) == 0, name
    assert main([word.format("x.tiktoken") for word in COMMANDS[command]]) == 2
    assert "--name NAME" in capfd.readouterr().err
    assert main([*(word.format("x.gguf") for word in COMMANDS[command]), "--pattern", PATTERN]) == 2
    error = capfd.readouterr().err
    assert "--pattern has no meaning" in error


# The files of the shared data, if they are there.


def own_reading(path: Path):
    """The options that a file of the shared data needs, and the Tokenizer that its own reader gives."""
    name, suffix = path.name, path.suffix
    if suffix == ".model":
        return {}, Tokenizer._from_bytes(path.read_bytes(), "m")
    if name.endswith("vocab.txt"):
        return {"lowercase": True}, Tokenizer.load(path, format="vocab.txt", lowercase=True)
    if suffix == ".tiktoken":
        return {}, Tokenizer.from_tiktoken(path, name=path.stem)
    if suffix == ".codes":
        return {}, Tokenizer.load(path, format="subword-nmt")
    if suffix == ".gguf":
        return {}, Tokenizer.load(path, format="gguf")
    if name.endswith("tokenizer.json"):
        allow = ("metaspace", "unknown")
        return {"allow": allow}, Tokenizer.load(path, format="tokenizer.json", allow=allow)
    return None


def all_shared(folder: Path) -> list[Path]:
    return [
        path
        for part in ("models", "interop", "shapes")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    ]


def test_every_shared_file_is_read_or_refused(shared_data, tmp_path):
    n_read = n_refused = 0
    for path in all_shared(shared_data):
        data = path.read_bytes()
        if path.name in ("gpt2.vocab.json", "gpt2.merges.txt"):
            assert spm_lite.load(path).encode("the cat") == [1169, 3797]
            continue
        refusal: Exception | None = None
        try:
            found = own_reading(path)
        except (ModelError, OptionError) as error:
            found, refusal = None, error
        name = "x.tiktoken" if path.suffix != ".tiktoken" else "x.json"
        if found is None:
            with pytest.raises((ModelError, OptionError)) as caught:
                spm_lite.load(data, allow=("metaspace", "unknown"))
            message = str(caught.value)
            n_refused += 1
            if refusal is not None:  # with the component that cannot be read
                assert message.split(": ", 1)[1] in str(refusal), path
            else:
                assert ", not a tokenizer: " in message, path
            continue
        options, own = found
        n_read += 1
        texts = ["the cat sat", " a  b ", "12 \u00e9\u4f60", "I'm"]
        given = list(forms(data, tmp_path, name))
        for one in (given[0], given[2], given[5], *given[6:]):
            assert spm_lite.load(one, **options).encode_lists(texts) == own.encode_lists(texts), path
    assert n_read > 50
    assert n_refused > 200


def test_known_ranks_need_no_name(shared_data, tmp_path):
    path = shared_data / "interop" / "p50k_base.tiktoken"
    own = Tokenizer.from_tiktoken(path, name="p50k_base")
    assert spm_lite.load(path) == own
    windows = path.read_bytes().replace(b"\n", b"\r\n")
    assert spm_lite.load(windows).encode("I'm  the cat") == own.encode("I'm  the cat")
    other = path.read_bytes().replace(b"IQ== 0\n", b"IQ== 1\n").replace(b"Ig== 1\n", b"Ig== 0\n")
    with pytest.raises(OptionError, match="name=NAME"):
        spm_lite.load(other)


def test_shared_folders(shared_data):
    n_read = 0
    for folder in sorted((shared_data / "shapes").iterdir()):
        if not folder.is_dir():
            continue
        try:
            own = Tokenizer.from_hf(folder)
        except SpmLiteError as error:
            with pytest.raises(type(error)) as caught:
                spm_lite.load(folder)
            assert str(caught.value) == str(error)
            continue
        assert spm_lite.load(folder) == own
        n_read += 1
    assert n_read > 10


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("kind", ["model", "tokenizer.json"])
def test_a_named_pipe_is_read_once(tmp_path, kind):
    tok = partners.trained("byte_bpe")
    if kind == "model":
        data = tok.to_bytes()
    else:
        tok.save(tmp_path / "x.json", format=kind)
        data = (tmp_path / "x.json").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,), daemon=True)
    writer.start()
    assert spm_lite.load(tmp_path / "pipe").encode("the cat") == tok.encode("the cat")
    writer.join()


def test_flags_of_convert_are_flags(tmp_path):
    spm_lite.byte_tokenizer().save(tmp_path / "a.model")
    (tmp_path / "b.model").write_bytes(b"kept")
    for flag in ("overwrite", "check", "exact"):
        with pytest.raises(ArgumentTypeError, match=f"{flag}='no': must be True or False"):
            spm_lite.convert(tmp_path / "a.model", tmp_path / "b.model", **{flag: "no"})
    assert (tmp_path / "b.model").read_bytes() == b"kept"


def test_a_generator_of_texts_serves_both_comparisons(tmp_path):
    partners.trained("byte_bpe").save(tmp_path / "a.json", format="tokenizer.json")
    found = spm_lite.convert(tmp_path / "a.json", tmp_path / "b.json", verify=(text for text in ("a cat", "b")))
    assert found.written.n_verified == 2
    assert found.read is None or found.read.n_verified == 2


def test_open_files_as_options_are_read_once(tmp_path):
    tok = partners.trained("byte_bpe")
    pattern = tok.save(tmp_path / "pair", format="gpt2").pattern
    with (tmp_path / "pair" / "merges.txt").open("rb") as merges:
        found = spm_lite.convert(tmp_path / "pair" / "vocab.json", tmp_path / "x.model", merges=merges, pattern=pattern)
    assert found.tok.encode_lists(TEXTS[:3]) == tok.encode_lists(TEXTS[:3])


def test_a_conversion_keeps_what_stands_beside_the_model(tmp_path):
    tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=280, hard_vocab_limit=False)
    tok.to_hf(tmp_path / "a", bos=True, eos=True, chat_template="{{ x }}", model_max_length=99, padding_side="left")
    spm_lite.convert(tmp_path / "a", tmp_path / "b")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        one, other = (json.loads((tmp_path / folder / name).read_text()) for folder in "ab")
        assert one.get("post_processor") == other.get("post_processor")
        assert [one.get(key) for key in ("chat_template", "model_max_length", "padding_side")] == [
            other.get(key) for key in ("chat_template", "model_max_length", "padding_side")
        ]


def test_a_folder_with_a_model_of_any_type(tmp_path):
    for kind in ("byte_bpe", "wordpiece"):
        (tmp_path / kind).mkdir()
        tok = spm_lite.train(["the cat sat"] * 9, model_type=kind, vocab_size=264, hard_vocab_limit=False)
        tok.save(tmp_path / kind / "my.model")
        assert spm_lite.load(tmp_path / kind) == tok


def test_two_files_with_one_of_them_elsewhere(tmp_path):
    tok = partners.trained("byte_bpe")
    pattern = tok.save(tmp_path / "pair", format="gpt2").pattern
    (tmp_path / "elsewhere").mkdir()
    merges = (tmp_path / "pair" / "merges.txt").rename(tmp_path / "elsewhere" / "merges.txt")
    assert spm_lite.load(tmp_path / "pair", merges=merges, pattern=pattern).encode("the cat") == tok.encode("the cat")
    vocab = tmp_path / "pair" / "vocab.json"
    with pytest.raises(OptionError, match=r"is the vocab\.json itself: leave out vocabulary"):
        spm_lite.load(vocab, merges=merges, vocabulary=vocab, pattern=pattern)
    with pytest.raises(OptionError, match=r"merges: .*vocab\.json is not the merges\.txt"):
        spm_lite.load(vocab, merges=vocab, pattern=pattern)
    with pytest.raises(OptionError, match="bos has no meaning for the format model"):
        spm_lite.convert(vocab, tmp_path / "x.model", merges=merges, pattern=pattern, bos=True)


def test_an_open_file_that_was_read_says_so(tmp_path):
    spm_lite.byte_tokenizer().save(tmp_path / "a.model")
    with (tmp_path / "a.model").open("rb") as file:
        spm_lite.load(file)
        with pytest.raises(FileError, match=r"read already, up to byte \d+: seek\(0\) first"):
            spm_lite.load(file)
    with pytest.raises(ArgumentTypeError, match=r"a text of 200000 characters"):
        spm_lite.load("x\n" * 100_000)
    with pytest.raises(ArgumentTypeError, match="lowercase='yes': must be True or False"):
        spm_lite.load(b"[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n##b\n", format="vocab.txt", lowercase="yes")


def test_conditions_of_a_file_are_told_of_what_is_made_of_it(tmp_path, shared_data):
    tok = spm_lite.load(shared_data / "shapes" / "t5", allow="metaspace")
    for format in ("tokenizer.json", "gguf"):
        found = tok.save(tmp_path / format, format=format)
        assert set(tok.info.conditions) <= set(found.conditions)
        assert not found.exact


def test_two_files_of_an_unknown_tokenizer_are_refused_by_both_doors(tmp_path):
    partners.trained("byte_bpe").save(tmp_path / "pair", format="gpt2")
    for load in (spm_lite.load, spm_lite.Tokenizer.from_hf):
        with pytest.raises(OptionError, match="does not say how a text is cut"):
            load(tmp_path / "pair")


def test_saving_a_model_takes_no_options_of_other_formats(tmp_path):
    for options in ({"verify": ["a"]}, {"allow": "metaspace"}):
        with pytest.raises(OptionError, match="a model file keeps all: leave it out"):
            spm_lite.byte_tokenizer().save(tmp_path / "m.model", **options)


def test_old_readers_take_their_own_names_of_arguments(tmp_path):
    tok = partners.trained("byte_bpe")
    pattern = tok.save(tmp_path / "pair", format="gpt2").pattern
    with pytest.warns(DeprecationWarning, match="from_gpt2 is gone"):
        assert spm_lite.Tokenizer.from_gpt2(folder=tmp_path / "pair", pattern=pattern).encode("the") == tok.encode(
            "the"
        )


def test_a_long_file_that_may_be_damaged_is_read_whole(tmp_path, monkeypatch):
    partners.trained("byte_bpe").save(tmp_path / "x.json", format="tokenizer.json")
    data = b" " * 200_000 + (tmp_path / "x.json").read_bytes()
    (tmp_path / "y.json").write_bytes(data)
    monkeypatch.setattr("spm_lite.tokenizer.loading.LARGE", 1000)
    assert (
        spm_lite.load(tmp_path / "y.json", format="tokenizer.json").vocab_size
        == partners.trained("byte_bpe").vocab_size
    )


def test_several_files_are_read_once_each(tmp_path):
    from spm_lite.tokenizer.loading import load_several

    tok = partners.trained("byte_bpe")
    pattern = tok.save(tmp_path / "x.tiktoken", format="tiktoken").pattern
    tok.save(tmp_path / "x.model")
    paths = [str(tmp_path / "x.tiktoken"), str(tmp_path / "x.model")]
    made = load_several(spm_lite.Tokenizer._from_bytes, paths, {"pattern": pattern})
    assert [one.encode("the cat") for one in made] == [tok.encode("the cat")] * 2
    with pytest.raises(OptionError, match=r"lowercase has no meaning for any of .*x\.tiktoken"):
        load_several(spm_lite.Tokenizer._from_bytes, paths, {"lowercase": True})


def test_a_stream_of_bytes_turns_nothing_back():
    tok = spm_lite.byte_tokenizer()
    for errors in ("xx", "surrogatepass"):
        with pytest.raises(OptionError, match=errors):
            tok.stream(as_bytes=True, errors=errors)


def test_models_of_all_types_are_recognized():
    from spm_lite.vocab.other_formats import recognized

    made = [
        spm_lite.train(["the cat sat"] * 9, model_type=kind, vocab_size=270, hard_vocab_limit=False)
        for kind in ("unigram", "bpe", "char", "byte_bpe", "wordpiece")
    ]
    for tok in (*made, spm_lite.byte_tokenizer()):
        assert recognized(tok.to_bytes()).format == "model"
    with pytest.raises(ModelError, match=r"is a model|like a model"):
        spm_lite.load(made[3].to_bytes(), format="tiktoken", name="gpt2")


@pytest.mark.parametrize("name", ["pointer", "page", "zip", "git-annex"])
def test_files_beside_a_tokenizer_are_refused_in_the_same_words(name, tmp_path):
    data = NO_TOKENIZERS[name][0]
    tok = partners.trained("byte_bpe")
    pattern = tok.save(tmp_path / "pair", format="gpt2").pattern
    tok.to_hf(tmp_path / "hf")
    (tmp_path / "x.codes").write_text("#version: 0.2\nt h\nth e</w>\n", encoding="utf-8")
    (tmp_path / "other").write_bytes(data)
    with pytest.raises(ModelError) as caught:
        spm_lite.load(data)
    words = re.escape(str(caught.value).partition(" is ")[2])
    vocab, merges = tmp_path / "pair" / "vocab.json", tmp_path / "pair" / "merges.txt"
    for given in (data, tmp_path / "other", io.BytesIO(data)):
        with pytest.raises(ModelError, match=words):
            spm_lite.load(vocab, merges=given, pattern=pattern)
    for source in (merges, tmp_path / "x.codes"):
        with pytest.raises(ModelError, match=f"other is {words}"):
            spm_lite.load(source, vocabulary=tmp_path / "other", **({"pattern": pattern} if source == merges else {}))
    for config in ("tokenizer_config.json", "special_tokens_map.json"):
        kept = (tmp_path / "hf" / config).read_bytes()
        (tmp_path / "hf" / config).write_bytes(data)
        with pytest.raises(ModelError, match=f"{config} is {words}"):
            spm_lite.load(tmp_path / "hf")
        (tmp_path / "hf" / config).write_bytes(kept)
    merges.write_bytes(data)
    for source in (vocab, tmp_path / "pair"):
        with pytest.raises(ModelError, match=rf"merges\.txt is {words}"):
            spm_lite.load(source, pattern=pattern)
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "x.tiktoken").write_bytes(data)
    with pytest.raises(ModelError, match=rf"x\.tiktoken is {words}"):
        spm_lite.load(tmp_path / "alone")


def test_rules_of_a_model_of_words_write_utf8(tmp_path):
    (tmp_path / "rules.tsv").write_text("41\t111\n", encoding="utf-8")
    tok = spm_lite.train(
        ["the cat sat"] * 9, model_type="wordpiece", vocab_size=40, hard_vocab_limit=False,
        normalization=tmp_path / "rules.tsv",
    )  # fmt: skip
    tok.save(tmp_path / "m.model")
    data = (tmp_path / "m.model").read_bytes()
    (tmp_path / "m.model").write_bytes(data.replace("\u0111".encode(), b"\xc4("))
    with pytest.raises(spm_lite.ModelError, match=r"m\.model: a normalization rule writes bytes"):
        spm_lite.load(tmp_path / "m.model")


def test_a_damaged_file_of_two_is_named_as_it_is_called(tmp_path):
    tok = partners.trained("byte_bpe")
    pattern = tok.save(tmp_path / "pair", format="gpt2").pattern
    (tmp_path / "other").write_text("t h\nno merge at all\n")
    with pytest.raises(ModelError, match=r"other, line 1: 't h' is not|other, line 2: 'no merge at all' is not"):
        spm_lite.load(tmp_path / "pair" / "vocab.json", merges=tmp_path / "other", pattern=pattern)


def test_models_whose_first_piece_has_no_score_are_recognized(tmp_path):
    """Old programs of Google leave out a score of 0."""
    from spm_lite.vocab.other_formats import recognized

    data = partners.trained("bpe").to_bytes()
    first = data[: data.index(b"\n", 3 + len(b"<unk>"))]
    assert first == b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02"
    old = data.replace(first, b"\n\x09\n\x05<unk>\x18\x02", 1)
    assert recognized(old).format == "model"
    (tmp_path / "any-name.txt").write_bytes(old)
    assert spm_lite.load(tmp_path).encode("the cat") == partners.trained("bpe").encode("the cat")
    for text in (b"\n-\n-abc\n", b"\n\n\n\nthe cat\n"):
        assert recognized(text).format == ""


def test_a_text_that_is_neither_a_path_nor_json():
    for text in ("#version: 0.2\nt h\n", POINTER.decode(), "[PAD]\n[UNK]\n"):
        with pytest.raises(ArgumentTypeError, match=rf"a text of {len(text)} characters: pass the content .* as bytes"):
            spm_lite.load(text)


def test_an_error_names_the_file_once(shared_data):
    for name in ("gpt2.merges.txt", "bert_base_uncased.vocab.txt"):
        data = (shared_data / "interop" / name).read_bytes()
        with pytest.raises(OptionError) as caught:
            spm_lite.load(data)
        assert str(caught.value).count("bytes of memory") == 1
