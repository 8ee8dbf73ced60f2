"""WordPiece segmentation against trying every end, the worked examples, and the tokenizers package."""

import random

import pytest
from oracle import wordpiece
from oracle.slow import slow_after

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

EXAMPLE = ["un", "##help", "##ful", "##ness", "##able", "token", "##ization", "##ize", "the", "##s", "play", "##ing"]
EXAMPLE += ["##er", "##ed", "help", "##less"]


def tok_of(pieces, *, rules="identity", **options):
    spec = TrainerSpec(
        model_type="wordpiece", vocab_size=len(pieces) + 1, byte_fallback=False, unk_piece="[UNK]", **options
    )
    entries = [("[UNK]", 0.0, 2), *((piece, -float(i), 1) for i, piece in enumerate(pieces))]
    from spm_lite.normalize.rules.named_rules import charsmap_of

    normalizer = NormalizerSpec(rules, charsmap_of(rules), add_dummy_prefix=False, remove_extra_whitespaces=True)
    return spm_lite.Tokenizer.load(write_model(entries, spec, normalizer))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("tokenization", "token ##ization"),
        ("unhelpfulness", "un ##help ##ful ##ness"),
        ("players", "play ##er ##s"),
        ("helpless", "help ##less"),
    ],
)
def test_worked_examples(word, expected):
    assert tok_of(EXAMPLE).pieces(word) == expected.split()


def test_the_longest_piece_wins():
    tok = tok_of(["un", "afford", "##afford", "##able", "able", "car"])
    assert tok.pieces("unaffordable") == ["un", "##afford", "##able"]


@pytest.mark.parametrize("seed", slow_after(20, range(200)))
def test_random_vocabularies(seed):
    rng = random.Random(seed)
    letters = rng.choice(["ab", "abc", "aé世"])
    prefix, by_char = rng.choice(["##", "@", "", "a"]), rng.random() < 0.5
    texts = ["".join(rng.choices(letters, k=rng.randrange(1, 7))) for _ in range(rng.randrange(1, 30))]
    pieces = list(dict.fromkeys(rng.choice(["", prefix]) + text for text in texts))
    longest = rng.choice([5, 100, 10_000])
    tok = tok_of(
        pieces, continuation_prefix=prefix, unknown="char" if by_char else "word", max_word_length=longest,
        split_by_punctuation=False,
    )  # fmt: skip
    words = ["".join(rng.choices(letters, k=rng.choice([1, 3, 8, 20, 700]))) for _ in range(12)]
    expected = [piece for word in words for piece in wordpiece.segment(word, set(pieces), prefix, by_char, longest)]
    ids = tok.encode(" ".join(words))
    assert ["?" if i == 0 else tok.id_to_piece(i) for i in ids] == expected
    assert tok.count(" ".join(words)) == len(ids)
    assert tok.encode_batch([" ".join(words)] * 3, num_threads=2).to_lists() == [ids] * 3


def test_adversarial_words_take_linear_time():
    """Quadratic work on these would never end."""
    prefixes = ["a" * n for n in range(1, 300)] + ["##" + "a" * n for n in range(1, 300)] + ["##" + "a" * 7000 + "b"]
    tok = tok_of(prefixes, max_word_length=2**31 - 1)
    assert len(tok.encode("a" * 1_000_000)) == -(-1_000_000 // 299)
    assert tok.encode("a" * 1_000_000 + "c") == [0]
    assert tok.count("a" * 12_000_000) == -(-12_000_000 // 299)
    assert tok.count("é" * 4_000_000) == 1
    empty = tok_of(["a", "ab", "b" * 5000], continuation_prefix="", max_word_length=2**31 - 1)
    assert len(empty.encode("ab" * 300_000)) == 300_000
    assert tok.encode(bytes(range(1, 256)) * 2000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_long_words_that_come_in_parts(seed):
    """A part may end in a word, in its first character, and where punctuation or spaces follow."""
    rng = random.Random(seed)
    pieces = ["a", "##a", "é", "##é", "世", ",", "##,", "ab", "##b"]
    tok = tok_of(pieces, split_by_punctuation=True, unknown="char", max_word_length=2**31 - 1)
    ids = {word: tok.encode(word) for word in ("a", "é", "世", ",", " ")}
    words, expected = [], []
    for _ in range(300):
        letter, n = rng.choice("aé世, "), rng.choice([1, 2, 7, 5000, 30_000])
        words.append(letter * n)
        if letter == "," or not words[-2:-1] or words[-2][-1] in ", ":
            expected += ids[letter] if letter != " " else []
            n -= 1
        if letter != " ":
            inner = tok.encode("aa")[1:] if letter == "a" else tok.encode("éé")[1:] if letter == "é" else ids[letter]
            inner = tok.encode("a世")[1:] if letter == "世" else inner
            expected += inner * n
    text = "".join(words)
    assert tok.encode(text) == expected
    assert tok.count(text) == len(expected)
    assert tok.encode(text.encode()) == expected


def test_limits_and_spans():
    tok = tok_of(EXAMPLE)
    text = "unhelpful players the tokenization helpless"
    assert tok.count(tok.truncate(text, 5)) <= 5
    assert "".join(text[begin:end] for begin, end in tok.chunks(text, 4)) == text
    spans = tok.spans(text)
    assert (spans[0][0], spans[-1][1], len(spans)) == (0, len(text), tok.count(text))
    assert tok.decode(tok.encode("players the  zzz")) == "players the [UNK]"
    stream, ids = tok.stream(), tok.encode(text)
    assert "".join(map(stream.push, ids)) + stream.flush() == tok.decode(ids) == text
    assert not tok.info.is_lossless


HOSTILE = [
    " ", "\t", "\u00a0", "\u3000", "the", "Play", "ing", "é", "E\u0301", "日本", "🌍", "ไทย", "\u2581", "\0",
    "한국", "==", "##", "[UNK]", "[CLS]", "'s", "-", "…", "\u200b", "\u00ad", "\ue000", "\ufffd", "İ", "ß", "ﬁ",
    "a" * 101, "￥", "ǅ", "\u0591",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("lowercase", [True, False])
def test_berts_own_vocabulary(shared_data, lowercase):
    tokenizers = pytest.importorskip("tokenizers")
    path = str(shared_data / "interop" / "bert_base_uncased.vocab.txt")
    theirs = tokenizers.Tokenizer(tokenizers.models.WordPiece.from_file(path, unk_token="[UNK]"))
    theirs.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    ours = spm_lite.Tokenizer.load(path, format="vocab.txt", lowercase=lowercase)
    rng = random.Random(4)
    texts = ["".join(rng.choices(HOSTILE, k=rng.randrange(12))) for _ in range(5000)]
    for name in ("en-tweets", "ja-commonvoice", "th-wisesight-social", "ko-nsmc-social", "ar-commonvoice"):
        texts += (shared_data / "corpora" / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:1500]
    expected = [found.ids for found in theirs.encode_batch(texts, add_special_tokens=False)]
    for text, mine, other in zip(texts, ours.encode_lists(texts), expected, strict=True):
        assert mine == other, text


def test_vocab_txt_out_and_in_again(tmp_path):
    tok = spm_lite.train(
        ["Play playing played, É 東京"] * 9, model_type="wordpiece", vocab_size=40, hard_vocab_limit=False
    )
    tok.save(tmp_path / "vocab.txt", format="vocab.txt")
    again = spm_lite.Tokenizer.load(tmp_path / "vocab.txt", format="vocab.txt", lowercase=False)
    assert [again.id_to_piece(i) for i in range(len(again))] == [tok.id_to_piece(i) for i in range(len(tok))]
    assert again.encode("playing, É zzz", bos=True, eos=True) == tok.encode("playing, É zzz", bos=True, eos=True)
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    assert spm_lite.Tokenizer.load(tmp_path / "vocab.txt", format="vocab.txt").normalize("É") == "e"


def test_what_vocab_txt_cannot_say(tmp_path):
    for options, message in (
        ({"continuation_prefix": "@@"}, "prefix"),
        ({"unknown": "char"}, "unknown='char'"),
        ({"split_by_punctuation": False}, "not cut as BERT"),
        ({"normalization": "identity"}, "not cut as BERT"),
        ({"max_word_length": 99}, "max_word_length=99"),
        ({"unk_piece": "<unk>"}, "'<unk>', is unknown: .* take it for normal"),
        ({"bos_piece": "<s>"}, "'<s>', is control"),
        ({"control_symbols": ["[MASK]", "<sep>"]}, "'<sep>', is control"),
        ({"bos_piece": "[SEP]", "eos_piece": "[CLS]"}, "bos_id is 2, but .* whose id is 3"),
    ):
        tok = spm_lite.train(["ab ab"] * 9, model_type="wordpiece", vocab_size=30, hard_vocab_limit=False, **options)
        with pytest.raises(OptionError, match=message):
            tok.save(tmp_path / "vocab.txt", format="vocab.txt")
    with pytest.raises(OptionError, match="holds WordPiece"):
        spm_lite.byte_tokenizer().save(tmp_path / "vocab.txt", format="vocab.txt")


def test_lines_of_vocab_txt_that_give_no_piece(tmp_path):
    """A line of white space alone, and all but the last of equal lines: their ids have no piece."""
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n\u2028\na\n##b\na\n", encoding="utf-8")
    tok = spm_lite.load(tmp_path / "vocab.txt", lowercase=True)
    assert len(tok) == 6
    assert tok.encode("ab") == [5, 4]
    assert tok.decode([2, 3, 5, 4]) == "ab"
    assert [tok.id_to_piece(i) for i in range(2, 5)] == ["", "", "##b"]
    assert spm_lite.load(tok.to_bytes()).encode("ab") == [5, 4]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "no pieces"),
        (b"a\nb\n", "unknown token"),
        (b"[UNK]\n\xff\n", "not UTF-8"),
        (b"[UNK]\na \n", "line 2: 'a ' ends with white space"),
        (b"[UNK]\na\r\r\n", "line 2: .* ends with white space"),
        (b"[UNK]\na\rb\n", "line 2: .* holds CR"),
        ("[UNK]\na\u2028\n".encode(), "line 2: .* ends with white space"),
        (b"\xef\xbb\xbf[UNK]\na\n", "a mark of byte order"),
    ],
)
def test_damaged_vocab_txt(data, message, tmp_path):
    (tmp_path / "vocab.txt").write_bytes(data)
    with pytest.raises(ModelError, match=message):
        spm_lite.Tokenizer.load(tmp_path / "vocab.txt", format="vocab.txt", lowercase=True)


@pytest.mark.parametrize("sign", ["\x1c", "\x1d", "\x1e", "\x1f", "\u200b", "\x85", "\u2028", "\v", "\f", "\t"])
def test_lines_of_vocab_txt_are_those_of_tokenizers(sign, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path / "vocab.txt"
    path.write_bytes(f"[UNK]\r\n{sign}a\r\nb{sign}b\nc{sign}\nd".encode())
    there = tokenizers.models.WordPiece.read_file(str(path))
    try:
        tok = spm_lite.Tokenizer.load(path, format="vocab.txt", lowercase=False)
    except ModelError:
        assert f"c{sign}" not in there  # tokenizers drops the sign, and transformers 4 keeps it
        path.write_bytes(path.read_bytes().replace(f"c{sign}".encode(), b"c"))
        tok = spm_lite.Tokenizer.load(path, format="vocab.txt", lowercase=False)
    assert {tok.id_to_piece(i): i for i in range(len(tok))} == there


def test_lowercase_must_be_known(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n", encoding="utf-8")
    with pytest.raises(OptionError, match="give lowercase=True for an uncased"):
        spm_lite.Tokenizer.load(tmp_path / "vocab.txt", format="vocab.txt")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('"do_basic_tokenize": false', "do_basic_tokenize=false"),
        ('"wordpieces_prefix": "@@"', "wordpieces_prefix='@@'"),
        ('"tokenizer_class": "BertJapaneseTokenizer"', "tokenizer_class='BertJapaneseTokenizer'"),
    ],
)
def test_settings_that_cut_text_in_other_ways(setting, message, tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(f"{{{setting}}}", encoding="utf-8")
    with pytest.raises(OptionError, match=message):
        spm_lite.Tokenizer.load(tmp_path / "vocab.txt", format="vocab.txt", lowercase=True)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizerFast"}', encoding="utf-8")
    assert len(spm_lite.Tokenizer.load(tmp_path / "vocab.txt", format="vocab.txt", lowercase=True)) == 2
