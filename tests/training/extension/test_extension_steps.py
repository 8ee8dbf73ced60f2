"""Extended models keep their promises: old ids, one id for each new piece, nothing lost, the same in sentencepiece."""

import random

import pytest
from oracle.slow import slow_after
from oracle.small_models import HARD, tokenizer_of

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError, TrainingError
from spm_lite.tokenizer.lone_pieces import LonePieces

rng = random.Random(7)
OLD = [" ".join(rng.choices(["the", "cat", "hats", "sat", "12", "on", "at", "é"], k=6)) for _ in range(90)]
WORDS = ["кот", "шляпа", "на", "дело", "слово", "2024", "cats", "ไทย", "ภาษา", "日本", "e\u0301", "👩\u200d🚀"]
NEW = [" ".join(rng.choices(WORDS, k=5)) for _ in range(90)]
SOME = [*OLD[:20], *NEW[:20], *HARD]
MODELS = {
    "bpe": {"model_type": "bpe", "vocab_size": 300},
    "lossy": {"model_type": "bpe", "vocab_size": 90, "byte_fallback": False, "normalization": "nmt_nfkc"},
    "suffix": {
        "model_type": "bpe", "vocab_size": 300, "treat_whitespace_as_suffix": True, "split_digits": True,
        "lossless": False,
    },
    "sentences": {"model_type": "bpe", "vocab_size": 330, "split_by_whitespace": False},
    "symbols": {
        "model_type": "bpe",
        "vocab_size": 310,
        "user_defined_symbols": ["кот", "<a>"],
        "control_symbols": ["на"],
    },
    "bytes": {"model_type": "byte_bpe", "vocab_size": 300},
    "gpt2": {"model_type": "byte_bpe", "vocab_size": 290, "split_pattern": "gpt2"},
    "regex": {"model_type": "byte_bpe", "vocab_size": 290, "split_pattern": r"\p{L}+| ?[^\p{L}]+"},
    "unigram": {"model_type": "unigram", "vocab_size": 300},
    "unigram_lossy": {"model_type": "unigram", "vocab_size": 60, "byte_fallback": False, "normalization": "nfkc_rules"},
}  # fmt: skip


def model(name):
    return spm_lite.train(OLD, hard_vocab_limit=False, **MODELS[name])


def check(tok, made, change, texts=SOME, is_counted=False):
    """Each new piece is one id, nothing is lost, and a text without a new piece keeps its ids."""
    assert change.new_ids == tuple(range(tok.vocab_size))
    assert change.n_new == made.vocab_size == tok.vocab_size + len(change.grown)
    assert [made.id_to_piece(i) for i in change.new_ids] == [tok.id_to_piece(i) for i in change.new_ids]
    lone = LonePieces(made)
    new = {i: made._file.vocab.text(i) for i in change.grown}
    assert all(lone.ids(text) == [i] for i, text in new.items())
    assert not (lone.dead() & {*change.grown})
    for text in texts:
        before, after = tok.encode(text), made.encode(text)
        if before != after:
            assert is_counted or {*after} & {*new}, text
        if tok.info.is_lossless:
            assert made.decode(after) == text


@pytest.mark.parametrize("name", MODELS)
def test_promises(name) -> None:
    tok = model(name)
    extended = tok.extend(NEW, 20)
    check(tok, extended.tokenizer, extended.map)
    if "lossy" not in name:  # there, a run of unknown characters is one token
        assert sum(extended.tokenizer.count_batch(NEW)) < sum(tok.count_batch(NEW))
    again = tok.extend(iter(NEW[::-1]), 20, num_threads=1)
    assert again.tokenizer.to_bytes() == extended.tokenizer.to_bytes()
    assert again.map == extended.map


@pytest.mark.parametrize("name", [name for name in MODELS if "byte" not in MODELS[name]["model_type"]])
def test_the_same_ids_in_sentencepiece(name) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    made = model(name).extend(NEW, 20).tokenizer
    other = sentencepiece.SentencePieceProcessor(model_proto=made.to_bytes())
    # sentencepiece takes a literal U+2581 for a space, and drops U+0000
    texts = [text for text in SOME if "\u2581" not in text and "\0" not in text]
    assert [other.encode(text) for text in texts] == made.encode_lists(texts)


@pytest.mark.parametrize("seed", slow_after(4, range(200)))
def test_sequences(seed) -> None:
    """Extensions of extensions, with random options."""
    random_one = random.Random(seed)
    tok = first = model(random_one.choice([*MODELS]))
    for _ in range(3):
        text = random_one.sample([*NEW, *OLD], 60)
        options = {
            "only": random_one.choice([None, None, "all", "Thai", ["Cyrillic", "Han"]]),
            "min_count": random_one.choice([1, 2, 5]),
            "max_length": random_one.choice([None, 3, 8]),
            "coverage": random_one.choice([0.98, 0.9995, 1.0]),
        }
        if tok.model_type != "unigram" and random_one.random() < 0.3:
            options["protect"] = OLD[:30]
        try:
            made = tok.extend(text, random_one.randrange(1, 40), **options)
        except TrainingError as error:
            if not error.remedies:
                continue
            made = tok.extend(text, **{**options, **error.remedies[0]})
        except OptionError as error:
            assert "letters of all scripts" in str(error)
            continue
        check(tok, made.tokenizer, made.map)
        if "protect" in options:
            assert made.tokenizer.encode_lists(OLD[:30]) == tok.encode_lists(OLD[:30])
        if options["only"] not in (None, "all") and "byte" not in tok.model_type:
            assert made.tokenizer.encode_lists(OLD) == tok.encode_lists(OLD)
        tok = made.tokenizer
    assert [tok.id_to_piece(i) for i in range(first.vocab_size)] == [
        first.id_to_piece(i) for i in range(first.vocab_size)
    ]


def test_only_and_new_scripts() -> None:
    tok = model("bpe")
    pieces = tok.extend(NEW, 9, only="Thai").map.grown.values()
    assert all(any("\u0e00" <= one < "\u0e80" for one in piece.piece) for piece in pieces)
    tok = model("unigram")
    with pytest.raises(OptionError, match="only='new': the model has letters of all scripts"):
        tok.extend(OLD, 5)
    assert all(not piece.piece.strip("\u2581").isascii() for piece in tok.extend(NEW, 20).map.grown.values())
    assert tok.extend(NEW, 9).tokenizer.encode_lists(OLD) == tok.encode_lists(OLD)


def test_digits_stay_alone_where_the_model_has_them_so() -> None:
    tok = model("suffix")
    pieces = [piece.piece for piece in tok.extend(NEW, 40, only="all").map.grown.values()]
    assert all(len(piece) == 1 or not any(map(str.isdigit, piece)) for piece in pieces)


def test_a_table_counted_by_the_same_rules() -> None:
    options = MODELS["gpt2"] | {"model_type": "byte_bpe"}
    del options["vocab_size"]
    tok = model("gpt2")
    table = spm_lite.CountTable.count(NEW, **options)
    assert tok.extend(table, 20).tokenizer == tok.extend(NEW, 20).tokenizer
    with pytest.raises(OptionError, match="the model has chunks that are bytes, the count table has"):
        tok.extend(spm_lite.CountTable.count(NEW), 20)
    tok = model("bpe")
    table = spm_lite.CountTable.count(NEW, model_type="bpe")
    assert tok.extend([table], 20).tokenizer == tok.extend(NEW, 20).tokenizer


def test_several_sources_and_their_files(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(NEW[:50]), encoding="utf-8")
    (tmp_path / "b.txt").write_text("\n".join(NEW[50:]), encoding="utf-8")
    tok = model("bpe")
    paths = {name: tmp_path / f"{name}.txt" for name in "ab"}
    assert tok.extend(paths, 20).tokenizer == tok.extend(NEW, 20).tokenizer
    assert tok.extend([*paths.values()], 20, separator="\n").tokenizer == tok.extend(NEW, 20).tokenizer


@pytest.mark.parametrize("name", ["bpe", "bytes", "unigram"])
def test_the_curve(name) -> None:
    tok = model(name)
    extended = tok.extend(NEW[:60], 16, held_out=NEW[60:])
    assert [*extended.curve] == [0, 2, 4, 8, 16]
    assert extended.curve[0] == sum(tok.count_batch(NEW[60:]))
    assert extended.curve[16] == sum(extended.tokenizer.count_batch(NEW[60:]))
    assert extended.curve[4] == sum(tok.extend(NEW[:60], 4).tokenizer.count_batch(NEW[60:]))


def test_progress() -> None:
    seen = []
    model("bpe").extend(NEW, 9, progress=seen.append)
    assert {one.phase for one in seen} >= {"count", "merges"}


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("bpe", {"n_new": 0}, OptionError, "n_new=0: must be 1.."),
        ("bpe", {"n_new": 1.5}, ArgumentTypeError, "n_new=1.5: must be int"),
        ("bpe", {"n_new": 2**31}, OptionError, "must be 1.."),
        ("bpe", {"min_count": 0}, OptionError, "min_count=0: must be 1.."),
        ("bpe", {"max_length": 0}, OptionError, "max_length=0: must be 1..512"),
        ("bpe", {"coverage": "auto"}, ArgumentTypeError, "coverage='auto': must be float, not str"),
        ("bpe", {"coverage": 0.5}, OptionError, "^coverage=0.5: must be 0.98..1.0"),
        ("bpe", {"only": []}, OptionError, r"only=\[\]: must hold names of scripts"),
        ("bpe", {"only": ["new", "Thai"]}, OptionError, "'new' or 'all' stands alone"),
        ("bpe", {"protect": [""]}, OptionError, "protect has no text whose ids could stay"),
        ("bpe", {"memory_limit": 64 * 10**6, "n_new": 10**6}, OptionError, "is the least for model_type='bpe'"),
        ("bpe", {"only": "Elvish"}, OptionError, "no script of Unicode"),
        ("bpe", {"n_new": 5000}, TrainingError, r"only \d+ new pieces that occur min_count=2 times: give n_new="),
        ("bpe", {"source": ["the cat"] * 9, "only": "Thai"}, TrainingError, "only 0 new pieces"),
        ("bpe", {"source": []}, TrainingError, "no text to learn from"),
        ("bpe", {"source": 3}, ArgumentTypeError, "int"),
        ("unigram", {"protect": OLD}, OptionError, "protect is for bpe and byte_bpe models"),
        ("bpe", {"vocab_size": 9}, TypeError, "unexpected keyword argument 'vocab_size'"),
    ],
)
def test_wrong_uses(name, arguments, error, message) -> None:
    with pytest.raises(error, match=message) as caught:
        model(name).extend(**{"source": NEW, "n_new": 5, **arguments})
    for remedy in getattr(caught.value, "remedies", ()):
        try:
            model(name).extend(**{"source": NEW, "n_new": 5, **arguments, **remedy})
        except TrainingError as other:
            assert str(other) != str(caught.value)


def test_special_pieces_in_protected_text_are_text() -> None:
    """Encoding does not find the name of a control piece, so its characters could become pieces."""
    tok = model("bpe")
    stays = ["<s>", "a</s>b", "<unk>"]
    extended = tok.extend([*NEW, *["<s <s /s> s> nk> <un"] * 90], 20, protect=stays, only="all")
    assert extended.tokenizer.encode_lists(stays) == tok.encode_lists(stays)
    with pytest.raises(OptionError, match="protect is a count table"):
        tok.extend(NEW, 5, protect=spm_lite.CountTable.count(OLD, model_type="bpe"))


def test_a_memory_limit_leaves_protected_text_whole() -> None:
    """Rare chunks of the source may be left out, but not of the text whose ids stay."""
    random_one = random.Random(1)
    words = ["".join(random_one.choices("abcdefgh", k=12)) for _ in range(70_000)]
    tok = model("bpe")
    assert tok.extend(words, 5, memory_limit="64MB").map.n_new == tok.vocab_size + 5
    with pytest.raises(OptionError, match="leaves no room for all of the text of protect") as caught:
        tok.extend(NEW, 5, protect=words, memory_limit="64MB")
    made = tok.extend(NEW, 5, protect=words, **caught.value.remedies[0]).tokenizer
    assert made.encode_lists(words) == tok.encode_lists(words)


def test_protected_text_has_pieces_that_break_the_rules() -> None:
    """A piece of a letter and a digit, which a training here would not make."""
    pieces = [("<unk>", 0.0, 2), *((one, -9.0, 1) for one in "cb2x\u2581"), ("b2", -1.0, 1), ("bb", -2.0, 1)]
    tok = tokenizer_of(pieces, "bpe")
    assert tok.pieces("cbb2") == ["c", "b", "b2"]
    made = tok.extend(["cb cb xcb"] * 9 + ["xc xc"] * 2, 1, protect=["cbb2"]).tokenizer
    assert made.pieces("cbb2") == ["c", "b", "b2"]
    assert made.id_to_piece(8) == "xc"


def test_unigram_scores_that_are_no_probabilities() -> None:
    """Pieces of -1e9 stand in files; the probability of one is 0 in a double."""
    pieces = [("<unk>", 0.0, 2), *((one, -1e9, 1) for one in "abcé\u2581"), ("ab", -1e9, 1), ("bc", -3.0, 1)]
    tok = tokenizer_of(pieces, "unigram")
    extended = tok.extend(["abc cab éab bca", "aab cc éé"] * 9, 4, only="all")
    check(tok, *extended[:2], is_counted=True)


def test_pieces_that_are_parts_of_characters() -> None:
    pieces = [("<unk>", 0.0, 2), (b"\xc3", 0.0, 4), ("a", 0.0, 1)]
    with pytest.raises(OptionError, match="parts of characters"):
        tokenizer_of(pieces, "bpe").extend(NEW, 5)


def test_the_remedy_works() -> None:
    with pytest.raises(TrainingError) as caught:
        model("bpe").extend(NEW, 5000)
    made = model("bpe").extend(NEW, **caught.value.remedies[0])
    check(model("bpe"), made.tokenizer, made.map)


@pytest.mark.parametrize("kind", ["wordpiece", "word", "char"])
def test_other_types(kind) -> None:
    tok = spm_lite.train(OLD, model_type=kind, vocab_size=300, hard_vocab_limit=False)
    with pytest.raises(OptionError, match=f"a {kind} model cannot be extended: "):
        tok.extend(NEW, 5)
    with pytest.raises(OptionError, match="train a byte_bpe model"):
        spm_lite.byte_tokenizer().extend(NEW, 5)


def lines_of(shared_data, language):
    text = (shared_data / "corpora" / "parallel" / f"ntrex.{language}.tsv").read_text(encoding="utf-8")
    return [line.partition("\t")[2] for line in text.splitlines() if "\t" in line]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "language", "only", "most", "n_changed"),
    [
        ("llama2.model", "amh", None, 18_940, 19),
        ("llama2.model", "amh", "Ethiopic", 18_940, 0),
        ("llama2.model", "khm", "Khmer", 17_710, 0),
        ("t5_base.model", "amh", None, 21_360, 0),
    ],
)
def test_figures_of_known_models(shared_data, file, language, only, most, n_changed) -> None:
    tok, lines = spm_lite.load(shared_data / "models" / file), lines_of(shared_data, language)
    made = tok.extend(lines[:1500], 2000, only=only).tokenizer
    assert made.vocab_size == tok.vocab_size + 2000
    assert sum(made.count_batch(lines[1500:])) <= most
    for other in ("eng", "deu", "rus", "jpn"):
        texts = lines_of(shared_data, other)
        changed = sum(a != b for a, b in zip(tok.encode_lists(texts), made.encode_lists(texts), strict=True))
        assert changed <= n_changed


@pytest.mark.slow
def test_known_models_in_sentencepiece(shared_data) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    lines = lines_of(shared_data, "khm")
    texts = [text for other in ("khm", "eng", "jpn", "amh", "arb") for text in lines_of(shared_data, other)[1500:1700]]
    for path in sorted((shared_data / "models").glob("*.model")):
        tok = spm_lite.load(path)
        if tok.model_type not in ("bpe", "unigram"):
            continue
        extended = tok.extend(lines[:1500], 300, only="Khmer")
        other = sentencepiece.SentencePieceProcessor(model_proto=extended.tokenizer.to_bytes())
        assert other.encode(texts) == extended.tokenizer.encode_lists(texts), path.name
        check(tok, extended.tokenizer, extended.map, texts)


def test_files_of_other_programs(shared_data) -> None:
    """Ranks of tiktoken, and a list of merges."""
    tok = spm_lite.load(shared_data / "interop" / "p50k_base.tiktoken", name="p50k_base")
    check(tok, *tok.extend(NEW, 20)[:2])
    listed = spm_lite.load(shared_data / "interop" / "sqlpilot.tokenizer.json")
    assert listed._file.vocab.merge_list is not None
    extended = listed.extend(NEW, 40)
    check(listed, *extended[:2])
    assert len(extended.tokenizer._file.vocab.merge_list) > len(listed._file.vocab.merge_list)
    affixed = spm_lite.load(shared_data / "interop" / "hw_doc_summarizer.tokenizer.json")
    with pytest.raises(OptionError, match="the model writes b'##' at the ends of its pieces"):
        affixed.extend(NEW, 10)


def test_digits_of_a_file_that_does_not_say_so(shared_data) -> None:
    """A tokenizer.json has no option for digits, but its pieces keep them apart."""
    tok = spm_lite.load(shared_data / "interop" / "llama2.tokenizer.json")
    pieces = [one.piece for one in tok.extend(["2024 1999 2024", "1234 5678"] * 9 + NEW, 20).map.grown.values()]
    assert not any(any(map(str.isdigit, piece)) and len(piece) > 1 for piece in pieces)
