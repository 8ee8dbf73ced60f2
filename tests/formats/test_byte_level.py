"""Rank files and GPT-2's files: the same ids in tiktoken and tokenizers, and back; damaged files are refused."""

import base64
import json
import random
from functools import partial

import pytest
from oracle import byte_bpe

import spm_lite
from spm_lite.errors import ArgumentTypeError, FileError, ModelError, OptionError, SpmLiteError
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.gpt2_files import SPELLING, merge_lines, merge_pairs, spell
from spm_lite.formats.ranks.merge_parts import first_unmade, merge_parts
from spm_lite.formats.ranks.rank_file import read_lines, read_ranks
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.tokenizer.conversions import json_of, write_gpt2

MODES = [{}, {"treat_whitespace_as_suffix": True}, {"split_by_whitespace": False}]
BITS = [" ", "  ", "   ", "\n", "\t", "the", " the", "a", "世界", "é", "e\u0301", "🌍", "👨\u200d👩\u200d👧"]
BITS += ["ไทย", "\u2581", "\0", "x1", "=="]


def texts(n, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices(BITS, k=rng.randrange(16))) for _ in range(n)]


@pytest.fixture(scope="module", params=range(3), ids=["prefix", "suffix", "whole"])
def tok(request):
    return spm_lite.train(texts(3000, 1), model_type="byte_bpe", vocab_size=900, **MODES[request.param])


def ranks_of(path):
    return {base64.b64decode(piece): int(rank) for piece, rank in map(bytes.split, path.read_bytes().splitlines())}


def test_ids_are_those_of_the_raw_stream(tok):
    pieces = [tok.token_bytes(i) for i in range(len(tok) - 2)]
    for text in texts(300, 2):
        assert tok.encode(text) == byte_bpe.encode(text.encode(), pieces), text


@pytest.mark.slow
def test_tiktoken_gives_the_same_ids(tok, tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    path = tmp_path / "x.tiktoken"
    pattern = tok.to_tiktoken(path)
    theirs = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks_of(path), special_tokens={})
    many = [*texts(4000, 3), "".join(texts(500, 4))]
    assert theirs.encode_ordinary_batch(many) == tok.encode_lists(many)


def test_tokenizers_gives_the_same_ids(tok, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    write_gpt2(tok, tmp_path)
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    many = texts(1500, 5)
    assert [found.ids for found in theirs.encode_batch(many)] == tok.encode_lists(many)


def test_back_again(tok, tmp_path):
    pattern = tok.to_tiktoken(tmp_path / "x.tiktoken")
    assert write_gpt2(tok, tmp_path / "gpt2") == pattern
    one = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x.tiktoken", pattern=pattern, special_tokens=["<s>", "</s>"])
    two = spm_lite.Tokenizer.load(tmp_path / "gpt2", format="gpt2", pattern=pattern)
    for other in (one, two):
        assert [other.id_to_piece(i) for i in range(len(other))] == [tok.id_to_piece(i) for i in range(len(tok))]
        assert other.encode_lists(texts(500, 6)) == tok.encode_lists(texts(500, 6))
        assert (other.bos_id, other.eos_id) == (tok.bos_id, tok.eos_id)
        assert other.to_tiktoken(tmp_path / "again.tiktoken") == pattern
        assert (tmp_path / "again.tiktoken").read_bytes() == (tmp_path / "x.tiktoken").read_bytes()


def line(piece, rank):
    return base64.b64encode(piece) + b" %d\n" % rank


ALL_BYTES = b"".join(line(bytes([byte]), byte) for byte in range(256))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "no ranks"),
        (b"hello\n", "not base64"),
        (b"\xef\xbb\xbf" + ALL_BYTES, "mark of byte order"),
        (b"IQ== x\n", "not a number"),
        (b"IQ== -1\n", "not a number"),
        (b"I=Q= 0\n", "not base64"),
        (b"IQ== 0 0\n", "not a number"),
        (ALL_BYTES + line(b"ab", 255), "rank 255 occurs twice"),
        (ALL_BYTES + line(b"a", 256), "is also in line 98"),
        (ALL_BYTES + line(b"ab", 10**8), "are missing"),
        (ALL_BYTES + line(b"ab", 99999999999), "not a number"),
        (ALL_BYTES + line(b"a" * 8000, 256), "8000 bytes"),
        (ALL_BYTES + b" 256\n", "0 bytes"),
        (b"".join(ALL_BYTES.splitlines(True)[:255]), "0xFF has no rank"),
    ],
)
def test_damaged_rank_files(data, message, tmp_path):
    path = tmp_path / "bad.tiktoken"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message):
        spm_lite.Tokenizer.from_tiktoken(path, pattern=r"[\s\S]+")


def test_wrong_arguments(tmp_path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(ALL_BYTES)
    for call in (spm_lite.Tokenizer.from_tiktoken, partial(spm_lite.Tokenizer.load, format="gpt2")):
        with pytest.raises(OptionError, match="both say how a text is cut: give one of them"):
            call(path, pattern=r"[\s\S]+", name="gpt2")
        with pytest.raises(ArgumentTypeError, match="not NoneType"):
            call(None, name="gpt2")
    with pytest.raises(OptionError, match="the file does not say how a text is cut"):
        spm_lite.Tokenizer.from_tiktoken(path)
    with pytest.raises(ModelError, match=r"is a rank file of tiktoken, not one of vocab.json and merges.txt"):
        spm_lite.Tokenizer.load(path, format="gpt2")
    tok = spm_lite.byte_tokenizer()
    for write in (tok.to_tiktoken, partial(tok.save, format="vocab.txt")):
        with pytest.raises(ArgumentTypeError, match="path is str or PathLike, not int"):
            write(3)
    with pytest.raises(FileError, match="path is empty"):
        spm_lite.Tokenizer.from_tiktoken("", name="gpt2")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_merge_lines(end):
    data = f"#version: 0.2{end}a b{end}{end}# c{end}".encode()
    assert merge_lines(data) == [(2, "a b"), (4, "# c")]
    assert merge_pairs(data) == [("a", "b"), ("#", "c")]
    assert merge_pairs(b"#versions x") == []
    assert merge_lines(b"a b\n#version: 0.2\nc d") == [(1, "a b"), (3, "c d")]


def test_a_merge_that_reads_like_the_header_is_not_written(tmp_path):
    path, word = tmp_path / "x.tiktoken", b"#version1"
    path.write_bytes(ALL_BYTES + b"".join(line(word[:size], 254 + size) for size in range(2, 10)))
    tok = spm_lite.Tokenizer.from_tiktoken(path, pattern=r"[\s\S]+")
    with pytest.raises(OptionError, match="the merge of '#version1' begins with #version"):
        write_gpt2(tok, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert json_of(tok).count("#version") > 1


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_header_is_skipped_wherever_it_stands(place, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    lines = ["a b", "ab c"]
    lines.insert(place, "#version: 0.2")
    vocabulary = {text: byte for byte, text in SPELLING.items()} | {"ab": 256, "abc": 257}
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (tmp_path / "merges.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    tok = spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=r"[\s\S]+")
    files = map(str, (tmp_path / "vocab.json", tmp_path / "merges.txt"))
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*files))
    assert tok.encode("ababc") == theirs.encode("ababc").ids == [256, 257]


def test_a_pattern_that_cuts_a_piece_or_is_unknown(tmp_path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(ALL_BYTES + line(b"a b", 256))
    with pytest.raises(OptionError, match="cuts the piece 256"):
        spm_lite.Tokenizer.from_tiktoken(path, pattern=" *[^ ]+| +")
    with pytest.raises(OptionError, match=r"pattern=.*the escape .* at character 3"):
        spm_lite.Tokenizer.from_tiktoken(path, pattern=r"(a)\1")


def test_a_piece_that_merges_do_not_reach_is_refused(tmp_path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(ALL_BYTES + line(b"abc", 256))
    with pytest.raises(OptionError, match="do not join the bytes of the piece 256"):
        spm_lite.Tokenizer.from_tiktoken(path, pattern=r"[\s\S]+")


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ("[1]", "", "not an object"),
        ("{", "", "not JSON"),
        ('{"a": 1}', "", "not numbers from 0|two pieces|not a piece"),
        ('{"a": 0}', "", "byte 0x00 is not a piece"),
        (None, "a c\n", "line 1: .* two pieces whose join"),
        (None, "ab\n", "line 1"),
        (None, "#version: 0.2\na b\na b\n", "line 3.*two merges"),
        (None, "\ufeff#version: 0.2\na b\n", "mark of byte order"),
    ],
)
def test_damaged_gpt2_files(vocab, merges, message, tmp_path):
    whole = {text: byte for byte, text in SPELLING.items()} | {"ab": 256}
    (tmp_path / "vocab.json").write_text(json.dumps(whole) if vocab is None else vocab, encoding="utf-8")
    (tmp_path / "merges.txt").write_text(merges, encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=r"[\s\S]+")


def test_models_that_the_files_cannot_say(tmp_path):
    other = spm_lite.train(["a b"] * 9, vocab_size=264, model_type="bpe")
    with pytest.raises(OptionError, match="this model is of type 'bpe'"):
        other.to_tiktoken(tmp_path / "x")
    symbols = spm_lite.train(["ab ab"] * 9, vocab_size=261, model_type="byte_bpe", user_defined_symbols=["<x>"])
    with pytest.raises(OptionError, match="user-defined"):
        write_gpt2(symbols, tmp_path)


@pytest.mark.slow
def test_gpt2s_own_files(shared_data, tmp_path):
    folder = shared_data / "interop"
    (tmp_path / "vocab.json").write_bytes((folder / "gpt2.vocab.json").read_bytes())
    (tmp_path / "merges.txt").write_bytes((folder / "gpt2.merges.txt").read_bytes())
    tok = spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=r"[\s\S]+")
    assert len(tok) == 50257
    assert tok.piece_type(50256) == "control"
    assert tok.piece_to_id("<|endoftext|>") == 50256
    assert tok.decode(tok.encode("Hello  world")) == "Hello  world"
    ids = tok.encode("hello")
    assert [tok.token_bytes(i) for i in ids] == [b"hello"]


def test_spelling_is_reversible():
    every = bytes(range(256))
    assert unspell(spell(every)) == every
    assert unspell("\u2581") is None


def test_merge_parts_against_the_naive_loop():
    rng = random.Random(8)
    for _ in range(400):
        pieces = [bytes(rng.choices(b"abc", k=rng.randrange(2, 6))) for _ in range(12)]
        ranks = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
        text, limit = bytes(rng.choices(b"abc", k=rng.randrange(1, 14))), rng.randrange(13)
        below = {piece: rank for piece, rank in ranks.items() if rank < limit}
        assert merge_parts(text, ranks, limit) == byte_bpe.merged(text, below)


def random_merges(rng):
    """(pieces by rank, bytes of the first part of each), nearly all as merging makes them."""
    pool = [bytes([sign]) for sign in b"abc"[: rng.randrange(1, 4)]]
    pieces, lefts = [], []
    for _ in range(rng.randrange(1, 16)):
        left, right = rng.choice(pool[-8:]), rng.choice(pool)
        if left + right in pool or len(left + right) > 24:
            continue
        if rng.random() < 0.9:
            parts = merge_parts(left + right, {piece: i for i, piece in enumerate(pieces)}, len(pieces))
            if len(parts) != 2:
                continue
            left, right = parts if rng.random() < 0.95 else (left, right)
        pieces.append(left + right)
        pool.append(left + right)
        lefts.append(len(left))
    return pieces, lefts


def test_first_unmade_against_the_naive_loop():
    rng = random.Random(9)
    found = set()
    for _ in range(2000):
        pieces, lefts = random_merges(rng)
        below = [{other: i for i, other in enumerate(pieces[:k])} for k in range(len(pieces))]
        parts = [byte_bpe.merged(piece, ranks) for piece, ranks in zip(pieces, below, strict=True)]
        wrong = (k for k, left in enumerate(lefts) if len(parts[k]) != 2 or len(parts[k][0]) != left)
        expected = next(wrong, -1)
        shuffled = [*pieces, *{b"a", b"b", b"cab", b"abab", b"aaaaa"}.difference(pieces)]
        rng.shuffle(shuffled)
        order = list(map(shuffled.index, pieces))
        assert first_unmade(RankTable(shuffled), order, lefts) == (order[expected] if expected >= 0 else -1)
        spelled = [piece.translate(bytes.maketrans(b"abc", b"a\xe9\xff")).decode("latin-1") for piece in shuffled]
        sizes = [len(spelled[i][:left].encode()) for i, left in zip(order, lefts, strict=True)]
        table = RankTable([text.encode() for text in spelled])
        assert first_unmade(table, order, sizes, True) == (order[expected] if expected >= 0 else -1)
        found.add(min(expected, 4))
    assert found == {-1, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("<s>", "special_tokens is str"),
        ([3], "is a str, not int 3"),
        ([b"<s>"], "is a str, not bytes"),
        (["\ud800"], "lone surrogate"),
        (["a"], "'a' is a piece already"),
        (["<s>", "<s>"], "occurs twice"),
        ([""], "must not be empty"),
        ({"<s>": 255}, "the id 255 of '<s>' is that of one of the 256 pieces"),
        ({"<s>": 256, "</s>": 256}, "have the same id 256"),
        ({"<s>": 10**9}, "leaves more than 100000 ids"),
        ({"<s>": "256"}, "the id of '<s>' is an integer"),
    ],
)
def test_wrong_special_tokens(tokens, message, tmp_path):
    (tmp_path / "x.tiktoken").write_bytes(ALL_BYTES)
    with pytest.raises(SpmLiteError, match=message):
        spm_lite.Tokenizer.from_tiktoken(tmp_path / "x.tiktoken", pattern=r"[\s\S]+", special_tokens=tokens)
    if not isinstance(tokens, dict):
        with pytest.raises(SpmLiteError):
            spm_lite.byte_tokenizer(tokens)


def test_special_tokens_with_ids(tmp_path):
    (tmp_path / "x.tiktoken").write_bytes(ALL_BYTES)
    tokens = {"<|end|>": 258, "<|start|>": 256}
    tok = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x.tiktoken", pattern=r"[\s\S]+", special_tokens=tokens)
    assert [tok.id_to_piece(i) for i in range(256, len(tok))] == ["<|start|>", "<|unused 257|>", "<|end|>"]
    assert tok.encode("a<|end|>", allow_special=["<|end|>"]) == [97, 258]


def test_merges_that_are_cut_off(tok, tmp_path):
    """Pieces without a merge are special tokens only where they look like some, or are named."""
    pattern = write_gpt2(tok, tmp_path)
    merges = (tmp_path / "merges.txt").read_bytes()
    ends = [i for i, byte in enumerate(merges) if byte == 10]
    for end in (0, ends[0], ends[len(ends) // 2], ends[-2], ends[-1] - 1):
        (tmp_path / "merges.txt").write_bytes(merges[:end])
        with pytest.raises((ModelError, OptionError), match=r"no merge|not two pieces|not UTF-8"):
            spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=pattern)
    vocab = json.loads((tmp_path / "vocab.json").read_bytes())
    (tmp_path / "merges.txt").write_bytes(merges)
    for name in ("PAD", "\ud800"):
        (tmp_path / "vocab.json").write_text(json.dumps(vocab | {name: len(vocab)}), encoding="utf-8")
        with pytest.raises(OptionError, match=r"special_tokens|lone surrogate"):
            spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=pattern)
    (tmp_path / "vocab.json").write_text(json.dumps(vocab | {"PAD": len(vocab)}), encoding="utf-8")
    more = spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=pattern, special_tokens=["PAD"])
    assert more.encode("PAD", allow_special=["PAD"]) == [len(vocab)]
    with pytest.raises(OptionError, match="'XX' is not in"):
        spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=pattern, special_tokens=["PAD", "XX"])
    with pytest.raises(OptionError, match="'X' is a byte"):
        spm_lite.Tokenizer.load(tmp_path, format="gpt2", pattern=pattern, special_tokens=["X"])


def test_both_files_or_none(tok, tmp_path):
    write_gpt2(tok, tmp_path)
    before = [(tmp_path / name).read_bytes() for name in ("vocab.json", "merges.txt")]
    other = spm_lite.train(texts(50, 9), model_type="byte_bpe", vocab_size=260)
    (tmp_path / "merges.txt").unlink()
    (tmp_path / "merges.txt").mkdir()
    with pytest.raises(FileError, match="merges"):
        write_gpt2(other, tmp_path)
    assert (tmp_path / "vocab.json").read_bytes() == before[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["merges.txt", "vocab.json"]


def test_ranks_with_holes(tmp_path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(ALL_BYTES + line(b"ab", 257))
    with pytest.raises(OptionError, match="the id 256 has no piece"):
        spm_lite.Tokenizer.from_tiktoken(path, name="gpt2", special_tokens=["<s>"])
    tok = spm_lite.Tokenizer.from_tiktoken(path, name="gpt2", special_tokens={"<s>": 256, "</s>": 259})
    assert [tok.id_to_piece(i) for i in range(256, 260)] == ["<s>", "ab", "<|unused 258|>", "</s>"]
    assert tok.encode("ab<s>", allow_special=["<s>"]) == [257, 256]
    tok.to_tiktoken(tmp_path / "y.tiktoken")
    assert (tmp_path / "y.tiktoken").read_bytes() == path.read_bytes()
    with pytest.raises(OptionError, match="higher id than the special piece"):
        spm_lite.Tokenizer.from_tiktoken(path, pattern=r"[\s\S]+", special_tokens={"<s>": 256}).to_tiktoken(
            tmp_path / "z.tiktoken"
        )


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n"])
def test_rank_files_of_other_forms(end, tmp_path):
    """The fast reader and the slow one agree; order of the lines means nothing."""
    rng = random.Random(1)
    pieces = {rank: bytes(rng.choices(range(256), k=rng.randrange(2, 9))) for rank in range(256, 600)}
    lines = [line(piece, rank).rstrip() for rank, piece in {**{b: bytes([b]) for b in range(256)}, **pieces}.items()]
    rng.shuffle(lines)
    found = read_ranks(b"\n".join(lines) + end, "x")
    by_rank = dict(found.items())
    assert by_rank == read_lines(b"\n".join(lines) + end, "x")
    assert list(found) == list(range(600)) == list(by_rank)
    assert all(by_rank[rank] == piece for rank, piece in pieces.items())
    for wrong in (b"YQ=", b"Y", b"Y= 700", b"YQ==700", b"YQ== 700x", b"Y!== 700", b" 700", b"YQ== 700"):
        with pytest.raises(ModelError, match="line"):
            read_ranks(b"\n".join([*lines, wrong]), "x")


def test_ids_of_vocab_json_without_a_piece(tmp_path):
    """An empty text, and a hole: no text becomes such an id, and it decodes to nothing."""
    whole = {text: byte for byte, text in SPELLING.items()} | {"ab": 258, "": 260, "<s>": 262}
    (tmp_path / "vocab.json").write_text(json.dumps(whole), encoding="utf-8")
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n", encoding="utf-8")
    tok = spm_lite.load(tmp_path, format="gpt2", pattern=r"[\s\S]+", special_tokens=["<s>"])
    assert len(tok) == 263
    assert tok.encode("abc") == [258, 99]
    assert tok.decode([256, 258, 259, 260, 99]) == "abc"
    assert [tok.id_to_piece(i) for i in (256, 257, 259, 260, 261, 262)] == ["", "", "", "", "", "<s>"]
    again = spm_lite.load(tok.to_bytes())
    assert again == tok and again.encode("abc") == [258, 99]
