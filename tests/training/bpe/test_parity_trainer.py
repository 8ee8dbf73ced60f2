"""Merges for parity against the naive twin: all options, on few languages with odd characters."""

from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.parity_bpe import Parity
from oracle.piece_rules import PIECE_RULES

from spm_lite.specs import TrainerSpec
from spm_lite.training.bpe.parity_trainer import ParityTrainer
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet

CHARACTERS = "ab\u2581,あ7१\u0301\u200d\U0001f600"
BYTES = "a \x0a\xc3\xa9\xe3\x81\x82\xff\x00"
LETTERS = "".join(map(chr, range(256)))


def table_of(chunks, spec):
    coding = "latin-1" if spec.model_type == "byte_bpe" else "utf-8"
    return ChunkTable.from_items((text.encode(coding), count) for text, count in chunks.items())


def learn(languages, alphabet, spec, n_pieces, **rules):
    """(pieces, trainer). languages: (text, dev text or None, goal)."""
    trainer = ParityTrainer(**rules)
    tables = [table_of(text, spec) for text, _, _ in languages]
    for table, (_, dev, goal) in zip(tables, languages, strict=True):
        trainer.add_language(table, None if dev is None else table_of(dev, spec), 0 if dev is None else goal)
    letters = Alphabet.from_items((c, 0) for c in alphabet)
    return [text for text, _ in trainer.learn(ChunkTable.sum(tables), letters, spec, n_pieces)], trainer


def assert_equals_naive(languages, alphabet, spec, n_pieces, **rules):
    pieces, trainer = learn(languages, alphabet, spec, n_pieces, **rules)
    twin = Parity(languages, alphabet, spec, **rules)
    made = twin.learn(n_pieces)
    if spec.model_type == "byte_bpe":
        assert pieces[256:] == [text.encode("latin-1") for text in made]
    else:
        kept = {*twin.first, *(text for text in made if len(text) == 1)}
        assert pieces == [text for text in made if len(text) > 1] + [c for c in alphabet if c in kept]
    outcome = [(twin.length(one) if one.goal else 0, one.turns, one.is_done) for one in twin.languages]
    assert trainer.outcome() == outcome
    assert (trainer.plain_merges(), trainer.forced_at()) == (twin.n_plain, twin.forced_at)


def chunks_of(characters, least=1):
    return st.dictionaries(st.text(characters, min_size=1, max_size=9), st.integers(1, 4), min_size=least, max_size=5)


def languages_of(characters):
    dev = st.one_of(st.none(), chunks_of(characters, 0))
    return st.lists(st.tuples(chunks_of(characters), dev, st.sampled_from([1.0, 0.5, 3.25])), min_size=1, max_size=4)


rules_of = st.fixed_dictionaries(
    {},
    optional={
        "window": st.integers(0, 5),
        "alpha": st.sampled_from([0.5, 1.0, 1.5]),
        "floor": st.sampled_from([0.25, 0.9]),
        "global_merges": st.integers(0, 9),
        "most_tokens": st.lists(st.integers(0, 60).map(float), max_size=270),
    },
)
specs = st.builds(
    TrainerSpec, model_type=st.just("bpe"), byte_fallback=st.booleans(), required_chars=st.sampled_from(["", "あ"]),
    min_count=st.sampled_from([1, 3]), **PIECE_RULES,
)  # fmt: skip
byte_specs = st.builds(
    TrainerSpec, model_type=st.just("byte_bpe"), whole_characters=st.booleans(), **PIECE_RULES,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(languages_of(CHARACTERS), st.integers(0, 30), specs, rules_of, st.booleans())
def test_equals_naive(languages, n_pieces, spec, rules, leaves_out) -> None:
    alphabet = "".join(sorted(CHARACTERS[1:] if leaves_out else CHARACTERS))
    assert_equals_naive(languages, alphabet, spec, n_pieces, **rules)


@settings(max_examples=100, deadline=None)
@given(languages_of(BYTES), st.integers(256, 280), byte_specs, rules_of)
def test_equals_naive_in_bytes(languages, n_pieces, spec, rules) -> None:
    assert_equals_naive(languages, LETTERS, spec, n_pieces, **rules)


@settings(max_examples=100, deadline=None)
@given(languages_of("aあ"), st.integers(0, 30), rules_of)
def test_equals_naive_on_repeats(languages, n_pieces, rules) -> None:
    assert_equals_naive(languages, "aあ", TrainerSpec(model_type="bpe"), n_pieces, **rules)
