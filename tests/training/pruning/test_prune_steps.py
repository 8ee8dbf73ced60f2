"""Changed vocabularies keep their laws: ids of texts whose pieces stay, special ids, no loss; also in sentencepiece."""

import random
from array import array

import pytest
from oracle.slow import slow_after
from oracle.small_models import HARD

import spm_lite
from spm_lite.encode.segment.merge_trees import MergeTrees
from spm_lite.errors import ArgumentTypeError, OptionError, TrainingError
from spm_lite.kinds import USER_DEFINED
from spm_lite.specs import AddedToken
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.training.pruning.prune_steps import placed
from spm_lite.vocab.appended_pieces import with_plain_pieces
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.model_writer import write_model

rng = random.Random(7)
WORDS = [
    "the",
    "cat",
    "hats",
    "sat",
    "12",
    "on",
    "at",
    "é",
    "кот",
    "шляпа",
    "日本",
    "ไทย",
    "e\u0301",
    "👩\u200d🚀",
    "a's",
]
TEXTS = [" ".join(rng.choices(WORDS, k=6)) for _ in range(150)]
ENGLISH = [" ".join(rng.choices(WORDS[:7], k=6)) for _ in range(60)]
OTHER = [" ".join(rng.choices(["дело", "слово", "dog", "dogs", "新", "2024"], k=5)) for _ in range(60)]
SOME = [*TEXTS[:20], *ENGLISH[:10], *OTHER[:10], *HARD]
MODELS = {
    "bpe": {"model_type": "bpe", "vocab_size": 360},
    "lossy": {"model_type": "bpe", "vocab_size": 110, "byte_fallback": False, "normalization": "nmt_nfkc"},
    "suffix": {
        "model_type": "bpe", "vocab_size": 340, "treat_whitespace_as_suffix": True, "split_digits": True,
        "lossless": False,
    },
    "sentences": {"model_type": "bpe", "vocab_size": 380, "split_by_whitespace": False},
    "symbols": {
        "model_type": "bpe", "vocab_size": 350, "user_defined_symbols": ["кот", "<a>"],
        "control_symbols": ["<unused0>"],
    },
    "bytes": {"model_type": "byte_bpe", "vocab_size": 340, "control_symbols": ["<unused0>"]},
    "gpt2": {"model_type": "byte_bpe", "vocab_size": 330, "split_pattern": "gpt2"},
    "unigram": {"model_type": "unigram", "vocab_size": 340},
    "unigram_symbols": {"model_type": "unigram", "vocab_size": 330, "user_defined_symbols": ["кот"]},
    "unigram_lossy": {"model_type": "unigram", "vocab_size": 80, "byte_fallback": False, "normalization": "nfkc_rules"},
}  # fmt: skip
OWN = ["listed", "listed_bytes", "whole", "exact", "added"]  # forms of models of other programs
MADE = {}


def model(name):
    if name not in MADE:
        MADE[name] = own_form(name) if name in OWN else spm_lite.train(TEXTS, hard_vocab_limit=False, **MODELS[name])
    return MADE[name]


def own_form(name):
    """A trained model with a list of merges, with scores in double precision, or with an added token in the middle."""
    tok = model({"listed": "bpe", "exact": "unigram"}.get(name, "bytes"))
    vocab = tok._file.vocab
    trainer, normalizer, _ = tok._file.specs()
    pieces = [(vocab.text(i), vocab.score(i), vocab.type(i)) for i in range(len(vocab))]
    options = {}
    if name == "added":
        i = len(vocab) - 40
        options["added_tokens"] = [AddedToken(i, False, True, False, False)]
        pieces[i] = "<|x|>", 0.0, USER_DEFINED
    elif name == "exact":
        options["exact_scores"] = array("d", [vocab.score(i) + i * 1e-9 for i in range(len(vocab) - 3)]).tobytes()
    else:
        trees = MergeTrees(vocab)
        merges = [(*trees.parts(i), i) for i in trees.ids_by_rank()]
        dropped = merges[len(merges) // 2][2] if name == "whole" else -1  # a piece that is one only as a whole
        ids = [i for merge in merges if dropped not in merge for i in merge]
        options["merges"] = MergeList(ids, False, name == "whole")
    data = write_model(pieces, trainer, normalizer, lossless=name != "exact", **options)
    return spm_lite.Tokenizer.load(data)


def specials(tok):
    return {
        i: tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) in ("control", "unknown", "user_defined")
    }


def check(tok, result, texts=SOME):
    """The laws of every change. Texts without a new piece, all of whose pieces stay, keep their pieces."""
    made, change = result.tokenizer, result.map
    assert change.n_old == tok.vocab_size
    assert change.n_new <= made.vocab_size
    assert all(made.piece_type(i) == "unused" for i in range(change.n_new, made.vocab_size))
    for old, new in enumerate(change.new_ids):
        if new >= 0:
            assert made.score(new) == tok.score(old)
    for i, name in specials(tok).items():
        assert change.new_ids[i] == i or i >= change.n_new
        assert change.new_ids[i] >= 0
        if set(result.reasons.values()) <= {"renamed", "claimed"}:
            continue
        assert made.id_to_piece(change.new_ids[i]) == name
    lone = LonePieces(made)
    new_texts = {i: made._file.vocab.text(i) for i in change.grown}
    assert all(lone.ids(text) == [i] for i, text in new_texts.items())
    for text in texts:
        before, after = tok.encode(text), made.encode(text)
        mapped = [change.new_ids[i] for i in before]
        if mapped != after:
            renamed = {tok.id_to_piece(i) for i, why in result.reasons.items() if why == "renamed"}
            marked = text.replace(" ", "\u2581")
            steps = (i for i, new in enumerate(change.new_ids) if new < 0 and tok.piece_type(i) == "unused")
            data = tok._encoder.normalizer.normalize(text.encode(), shows_spaces=False)
            data = data if tok._file.vocab.is_bytes else data.replace(b" ", "\u2581".encode())
            assert (
                -1 in mapped
                or any(new in data for new in new_texts.values())  # it may revive an old piece, so no new id need show
                or any(name in text for name in renamed)
                or any(tok.id_to_piece(i).strip("\u2581") in marked for i in steps)  # it has merged and was split again
            ), text
        if tok.info.is_lossless:
            assert made.info.is_lossless
            assert made.decode(after) == text
    return made


def check_in_sentencepiece(made):
    sentencepiece = pytest.importorskip("sentencepiece")
    other = sentencepiece.SentencePieceProcessor(model_proto=made.to_bytes())
    # sentencepiece takes a literal U+2581 for a space, and drops U+0000
    texts = [text for text in SOME if "\u2581" not in text and "\0" not in text]
    assert [other.encode(text) for text in texts] == made.encode_lists(texts)


@pytest.mark.parametrize("name", [*MODELS, *OWN])
def test_promises(name) -> None:
    tok = model(name)
    n = (len(tok) * 9 + 265) // 10 if tok._file.vocab.is_bytes or "lossy" not in name else len(tok) * 9 // 10
    less = tok.prune(n, source=ENGLISH)
    made = check(tok, less)
    assert len(made) == n
    assert not LonePieces(made).dead() - {less.map.new_ids[i] for i in LonePieces(tok).dead()}
    again = tok.prune(n, source=iter(ENGLISH[::-1]), num_threads=1)
    assert again.tokenizer.to_bytes() == made.to_bytes()
    assert again == less
    if not tok._file.has_own_pieces:
        check_in_sentencepiece(made)
    used = tok.prune(source=ENGLISH)
    assert used.tokenizer.encode_lists(ENGLISH) == [
        [used.map.new_ids[i] for i in ids] for ids in tok.encode_lists(ENGLISH)
    ]
    assert {*used.reasons} == {*range(used.map.n_new)}
    assert not LonePieces(used.tokenizer).dead()


@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name]["model_type"] == "bpe"])
def test_exactly(name) -> None:
    tok = model(name)
    n = len(tok) * 9 // 10
    less = tok.prune(n, source=ENGLISH, exactly=True)
    made = check(tok, less)
    assert less.map.n_new == n
    check_in_sentencepiece(made)
    for text in SOME:  # a removed piece falls into its parts, and all else stays
        ids = [less.map.new_ids[i] for i in tok.encode(text)]
        after = made.encode(text)
        if -1 not in ids:
            assert after == ids
        assert max(after, default=0) < n
    with pytest.raises(OptionError, match="allow='unused'"):
        made.to_hf("/nowhere", allow=())
    with pytest.raises(spm_lite.SpmLiteError):
        made.save("/nowhere/x.gguf", format="gguf")


@pytest.mark.parametrize("name", [*MODELS, *OWN])
def test_replace(name) -> None:
    tok = model(name)
    other = tok.replace(OTHER, 4, prune_for=ENGLISH, only="all", keep=["a"])
    made = check(tok, other)
    assert len(made) == len(tok)
    assert all(new in (-1, old) for old, new in enumerate(other.map.new_ids))
    assert len(other.map.grown) == 4
    assert sum(made.count_batch(OTHER)) <= sum(tok.count_batch(OTHER))
    if not tok._file.has_own_pieces:
        check_in_sentencepiece(made)


def test_special_ids_stay_where_they_can() -> None:
    assert placed([0, 2, 3, 5, 7], {0, 3, 7}) == [0, 2, 5, 3, 7]
    assert placed([0, 3, 4], {4}) == [0, 3, 4]
    assert placed([1, 2, 3], {1}) == [2, 1, 3]
    tok = model("bpe").add_pieces(["<x>"], control=True)
    less = tok.prune(len(tok) - 20, source=ENGLISH)
    assert less.map.new_ids[len(tok) - 1] == len(less.tokenizer) - 1
    other = tok.replace(OTHER, 4, prune_for=ENGLISH)
    assert other.tokenizer.id_to_piece(len(tok) - 1) == "<x>"


def change_at_random(tok, rand):
    """One operation of a random kind, and the texts that it is sure to keep."""
    kind = rand.choice(["n", "used", "exact", "replace", "merge", "rename", "claim", "extend"])
    some = rand.sample(TEXTS + OTHER, 40)
    if kind == "n":
        return tok.prune(rand.randrange(max(1, len(tok) - 40), len(tok) + 1), source=some)
    if kind == "used":
        limit = rand.choice([{}, {"min_count": 2}, {"coverage": 0.9}])
        return tok.prune(
            source=some, scripts=rand.choice([None, "Latin"]), keep_texts=rand.choice([None, ["the"]]), **limit
        )
    if kind == "exact":
        return tok.prune(rand.randrange(max(1, len(tok) - 40), len(tok) + 1), source=some, exactly=True)
    if kind == "replace":
        return tok.replace(some, rand.randrange(1, 8), prune_for=ENGLISH, only="all")
    if kind == "merge":
        return spm_lite.merge(
            tok, model(rand.choice([*MODELS])), n=rand.choice([None, 5]), only=rand.choice([None, "Cyrillic"])
        )
    if kind == "rename":
        name = rand.choice([*specials(tok).values()])
        return tok.rename({name: f"<{rand.random()}>"})
    if kind == "claim":
        return tok.claim_unused([f"<{rand.random()}>"])
    return tok.extend(some, 5, only="all")


@pytest.mark.parametrize("seed", slow_after(5, range(300)))
def test_sequences(seed) -> None:
    """Eight random operations, one after the other. An error is clear, and its remedy is another size."""
    rand = random.Random(seed)
    tok = model(rand.choice([*MODELS, *OWN]))
    for _ in range(8):
        state = rand.getstate()
        try:
            result = change_at_random(tok, rand)
        except (OptionError, TrainingError) as error:
            assert len(str(error)) > 30, error
            continue
        end = rand.getstate()
        rand.setstate(state)
        assert change_at_random(tok, rand).tokenizer.to_bytes() == result.tokenizer.to_bytes()
        rand.setstate(end)
        if not hasattr(result, "reasons"):
            tok = result.tokenizer
            continue
        tok = check(tok, result)
    if not tok._file.has_own_pieces:
        check_in_sentencepiece(tok)


@pytest.mark.parametrize("name", ["bpe", "unigram"])
def test_what_stays(name) -> None:
    tok = model(name)
    by_name = tok.prune(source=["on"], keep=["a"])
    assert by_name.reasons[by_name.tokenizer.piece_to_id("a")] == "keep"
    by_text = tok.prune(keep_texts=ENGLISH[:5])
    assert "keep_texts" in by_text.reasons.values()
    for text in ENGLISH[:5]:
        assert by_text.tokenizer.pieces(text) == tok.pieces(text)
    by_script = tok.prune(scripts=["Latin"])
    assert by_script.tokenizer.encode_lists(ENGLISH) == [
        [by_script.map.new_ids[i] for i in tok.encode(t)] for t in ENGLISH
    ]
    assert not any("ไ" in piece for piece in by_script.tokenizer.get_vocab())
    chat = "{% for m in messages %}the cat {{ 'hats' + m.content }}{% endfor %}"
    by_chat = tok.prune(source=["on"], keep_chat_template=chat)
    assert {"the cat ", "hats"} == {t for t in ("the cat ", "hats") if by_chat.tokenizer.pieces(t) == tok.pieces(t)}
    assert "keep_chat_template" in by_chat.reasons.values()
    several = tok.prune(source={"a": ENGLISH[:30], "b": ENGLISH[30:]})
    assert several.tokenizer == tok.prune(source=ENGLISH).tokenizer


def test_coverage_and_counts() -> None:
    tok = model("bpe")
    sizes = [len(tok.prune(source=TEXTS, coverage=share).tokenizer) for share in (0.5, 0.9, 1)]
    assert sizes == sorted(sizes)
    assert sizes[2] == len(tok.prune(source=TEXTS).tokenizer) == len(tok.prune(source=TEXTS, min_count=1).tokenizer)
    assert len(tok.prune(source=TEXTS, min_count=50).tokenizer) < sizes[2]


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("bpe", {}, OptionError, "does not know what to keep: give `source`"),
        ("bpe", {"n": 300}, OptionError, "n goes by the tokens of a text: give it as `source`"),
        ("bpe", {"n": 0, "source": ENGLISH}, OptionError, r"n=0: must be 1..\d+"),
        ("bpe", {"n": 9999, "source": ENGLISH}, OptionError, r"n=9999: must be 1..\d+"),
        ("bpe", {"n": 5, "source": ENGLISH}, OptionError, r"n=5: at least \d+ pieces must stay"),
        ("bpe", {"n": 3.5, "source": ENGLISH}, ArgumentTypeError, "n"),
        ("bpe", {"n": 300, "min_count": 2, "source": ENGLISH}, OptionError, "n and min_count say twice how far"),
        ("bpe", {"min_count": 0, "source": ENGLISH}, OptionError, "min_count=0: must be 1 or more"),
        ("bpe", {"coverage": 0, "source": ENGLISH}, OptionError, "coverage=0.0: must be above 0 and at most 1"),
        ("bpe", {"source": []}, OptionError, "source has no text"),
        ("bpe", {"keep_texts": [""]}, OptionError, "keep_texts has no text"),
        ("bpe", {"source": ENGLISH, "keep": ["tha cat"]}, OptionError, "keep holds 'tha cat', which is no piece"),
        ("bpe", {"source": ENGLISH, "keep": [3]}, ArgumentTypeError, "keep holds int 3"),
        ("bpe", {"source": ENGLISH, "keep": "the"}, ArgumentTypeError, "keep"),
        ("bpe", {"scripts": "Elvish"}, OptionError, "scripts holds 'Elvish', which is no script of Unicode"),
        ("bpe", {"scripts": []}, OptionError, "scripts is empty: name at least one"),
        ("bpe", {"source": ENGLISH, "vocab_size": 3}, TypeError, "unexpected keyword argument 'vocab_size'"),
        ("bpe", {"source": 3}, ArgumentTypeError, "int"),
        ("unigram", {"source": ENGLISH, "exactly": True}, OptionError, "exactly=True is for bpe models"),
        ("bytes", {"source": ENGLISH, "exactly": True}, OptionError, "exactly=True is for bpe models"),
    ],
)  # fmt: skip
def test_wrong_uses(name, arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        model(name).prune(**arguments)


@pytest.mark.parametrize("kind", ["wordpiece", "word", "char"])
def test_other_types(kind) -> None:
    tok = spm_lite.train(TEXTS, model_type=kind, vocab_size=300, hard_vocab_limit=False)
    with pytest.raises(OptionError, match=f"a {kind} model cannot be pruned"):
        tok.prune(source=ENGLISH)


def test_the_remedy_works() -> None:
    with pytest.raises(OptionError) as caught:
        model("bpe").prune(5, source=ENGLISH)
    made = model("bpe").prune(source=ENGLISH, **caught.value.remedies[0])
    assert len(made.tokenizer) == caught.value.remedies[0]["n"]
    with pytest.raises(OptionError, match=r"n=90: only 65 pieces may go, as 260 of 325 must stay") as other:
        model("bpe").replace(["dog"] * 9, 90, prune_for=ENGLISH)
    assert other.value.remedies[0] == {"n": 65}
    with pytest.raises(TrainingError, match=r"n=20: the text has only \d+ new pieces") as again:
        model("bpe").replace(["dog"] * 9, 20, prune_for=ENGLISH)
    assert model("bpe").replace(["dog"] * 9, prune_for=ENGLISH, **again.value.remedies[0]).map.grown


def test_errors_of_replace_name_its_arguments() -> None:
    with pytest.raises(ArgumentTypeError, match=r"^n=2\.5: must be int"):
        model("bpe").replace(["dog"] * 9, 2.5, prune_for=ENGLISH)
    with pytest.raises(OptionError, match=r"^prune_for has no text"):
        model("bpe").replace(["dog"] * 9, 2, prune_for=[])


def test_runs_of_spaces_stay() -> None:
    """Pieces of spaces have equal scores in Llama 2, so other programs depend on all of them."""
    tok = model("bpe")
    runs = ["\u2581" * n for n in (2, 3, 4)]
    file = tok._file
    spaced = spm_lite.Tokenizer.load(with_plain_pieces(file, [(run, -1e9) for run in runs]))
    less = spaced.prune(source=ENGLISH)
    assert {*runs} <= {*less.tokenizer.get_vocab()}
    for text in (" ", "     ", " " * 13):
        assert less.tokenizer.encode(text) == [less.map.new_ids[i] for i in spaced.encode(text)]
