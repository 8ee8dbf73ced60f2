"""train(objective="parity"): what it promises, what it refuses, and that it goes on after a stop."""

import json
import random

import numpy as np
import pytest
from oracle.interrupts import count_checks, interrupt
from oracle.parity_bpe import Parity
from oracle.slow import slow_after

import spm_lite
from spm_lite import CountTable, ModelError, OptionError, TrainingError, train
from spm_lite.specs import TrainerSpec
from spm_lite.training import checkpoint as module
from spm_lite.training.checkpoint import pack

LETTERS = {
    "eng": "abcdefgh",
    "fra": "abcdéèfg",
    "hin": "कखगघचछजझ",
    "zho": "的一是不了人我在有他这中大来上",
    "tha": "กขคงจฉชซ",
}


def lines_of(language: str, n: int, seed: int) -> list[str]:
    rng, common = random.Random(seed), random.Random(language)
    words = ["".join(common.choices(LETTERS[language], k=common.randint(1, 7))) for _ in range(300)]
    return [" ".join(words[int(300 * rng.random() ** 3)] for _ in range(7)) for _ in range(n)]


TEXTS = {language: lines_of(language, 120, 1) for language in LETTERS}
DEV = {language: lines_of(language, 40, 2) for language in LETTERS}
CALL = {"vocab_size": 700, "objective": "parity", "parallel": DEV}
TYPES = pytest.mark.parametrize("model_type", ["bpe", "byte_bpe"])


def tokens(tok: spm_lite.Tokenizer, lines: list[str]) -> int:
    return sum(map(len, tok.encode_lists(lines)))


@TYPES
def test_the_balance_is_what_encoding_gives(model_type) -> None:
    tok = train(TEXTS, model_type=model_type, **CALL)
    plain = train(TEXTS, model_type=model_type, vocab_size=700)
    balance = tok.report.balance
    assert balance.method == "parity"
    for name, row in balance.languages.items():
        assert (row.tokens_before, row.tokens_after) == (tokens(plain, DEV[name]), tokens(tok, DEV[name]))
    assert sum(row.merges for row in balance.languages.values()) == tok.report.figures["merges"]
    assert balance.gini_after < balance.gini_before / 2
    assert spm_lite.audit(tok).unmet("unreachable<=0") == []


@TYPES
def test_same_bytes_for_any_threads(model_type) -> None:
    made = [train(TEXTS, model_type=model_type, num_threads=n, **CALL).to_bytes() for n in (1, 3)]
    assert made[0] == made[1]


@TYPES
@pytest.mark.parametrize("price", slow_after(1, [0.02, 0.05]))
def test_keeps_to_the_price(model_type, price) -> None:
    balance = train(TEXTS, model_type=model_type, price=price, **CALL).report.balance
    assert balance.total_after <= balance.total_before * (1 + price) + 2
    assert balance.warnings == ()


def test_a_price_that_is_not_kept_is_told() -> None:
    balance = train(TEXTS, model_type="bpe", price=0.0, **CALL).report.balance
    assert balance.total_after > balance.total_before
    assert any("the price of 0.0%" in warning for warning in balance.warnings)


@TYPES
def test_the_price_equals_naive(model_type) -> None:
    """While the dev texts have more tokens than plain training allows at this number of pieces, merges are plain."""
    names, coding = ("eng", "zho"), "latin-1" if model_type == "byte_bpe" else "utf-8"
    texts, dev = {name: TEXTS[name][:6] for name in names}, {name: DEV[name][:4] for name in names}
    call = {"model_type": model_type, "vocab_size": 300, "hard_vocab_limit": False}
    plain = train(texts, **call)

    def chunks(lines: list[str]) -> dict[str, int]:
        return {text.decode(coding): n for text, n in CountTable.count(lines, model_type=model_type).chunks.items()}

    def learned(tok: spm_lite.Tokenizer) -> list[str]:
        normal = [i for i in range(len(tok)) if tok.piece_type(i) == "normal"]
        if model_type == "bpe":
            return [tok.id_to_piece(i) for i in normal]
        return [tok.token_bytes(i).decode(coding) for i in normal]

    languages = [(chunks(texts[name]), chunks(dev[name]), 1.0) for name in names]
    letters = plain.report.alphabet or "".join(map(chr, range(256)))
    merges = [text for text in learned(plain) if len(text) > 1]
    totals = Parity(languages, letters, TrainerSpec(model_type=model_type, byte_fallback=False)).follow(merges)
    limits = [float("inf")] * len(letters) + [1.01 * total for total in totals]
    twin = Parity(languages, letters, TrainerSpec(model_type=model_type), window=100, most_tokens=limits)
    expected = [text for text in twin.learn(len(learned(plain))) if len(text) > 1]
    tok = train(texts, objective="parity", parallel=dev, price=0.01, **call)
    assert [text for text in learned(tok) if len(text) > 1] == expected


def test_a_source_without_dev_text_keeps_its_share() -> None:
    dev = {name: DEV[name] for name in ("hin", "zho")}
    balance = train({**TEXTS}, model_type="byte_bpe", **{**CALL, "parallel": dev}).report.balance
    sizes = {name: CountTable.count(lines, model_type="byte_bpe").chunks.text_weight for name, lines in TEXTS.items()}
    merges = {name: row.merges for name, row in balance.languages.items()}
    for name in ("eng", "fra", "tha"):
        assert balance.languages[name].tokens_before is None
        share = sizes[name] / sum(sizes.values())
        assert abs(merges[name] - share * sum(merges.values())) <= 1


@TYPES
@pytest.mark.parametrize("with_dev", [False, True])
def test_targets(model_type, with_dev) -> None:
    """The language with the higher target gets more for its bytes than the one with the lower target."""
    call = {"vocab_size": 500, "objective": "parity", "targets": {"hin": 6.0, "tha": 3.0}, "model_type": model_type}
    tok = train(TEXTS, **call, **({"parallel": DEV} if with_dev else {}))
    rows, texts = tok.report.balance.languages, DEV if with_dev else TEXTS
    reached = {
        name: sum(len(line.encode()) for line in texts[name]) / rows[name].tokens_after for name in ("hin", "tha")
    }
    assert 1.8 < reached["hin"] / reached["tha"] < 2.2
    assert rows["eng"].target is None
    missed = [name for name, row in rows.items() if row.target and row.tokens_after > row.target]
    assert [warning.partition(":")[0] for warning in tok.report.balance.warnings] == missed


@TYPES
def test_a_language_whose_dev_text_differs_starves_no_other(model_type) -> None:
    """Its merges hardly help its dev text. A floor gives its turns to the others, which then cost less."""
    dev = {**DEV, "eng": [line.translate(str.maketrans("abcdefgh", "hgfedcba")) for line in DEV["eng"]]}
    free, held = (
        train(TEXTS, model_type=model_type, **{**CALL, "parallel": dev, "parity": parity}).report.balance
        for parity in ({"window": 0}, {"window": 0, "floor": 0.5})
    )
    assert held.languages["eng"].merges < 0.7 * free.languages["eng"].merges
    for name in TEXTS.keys() - {"eng"}:
        assert held.languages[name].merges > free.languages[name].merges
        assert held.languages[name].tokens_after < free.languages[name].tokens_after
    assert held.total_after < free.total_after


def test_an_exhausted_language_is_named_and_passed_over() -> None:
    texts = {**TEXTS, "zho": ["的一"]}
    tok = train(texts, model_type="byte_bpe", **CALL)
    assert len(tok) == 700
    assert any(warning.startswith("zho: after") for warning in tok.report.balance.warnings)


def test_all_languages_exhausted() -> None:
    call = {**CALL, "vocab_size": 60_000, "model_type": "bpe"}
    with pytest.raises(TrainingError, match="Vocabulary size too high"):
        train(TEXTS, **call)
    tok = train(TEXTS, hard_vocab_limit=False, **call)
    assert tok.report.balance.stopped_by == "all languages were exhausted"


def test_count_tables_as_sources() -> None:
    tables = {name: CountTable.count(lines, model_type="bpe") for name, lines in TEXTS.items()}
    assert train(tables, model_type="bpe", **CALL) == train(TEXTS, model_type="bpe", **CALL)


def test_characters_are_merges_of_their_bytes() -> None:
    """A character that no language needs stays bytes; required ones are pieces."""
    call = {**CALL, "vocab_size": 340, "model_type": "bpe"}
    tok = train(TEXTS, **call)
    held = {text for text in tok.get_vocab() if len(text) == 1 and text > "\x80"}
    letters = set("".join("".join(lines) for lines in TEXTS.values()))
    assert held < letters | {"\u2581"}
    assert "ま" in train(TEXTS, required_chars="ま", **call).get_vocab()
    spelled = train(TEXTS, byte_fallback=False, unk_id=0, lossless=False, **{**call, "vocab_size": 200})
    assert letters - {" "} <= set(spelled.get_vocab())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_type": "unigram"}, "objective='parity' and model_type='unigram'"),
        ({"model_type": "wordpiece"}, "objective='parity' and model_type='wordpiece'"),
        ({"weights": dict.fromkeys(TEXTS, 1)}, "weights"),
        ({"temperature": 0.3}, "temperature"),
        ({"balance": "tokens"}, "give one of them"),
        ({"parallel": None}, "needs to know when languages cost the same"),
        ({"memory_limit": "200MB"}, "leave out memory_limit"),
        ({"reference_rules": True}, "sentencepiece's rules read one text"),
        ({"parity": {"windows": 3}}, "windows"),
    ],
)
def test_refuses(options, message) -> None:
    with pytest.raises(OptionError, match=message):
        train(TEXTS, **{"model_type": "bpe", **CALL, **options})


def test_one_text_is_refused() -> None:
    with pytest.raises(OptionError, match="is for several sources"):
        train(["a b"], model_type="bpe", **CALL)


class Stopped(Exception):
    """What the progress function raises."""


def stopped(folder, wanted: int, **options) -> dict:
    """Train until so many merges are saved; return the saved state."""

    def stop(progress: spm_lite.Progress) -> None:
        state = folder / "state.json"
        if state.exists() and len(json.loads(state.read_text(encoding="utf-8"))["value"]["merges"]) >= wanted:
            raise Stopped

    with pytest.raises(Stopped):
        train(TEXTS, checkpoint=folder, progress=stop, **options)
    return json.loads((folder / "state.json").read_text(encoding="utf-8"))["value"]


LARGE = {"objective": "parity", "parallel": DEV, "vocab_size": 2300, "hard_vocab_limit": False}


@pytest.fixture
def each_state(monkeypatch):
    monkeypatch.setattr(module.Checkpoint.__init__, "__defaults__", (0.0,))


@TYPES
@pytest.mark.parametrize(
    "options",
    slow_after(
        1,
        [
            {"graphemes": True, "parity": {"window": 7, "alpha": 1.1, "floor": 0.1, "global_merges": 300}},
            {"price": 0.01},
            {},
        ],
    ),
)
def test_goes_on_after_a_stop(model_type, options, tmp_path, each_state) -> None:
    call = {**LARGE, **options, "model_type": model_type, "split_by_whitespace": False}
    whole = train(TEXTS, **call)
    state = stopped(tmp_path / "states", 900, **call)
    assert len(state["merges"]) < whole.report.figures["merges"]
    again = train(TEXTS, checkpoint=tmp_path / "states", **call)
    assert again == whole
    assert again.report.balance == whole.report.balance
    assert again.report.figures == whole.report.figures
    assert not (tmp_path / "states").exists()


def test_a_damaged_state_is_an_error(tmp_path, each_state) -> None:
    call = {**LARGE, "model_type": "bpe", "split_by_whitespace": False}
    state = stopped(tmp_path / "states", 900, **call)
    first = state["merges"][0]
    other_turn, no_character, no_pair = [*first[:3], 99, *first[4:]], [2**31, 2**32 - 1], [9**9, 1]
    for bad in ([first] * 2, [other_turn], [first[:3]], [[*no_character, *first[2:]]], [[*no_pair, *first[2:]]]):
        (tmp_path / "states" / "state.json").write_bytes(pack(json.dumps({**state, "merges": bad}).encode()))
        with pytest.raises(ModelError, match="is damaged"):
            train(TEXTS, checkpoint=tmp_path / "states", **call)


def test_another_training_is_refused(tmp_path, each_state) -> None:
    call = {**LARGE, "model_type": "bpe", "split_by_whitespace": False}
    stopped(tmp_path / "states", 900, **call)
    for changed in ({"price": 0.5}, {"parity": {"alpha": 3.0}}, {"parallel": {**DEV, "eng": DEV["eng"][::-1]}}):
        with pytest.raises(OptionError, match="is of another training"):
            train(TEXTS, checkpoint=tmp_path / "states", **{**call, **changed})


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_behind(tmp_path) -> None:
    call = {**LARGE, "model_type": "bpe", "checkpoint": tmp_path / "states"}
    n_checks = count_checks(lambda: train(TEXTS, **call))
    for at in sorted({int(at) for at in np.linspace(1, 0.9 * n_checks, 12)}):
        interrupt(lambda: train(TEXTS, **call), at)
        assert not (tmp_path / "states").exists()
