"""tekken.json: the ids of mistral-common and tiktoken, special tokens first; damaged files are one error."""

import base64
import copy
import json

import pytest

import spm_lite
from spm_lite.errors import FileError, ModelError
from spm_lite.formats.proof.conversion import hostile_texts
from spm_lite.formats.tekken import OLD_TOKENS
from spm_lite.tokenizer.convert_files import convert
from spm_lite.tokenizer.loading import opened
from spm_lite.vocab.split_pattern_names import TEKKEN_PATTERN

MERGED = [b" t", b"he", b" the", b"in", b"ing", b"\xe4\xb8", b"\xe4\xb8\x96", b"12", b"  "]
PIECES = [bytes([byte]) for byte in range(256)] + MERGED
N_SPECIAL = 40
TEXTS = ["the thing  in the\n", "Then 1234 \u4e16\u754c", "<s> [INST]", "", *hostile_texts()]


def entry(rank, piece):
    return {
        "rank": rank,
        "token_bytes": base64.b64encode(piece).decode(),
        "token_str": piece.decode("utf-8", "replace"),
    }


def parts(version="v3", special=None):
    found = {
        "config": {
            "pattern": TEKKEN_PATTERN, "num_vocab_tokens": 1 + len(PIECES), "version": version,
            "default_vocab_size": N_SPECIAL + len(PIECES), "default_num_special_tokens": N_SPECIAL,
        },
        "vocab": [entry(rank, piece) for rank, piece in enumerate([*PIECES, b"unused"])],
    }  # fmt: skip
    if special is not None:
        found["special_tokens"] = [
            {"rank": rank, "token_str": text, "is_control": True} for rank, text in enumerate(special)
        ]
    return found


def written(tmp_path, value):
    path = tmp_path / "tekken.json"
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def test_ids(tmp_path):
    tok = spm_lite.Tokenizer.load(written(tmp_path, parts()), format="tekken.json")
    assert len(tok) == N_SPECIAL + len(PIECES)
    assert [tok.id_to_piece(i) for i in range(N_SPECIAL)] == [*OLD_TOKENS, *(f"<SPECIAL_{i}>" for i in range(20, 40))]
    assert (tok.bos_id, tok.eos_id, tok.pad_id) == (1, 2, 11)
    assert tok.info.split_pattern == TEKKEN_PATTERN
    assert tok.pieces("h the thing") == ["h", " the", " t", "h", "ing"]
    assert tok.encode("[INST]", allow_special=["[INST]"]) == [3]
    for text in TEXTS:
        assert tok.decode(tok.encode(text)) == text
        assert all(i >= N_SPECIAL for i in tok.encode(text))
    again = spm_lite.Tokenizer.load(tok.to_bytes())
    assert again.encode_lists(TEXTS) == tok.encode_lists(TEXTS)


def test_a_pattern_without_a_match_is_one(tmp_path):
    """An empty pattern cuts a text into nothing; `None` would say that the model has no pattern."""
    value = parts()
    value["config"]["pattern"] = ""
    tok = spm_lite.load(written(tmp_path, value))
    assert (tok.info.split_pattern, tok.encode("the thing")) == ("", [])


def test_ids_of_tiktoken(tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    tok = spm_lite.Tokenizer.load(written(tmp_path, parts()), format="tekken.json")
    ranks = {piece: rank for rank, piece in enumerate(PIECES)}
    other = tiktoken.Encoding("x", pat_str=TEKKEN_PATTERN, mergeable_ranks=ranks, special_tokens={})
    for text in TEXTS:
        assert tok.encode(text) == [N_SPECIAL + i for i in other.encode_ordinary(text)]


def test_special_tokens_of_the_file(tmp_path):
    tok = spm_lite.Tokenizer.load(
        written(tmp_path, parts("v11", ["<unk>", "<s>", "</s>", "[THINK]"])), format="tekken.json"
    )
    assert [tok.id_to_piece(i) for i in range(5)] == ["<unk>", "<s>", "</s>", "[THINK]", "<SPECIAL_4>"]
    assert tok.pad_id == -1


def test_converted(tmp_path):
    path = written(tmp_path, parts())
    assert opened(path)[0].name == "tekken.json"
    found = convert(path, tmp_path / "x.model")
    assert found.written.exact
    assert found.read is None or (found.read.exact and found.read.compared > 1000)
    tok = spm_lite.Tokenizer.load(tmp_path / "x.model")
    assert tok.encode_lists(TEXTS) == spm_lite.Tokenizer.load(path, format="tekken.json").encode_lists(TEXTS)
    convert(path, tmp_path / "x.json")
    again = spm_lite.Tokenizer.load(tmp_path / "x.json", format="tokenizer.json")
    assert again.encode_lists(TEXTS[:2]) == tok.encode_lists(TEXTS[:2])


def changed(*path, to):
    """The parts with one value changed; a `KeyError` stands for a value that is missing."""
    found = copy.deepcopy(parts("v11", ["<unk>", "<s>"]))
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    if to is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return found


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("config",), KeyError, "config is missing"),
        (("config",), [], "config is an array"),
        (("config", "pattern"), KeyError, "config.pattern is missing"),
        (("config", "pattern"), r"(a)\1", "config: pattern="),
        (("config", "pattern"), "a\ud800", "holds a lone surrogate at position 1"),
        (("config", "version"), 3, "config.version is a whole number"),
        (("config", "default_num_special_tokens"), -1, "default_num_special_tokens is -1"),
        (("special_tokens",), [{}] * 41, "there are 41 special tokens"),
        (("config", "default_num_special_tokens"), 2**63, "it must be 0 to"),
        (("config", "default_num_special_tokens"), True, "is true or false"),
        (("config", "default_vocab_size"), 2**63, "default_vocab_size asks for"),
        (("config", "default_vocab_size"), 200, "default_vocab_size asks for 160 pieces"),
        (("vocab",), {}, "vocab is an object"),
        (("vocab", 3), None, "vocab[3] is null"),
        (("vocab", 3, "rank"), 4, "vocab[3].rank is 4"),
        (("vocab", 1, "rank"), True, "vocab[1].rank is True"),
        (("vocab", 3, "rank"), KeyError, "vocab[3].rank is None"),
        (("vocab", 3, "token_bytes"), KeyError, "vocab[3].token_bytes is missing"),
        (("vocab", 3, "token_bytes"), 7, "vocab[3].token_bytes is a whole number: it must be a string"),
        (("vocab", 3, "token_bytes"), "BA==", "the first 256 pieces are the bytes in order"),
        (("vocab", 260, "token_bytes"), "?", "vocab[260].token_bytes is not base64"),
        (("vocab", 260, "token_bytes"), "\u00e9", "vocab[260].token_bytes is not base64"),
        (("vocab", 260, "token_bytes"), "", "a piece of 0 bytes"),
        (("vocab", 260, "token_bytes"), "IHQ=", "occurs twice, at rank 256"),
        (("special_tokens",), KeyError, "special_tokens is missing: files of version 'v11'"),
        (("special_tokens", 1), "<s>", "special_tokens[1] is a string"),
        (("special_tokens", 1, "rank"), 7, "special_tokens[1].rank is 7"),
        (("special_tokens", 1, "token_str"), "<unk>", "'<unk>' occurs twice"),
        (("special_tokens", 1, "token_str"), "<SPECIAL_9>", "'<SPECIAL_9>' occurs twice"),
        (("special_tokens", 1, "token_str"), "a\0", "must be text"),
        (("special_tokens", 1, "token_str"), "\ud800", "must be text"),
    ],
)
def test_damaged_files(path, to, message, tmp_path):
    with pytest.raises(ModelError) as caught:
        spm_lite.Tokenizer.load(written(tmp_path, changed(*path, to=to)), format="tekken.json")
    assert message in str(caught.value)


def test_special_token_with_the_text_of_a_piece(tmp_path):
    """Both have an id, as in mistral-common, where special tokens stand apart."""
    tok = spm_lite.Tokenizer.load(
        written(tmp_path, parts("v11", ["<unk>", "<s>", "</s>", "ing"])), format="tekken.json"
    )
    assert tok.pieces("ing") == ["ing"]
    assert tok.encode("ing") == [N_SPECIAL + PIECES.index(b"ing")]


def test_other_files(tmp_path):
    for data in (b"", b"{", b"[]", b"{}", b"[" * 10_000, b"\xff"):
        with pytest.raises(ModelError):
            spm_lite.Tokenizer.load(written(tmp_path, data), format="tekken.json")
    with pytest.raises(FileError):
        spm_lite.Tokenizer.load(tmp_path / "none.json", format="tekken.json")
    path = written(tmp_path, parts())
    assert spm_lite.load(path) == spm_lite.Tokenizer.load(path, format="tekken.json")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tekken_240718.json", "tekken_240911.json"])
def test_published_files_in_mistral_common(name, shared_data):
    data = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    import mistral_common

    path = f"{mistral_common.__path__[0]}/data/{name}"
    tok, other = spm_lite.Tokenizer.load(path, format="tekken.json"), data.Tekkenizer.from_file(path)
    assert len(tok) == other.n_words
    assert [tok.id_to_piece(i) for i in range(1000)] == [other.id_to_piece(i) for i in range(1000)]
    texts = list(hostile_texts())
    for corpus in sorted((shared_data / "corpora").glob("*.txt")):
        texts += corpus.read_text(encoding="utf-8").split("\n")[::50]
    for text, ids in zip(texts, tok.encode_lists(texts), strict=True):
        assert ids == other.encode(text, bos=False, eos=False)
        assert tok.decode(ids) == text
