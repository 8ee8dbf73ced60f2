"""bpe and unigram with a split pattern: against naive twins, and no token of any text crosses a cut."""

import random
from collections import Counter

import pytest
from oracle import bpe_trainer, unigram_trainer
from oracle.extras import need
from oracle.slow import slow_after

import spm_lite
from spm_lite.specs import TrainerSpec
from spm_lite.training.options.local_patterns import LOCAL_PATTERN

regex = need("regex")
SPACE = "\u2581"
RUNS = r"[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]+|\s+"
PATTERNS = [LOCAL_PATTERN, RUNS, r"\s*\S+|\s+", r"\p{Han}|\P{Han}+", "[ab]"]
WORDS = [
    "don't", " the", " The", "cat", " 12345", "x=1", "日本語", " テキスト", "naïve", "e\u0301", "สวัสดี", "\n", "१२३",
    "👩\u200d👧", "\r\n", "  ", "\t", "\u3000", "!!", " ()", "'s", "_a", "a" * 20, "<sep>", "\u00ad", " \n ",
]  # fmt: skip
HARD = [*WORDS, SPACE, "\0", "\ufffd", "\U000f0000"]
RULES = {"split_by_unicode_script": False, "split_by_whitespace": False, "split_by_number": False}
SPECIAL = {"hard_vocab_limit": False, "character_coverage": 1.0}


def corpus(rng, n=40, words=HARD):
    return ["".join(rng.choices(words, k=rng.randrange(1, 12))) for _ in range(rng.randrange(2, n))]


def chunks_of(texts, pattern, symbols=()):
    """How often each chunk occurs: a space before each text, cut at symbols, then by the pattern, then at U+2581.

    NUL is a chunk of its own.
    """
    found = Counter()
    for text in texts:
        stretches = regex.split("|".join(map(regex.escape, symbols)), " " + text) if symbols else [" " + text]
        for stretch in stretches:
            end = 0
            for match in [*regex.finditer(pattern, stretch), None]:
                begin = match.start() if match else len(stretch)
                for part in (stretch[end:begin], match.group() if match else ""):
                    found.update(chunk.replace(" ", SPACE) for chunk in regex.split(f"(\0)|{SPACE}", part) if chunk)
                end = match.end() if match else begin
    return found


def crossing(tok, text, pattern):
    """The tokens that cross a cut of a text."""
    normalized = tok.normalize(text).replace(SPACE, " ")
    places = {place for match in regex.finditer(pattern, normalized) for place in match.span()}
    cuts = {len(normalized[:place].encode()) for place in places}
    begin, found = 0, []
    for piece in tok.pieces(text):
        size = 1 if regex.fullmatch("<0x..>", piece) else len(piece.replace(SPACE, " ").encode())
        found += [piece] if cuts & {*range(begin + 1, begin + size)} else []
        begin += size
    return found


def learned(tok):
    pieces = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) == "normal"]
    return [piece for piece in pieces if len(piece) > 1]


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", slow_after(3, range(20)))
def test_chunks(seed, pattern, model_type):
    texts = corpus(random.Random(f"{seed} {pattern}"))
    symbols = ["<sep>"] if seed % 2 else []
    table = spm_lite.CountTable.count(texts, model_type=model_type, split_pattern=pattern, user_defined_symbols=symbols)
    found = {text: count for text, count in table if text != "\x1f"}
    assert found == chunks_of(texts, pattern, symbols)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", slow_after(5, range(30)))
def test_merges(seed, pattern):
    rng = random.Random(f"{seed} {pattern}")
    texts, options = corpus(rng), rng.choice([{}, {"max_sentencepiece_length": 3}, {"split_by_whitespace": True}])
    items = [*chunks_of(texts, pattern).items()]
    alphabet = sorted({c for text, _ in items for c in text if c != "\0"})
    n_merges = rng.randrange(1, 40)
    tok = spm_lite.train(
        texts, model_type="bpe", vocab_size=259 + len(alphabet) + n_merges, split_pattern=pattern,
        num_threads=rng.choice([1, 2, 7]), **SPECIAL, **options,
    )  # fmt: skip
    spec = TrainerSpec(**{"model_type": "bpe", "max_sentencepiece_length": 512, **RULES, **options})
    if "split_by_whitespace" in options:  # these chunks are cut further, which changes no merge
        assert learned(tok) == bpe_trainer.learn(items, alphabet, spec, n_merges)
    assert learned(tok) == bpe_trainer.learn(items, alphabet, spec, n_merges), texts


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", slow_after(3, range(20)))
def test_seeds(seed, pattern):
    """Each Unigram piece is a seed of the chunks, and with all seeds the pieces are the same for texts and chunks."""
    texts = [text for text in corpus(random.Random(f"{seed} {pattern}"), words=WORDS) for _ in range(2)]
    items = [*chunks_of(texts, pattern).items()]
    alphabet = sorted({c for text, _ in items for c in text})
    tok = spm_lite.train(
        texts, vocab_size=279 + len(alphabet), split_pattern=pattern, seed_source="substrings", **SPECIAL
    )
    spec = TrainerSpec(max_sentencepiece_length=512, **RULES)
    assert {*learned(tok)} <= {*unigram_trainer.seeds(items, alphabet, spec, 10**6)}


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    "options",
    [
        {}, {"normalization": "nfkc_rules"}, {"normalization": "nmt_nfkc_cf"}, {"add_dummy_prefix": False},
        {"remove_extra_whitespaces": True}, {"treat_whitespace_as_suffix": True}, {"split_digits": True},
        {"byte_fallback": False}, {"user_defined_symbols": ["<sep>"]}, {"graphemes": True}, {"lossless": "strict"},
    ],
    ids=str,
)  # fmt: skip
def test_no_token_crosses_a_cut(options, pattern, model_type):
    sentencepiece = pytest.importorskip("sentencepiece")
    rng = random.Random(str(options))
    texts = corpus(rng, 300, WORDS) * 3
    given = {"model_type": model_type, "split_pattern": pattern, "vocab_size": 600, **SPECIAL, **options}
    try:
        tok = spm_lite.train(texts, **given)
    except spm_lite.OptionError as error:  # what the normalizer makes of white space shows pairs of both kinds
        assert "always or never" in str(error) and "normalization" in options
        return
    others = corpus(rng, 200, [word for word in HARD if word != SPACE]) + [
        "".join(rng.choices("ab1 2\t'é日\u0301.", k=30)) for _ in range(200)
    ]
    if "user_defined_symbols" not in options:
        known = texts if "byte_fallback" in options else others + texts
        assert [found for text in known if (found := crossing(tok, text, pattern))] == []
    assert tok.info.split_pattern is None
    model = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    plain = [text for text in others + texts if "\0" not in text]
    assert [model.encode(text) for text in plain] == tok.encode_lists(plain)
    if tok.info.is_lossless:
        assert tok.decode_batch(tok.encode_lists(others)) == others


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_ways_to_read_give_the_same_bytes(model_type, tmp_path):
    texts = [text.replace("\n", " ").replace("\r", " ") for text in corpus(random.Random(5), 120, WORDS) * 3]
    options = {"model_type": model_type, "vocab_size": 420, "split_pattern": LOCAL_PATTERN, **SPECIAL}
    model = spm_lite.train(texts, num_threads=1, **options).to_bytes()
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8", newline="")
    assert spm_lite.train(path, num_threads=3, **options).to_bytes() == model
    assert spm_lite.train(path, memory_limit="1GB", **options).to_bytes() == model
    assert spm_lite.train(path, checkpoint=tmp_path / "c", **options).to_bytes() == model
    assert spm_lite.train({"all": texts}, weights={"all": 1}, **options).to_bytes() == model


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_tables(model_type, tmp_path):
    texts = corpus(random.Random(6), 120, WORDS) * 3
    options = {"model_type": model_type, "vocab_size": 420, "split_pattern": LOCAL_PATTERN, **SPECIAL}
    model = spm_lite.train(texts, **options).to_bytes()
    counted = {"model_type": model_type, "split_pattern": LOCAL_PATTERN}
    halves = [spm_lite.CountTable.count(half, **counted) for half in (texts[:50], texts[50:])]
    halves[0].save(tmp_path / "half.counts")
    halves[0] = spm_lite.CountTable.load(tmp_path / "half.counts")
    assert spm_lite.train(halves, **options).to_bytes() == model
    halves[1].save_tsv(tmp_path / "half.tsv", escapes=True)
    assert spm_lite.CountTable.load_tsv(tmp_path / "half.tsv", escapes=True, **counted) == halves[1]
    other = spm_lite.CountTable.count(texts, model_type=model_type, split_pattern=RUNS)
    for wrong in (lambda: halves[0] + other, lambda: spm_lite.train(other, **options)):
        with pytest.raises(spm_lite.OptionError) as caught:
            wrong()
        assert repr(LOCAL_PATTERN) in str(caught.value) and repr(RUNS) in str(caught.value)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_a_sweep(model_type):
    texts = ["the cat sat on the mat 123 456", "don't sit down"] * 30
    options = {"model_type": model_type, "split_pattern": LOCAL_PATTERN}
    found = spm_lite.sweep(texts, [300, 310], hard_vocab_limit=False, **options)
    assert [row.size for row in found.rows] == [300, 310]


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("name", ["gpt2", "llama3", r"\p{N}{1,3}|\P{N}+"])
def test_tables_refuse_what_training_refuses(name, model_type):
    with pytest.raises(spm_lite.OptionError, match="always or never"):
        spm_lite.CountTable.count(["a"], model_type=model_type, split_pattern=name)
    with pytest.raises(spm_lite.OptionError, match="always or never"):
        spm_lite.sweep(["a"], [300], model_type=model_type, split_pattern=name)
    for other in ("char", "word", "wordpiece"):
        with pytest.raises(spm_lite.OptionError, match="only byte_bpe, bpe, unigram"):
            spm_lite.CountTable.count(["a"], model_type=other, split_pattern=name)
