"""Parts of texts against naive splits, whole and in windows; and models with splits: batches, long texts, limits."""

import random
from itertools import product

import pytest
from oracle import backtracking

import spm_lite
from spm_lite.base.patterns.pattern_parser import parse_pattern
from spm_lite.base.patterns.text_cuts import make_cuts
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.byte_level import byte_level_model
from spm_lite.kinds import BEHAVIORS
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN

SIGNS = ["a", "b", "A", " ", "  ", "\n", "1", "23", "-", "--", "'s", "é", "中", "文", "\u0301", ".", "x", "the", " cat"]
DIGITS = (r"\p{N}{1,3}", "Isolated", False)
CHAINS = [
    (DIGITS,),
    (DIGITS, ("[一-龥]+", "Isolated", False), (GPT2_PATTERN, "Isolated", False)),
    (("[\r\n]", "Isolated", False), (r"\s?\p{L}+", "Isolated", False), (r"\p{N}", "Isolated", False)),
    # After the first split a part may begin with a space, which may begin a match of the others.
    ((r"\s?[\p{L}\p{N}]+", "Isolated", False), (r"\s?\p{P}+", "Isolated", False), (r"\s?1|é", "Isolated", False)),
    (("[^-]+", "Isolated", False), (r" (?=\p{L}+ )", "Isolated", False)),
    (("[^-]+", "Isolated", False), ("(?<!a) a", "Removed", False), (" {2}", "MergedWithNext", False)),
    (("[^-]+", "Isolated", False), (r" +|\w 1", "Contiguous", False)),
    ((r"\s+", "Removed", False), ("[-.]", "Isolated", False)),
    ((r"\w+|[^\w\s]+", "Removed", True),),
    (("-", "MergedWithNext", False), (r"^a|b$", "Isolated", False)),
    ((r"(?=[A-Z])", "Isolated", False), (r"\b", "Isolated", False)),
    ((" ", "MergedWithPrevious", False), (r"\p{L}", "Contiguous", False)),
    ((r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))", "Isolated", False), (GPT2_PATTERN, "Isolated", False)),
]


def random_text(rng, n=12):
    return "".join(rng.choice(SIGNS) * rng.choice((1, 1, 1, 2, 3)) for _ in range(rng.randrange(n)))


@pytest.mark.parametrize(("behavior", "invert"), [*product(BEHAVIORS, (False, True))])
def test_each_behavior_is_that_of_a_naive_split(behavior, invert):
    rng = random.Random(7)
    for pattern in ("-", "[a-z]+", r"\s", "a|", r"\b", "(?<=a)b?", GPT2_PATTERN):
        tree = parse_pattern(pattern)
        cuts = make_cuts(((pattern, behavior, invert),))
        for _ in range(60):
            text = random_text(rng).encode()
            assert cuts.parts(text) == backtracking.parts([(tree, behavior, invert)], text), (pattern, text)


@pytest.mark.parametrize("splits", CHAINS)
def test_further_splits_cut_each_part_as_a_text_of_its_own(splits):
    rng, cuts = random.Random(8), make_cuts(splits)
    trees = [(parse_pattern(pattern), behavior, invert) for pattern, behavior, invert in splits]
    for _ in range(150):
        text = random_text(rng, 30).encode()
        expected = backtracking.parts(trees, text)
        assert cuts.parts(text) == expected, text
        for window in (1, 2, 3, 7, 20):
            assert cuts.parts(text, window) == expected, (text, window)


def model_of(splits, form=""):
    """A model of the bytes and some merges, which crosses words."""
    pieces = [bytes([byte]) for byte in range(256)]
    pieces += [b"th", b"the", b" t", b" the", b"at", b" c", b" cat", b"--", b"23", b"  ", "é".encode(), b"e c", b"1 "]
    entries = [(piece, -float(i if i >= 256 else 1000 + i), 1) for i, piece in enumerate(pieces)]
    return byte_level_model(entries, splits, form)


@pytest.fixture(params=CHAINS, ids=[*range(len(CHAINS))])
def splits(request):
    return request.param


@pytest.fixture
def tok(splits):
    return spm_lite.load(model_of(splits))


def expected_ids(tok, splits, text):
    """The ids of each part, merged alone."""
    raw = spm_lite.load(model_of(((r"[\s\S]+", "Isolated", False),)))
    data = text.encode() if isinstance(text, str) else text
    return [i for begin, end in make_cuts(splits).parts(data) for i in raw.encode(data[begin:end])]


def test_ids_are_those_of_the_parts(tok, splits):
    rng = random.Random(9)
    texts = [random_text(rng, 40) for _ in range(60)]
    texts += [rng.choice(texts) * 3000 for _ in range(3)] + ["a" * 150_000, "1" * 70_000, " " * 70_000]
    expected = [expected_ids(tok, splits, text) for text in texts]
    assert [tok.encode(text) for text in texts] == expected
    assert [tok.count(text) for text in texts] == list(map(len, expected))
    assert tok.encode_lists(texts, num_threads=2) == expected
    for text, ids in zip(texts, expected, strict=True):
        spans = tok.encode_spans(text) if hasattr(tok, "encode_spans") else None
        assert spans is None or len(spans) == len(ids)


def test_the_longest_prefix_that_fits(tok):
    rng = random.Random(10)
    for _ in range(40):
        text = random_text(rng, 25)
        counts = [len(tok.encode(text[:end])) for end in range(len(text) + 1)]
        for limit in (0, 1, 3, 8):
            fits = max(end for end, count in enumerate(counts) if count <= limit)
            assert tok.truncate(text, limit) == text[:fits], (text, limit)
            assert tok.count(text, limit=limit) == min(counts[-1], limit)


@pytest.mark.parametrize("text", ["a" * 2000, "ab the cat " * 200, "1" * 900, "-" * 900, "中" * 500])
def test_the_longest_prefix_in_a_long_part(tok, text):
    for limit in (1, 7, 60):
        fits = tok.truncate(text, limit)
        assert len(tok.encode(fits)) <= limit
        assert all(len(tok.encode(text[:end])) > limit for end in range(len(fits) + 1, min(len(fits) + 40, len(text))))


def test_a_model_is_saved_with_its_splits(tok, splits, tmp_path):
    tok.save(tmp_path / "x.model")
    again = spm_lite.load(tmp_path / "x.model")
    text = random_text(random.Random(11), 60)
    assert again.encode(text) == tok.encode(text)
    assert again._file.vocab.splits == splits
    assert again.info.split_pattern == "\n".join(pattern for pattern, _, _ in splits)


def test_samples_and_files_that_hold_one_pattern_are_refused(tok, splits, tmp_path):
    with pytest.raises(OptionError, match="split pattern"):
        tok.sample("the cat")
    one = make_cuts(splits)
    if len(splits) > 1 or not (one.scanner.takes_all or splits[0][1:] == ("Removed", True)):
        with pytest.raises(OptionError, match="use to_hf or save the model"):
            tok.to_tiktoken(tmp_path / "x")
    with pytest.raises(OptionError, match="pattern that it knows by name"):
        tok.to_gguf(tmp_path / "y")


def test_wrong_splits_are_refused():
    with pytest.raises(ModelError, match=r"the escape \\1"):
        spm_lite.load(model_of(((r"(a)\1", "Isolated", False),)))
