"""`spm_lite.audit` as a whole: what it takes, what it refuses, and that its result is the same each time."""

import json
import pickle

import numpy as np
import pytest

import spm_lite
from spm_lite import ArgumentTypeError, Audit, FileError, MissingFileError, OptionError
from spm_lite.evaluation.report.standings import take_sentence

LINES = [f"The cat number {n} sat on the mat, and {n * 7} dogs ran." for n in range(150)]
OTHERS = [f"Die Katze Nummer {n} saß auf der Matte, und {n * 7} Hunde liefen." for n in range(150)]
SECTIONS = [
    "format", "spm_lite", "unicode", "tokenizers", "texts", "corpus", "parity", "vocabulary", "residue", "ngram",
    "stability", "probes", "worst", "usage", "cost", "verdicts", "faults",
]  # fmt: skip


@pytest.fixture(scope="module")
def toks():
    return {
        "bpe": spm_lite.train(LINES + OTHERS, model_type="bpe", vocab_size=400, hard_vocab_limit=False),
        "uni": spm_lite.train(LINES + OTHERS, vocab_size=350, hard_vocab_limit=False),
        "latin": spm_lite.train(LINES, vocab_size=60, hard_vocab_limit=False, byte_fallback=False),
    }


@pytest.fixture(scope="module")
def plain():
    """A tokenizer without byte pieces, which takes less time to examine."""
    return spm_lite.train(LINES + OTHERS, vocab_size=150, hard_vocab_limit=False, byte_fallback=False)


@pytest.fixture(scope="module")
def report(toks):
    return spm_lite.audit(toks, {"en": LINES}, parallel={"eng": LINES, "deu": OTHERS, "jpn": ["日本語の文です"] * 150})


def test_sections(report):
    data = report.to_dict()
    assert list(data) == SECTIONS
    assert data == json.loads(report.to_json())
    assert list(data["tokenizers"]) == ["bpe", "uni", "latin"]
    assert list(data["texts"]) == list(data["corpus"]) == list(data["ngram"]) == ["en", "eng", "deu", "jpn"]
    assert data["parity"]["bpe"]["reference"] == "eng"
    assert set(data["residue"]["en"]) == {"bpe"}
    assert data["corpus"]["en"]["bpe"] == data["corpus"]["eng"]["bpe"]
    assert data["usage"]["bpe"]["only_here"].keys() == data["texts"].keys()


def test_nothing_lossy_wins(report):
    """A tokenizer that does not know a script has few tokens there, and is never the better one."""
    data = report.to_dict()
    assert data["corpus"]["jpn"]["latin"]["tokens"] < data["corpus"]["jpn"]["uni"]["tokens"]
    for verdict in report.verdicts:
        if verdict.text == "jpn" and "latin" in (verdict.first, verdict.second):
            assert verdict.verdict == "loses text"
            assert verdict.winner is None
    assert report.faults[0].severity == "loss"
    assert "latin loses jpn: 100 % of its characters" in str(report.faults[0])
    table = report.to_arrow("corpus").to_pylist()
    assert {(row["text"], row["tokenizer"]) for row in table if row["loses_text"]} >= {("jpn", "latin")}
    text = str(report)
    section = text[text.index("\nText jpn") + 1 :].partition("\n\n")[0]
    for line in section[section.index("latin") :].splitlines()[1:]:
        assert line.endswith("✗")


@pytest.mark.slow
def test_same_inputs_same_bytes(toks, report):
    texts = {"en": iter(LINES)}
    parallel = {"eng": np.array(LINES), "deu": OTHERS, "jpn": ["日本語の文です"] * 150}
    for num_threads in (1, 3):
        other = spm_lite.audit(toks, dict(texts, en=list(LINES)), parallel=parallel, num_threads=num_threads)
        assert other.to_json() == report.to_json()
    assert list(texts["en"]) == LINES


def test_vocabularies_alone(plain, tmp_path):
    plain.save(tmp_path / "a.model")
    for given in (plain, str(tmp_path / "a.model"), [tmp_path / "a.model"]):
        found = spm_lite.audit(given)
        assert found.to_dict()["texts"] == {}
        assert len(found.to_dict()["vocabulary"]) == 1
        assert found.verdicts == []
        assert "none found" in str(found)
    assert list(spm_lite.audit(tmp_path / "a.model").to_dict()["tokenizers"]) == ["a"]
    assert list(spm_lite.audit([plain, plain]).to_dict()["tokenizers"]) == ["tokenizer 1", "tokenizer 2"]


def test_faulty_models(subject, golden):
    """Every planted fault is found, with its reason, and nothing else."""
    found = spm_lite.audit({name: subject(name).own for name in ("faulty_unigram", "faulty_bpe")})
    rows = found.to_arrow("unreachable").to_pylist()
    for name in ("faulty_unigram", "faulty_bpe"):
        right = golden["vocabulary"][name]["reach"]["unreachable"]
        assert [(row["id"], row["reason"]) for row in rows if row["tokenizer"] == name] == [
            (piece["id"], piece["reason"]) for piece in right
        ]
    words = [str(fault) for fault in found.faults if fault.what == "unreachable"]
    assert words[0].startswith("faulty_unigram has 8 pieces that no text can give: ﬁt (becomes fit), Ａ (becomes A)")


def test_byte_level_models_are_not_blamed():
    """Neither for spelling characters in bytes, nor for pieces that are parts of characters."""
    texts = ["日本語 한글", "漢字 กิน", "δρόμος"] * 30
    given = {"hard_vocab_limit": False, "bos_id": -1, "eos_id": -1}
    models = {
        "bytes": spm_lite.train(texts, model_type="byte_bpe", vocab_size=262, **given),
        "pieces": spm_lite.train(texts, model_type="bpe", vocab_size=275, character_coverage=0.98, **given),
    }
    found = spm_lite.audit(models, {"x": ["漢字 과일 δρόμος"] * 30})
    shares = {name: found.to_dict()["corpus"]["x"][name]["byte_fallback"]["character_share"] for name in models}
    assert min(shares.values()) > 0.1
    assert [fault.tokenizer for fault in found.faults if fault.what == "byte fallback"] == ["pieces"]
    assert "unreachable" not in {fault.what for fault in found.faults if fault.tokenizer == "bytes"}
    assert "ending inside characters" in str(found)


def test_other_tokenizers(plain):
    """A function, ids made before and a Tokenizer on one text: what each lacks is null, not wrong."""
    ids = plain.encode_lists(LINES)
    found = spm_lite.audit(
        {
            "uni": plain,
            "bytes": spm_lite.as_tokenizer(lambda text: list(text.encode()), vocab_size=256),
            "ids": spm_lite.as_tokenizer(ids, vocab_size=len(plain)),
        },
        {"en": LINES},
    )
    data = found.to_dict()
    assert data["corpus"]["en"]["ids"]["tokens"] == data["corpus"]["en"]["uni"]["tokens"]
    models = data["ngram"]["en"]["models"]
    assert models["ids"]["n2"] == models["uni"]["n2"]
    assert data["corpus"]["en"]["ids"]["letter_words"] is None
    assert {v.verdict for v in found.verdicts if {v.first, v.second} == {"uni", "ids"} and v.figure == "tokens"} == {
        "same"
    }
    assert "ids" not in data["vocabulary"]
    str(found)


def test_the_text_of_train_is_noted_under_the_ranking(plain):
    toks = {"uni": plain, "same": plain}
    found = spm_lite.audit(toks, {"en": LINES * 4}, train=OTHERS * 4)
    for shown in (str(found), found.to_html()):
        assert "the ranking is wrong if a tokenizer was trained on that text" in " ".join(shown.split())
    assert "train=" not in str(spm_lite.audit(toks, {"en": LINES * 4}))


def test_options(plain):
    tok = {"uni": plain}
    tokens = spm_lite.audit(tok, {"en": LINES}, orders=())
    assert tokens.to_dict()["ngram"] == {}
    limited = spm_lite.audit(tok, {"en": LINES}, ngram_bytes=2000).to_dict()
    assert limited["ngram"]["en"]["bytes_used"] < 2100
    assert "by ngram_bytes" in limited["texts"]["en"]["notes"][0]
    trained = spm_lite.audit(tok, {"en": LINES}, train=LINES[:100]).to_dict()
    assert trained["ngram"]["en"]["held_out_documents"] == 150
    assert trained["ngram"]["en"]["training_sha256"] != trained["texts"]["en"]["sha256"]
    words = spm_lite.audit(tok, {"en": LINES}, words=["cat", "dog"]).to_dict()
    assert words["corpus"]["en"]["uni"]["single_token_words"]["k"] == 2
    cut = spm_lite.audit(tok, {"en": LINES}, words=str.split, orders=()).to_dict()
    n_words = len({word for line in LINES for word in line.split()})
    assert cut["corpus"]["en"]["uni"]["single_token_words"]["k"] == min(n_words, 1000)
    assert cut["texts"]["en"]["notes"] == []
    keys = spm_lite.audit(tok, {"en": LINES}, document=[n // 10 for n in range(150)]).to_dict()
    assert keys["texts"]["en"]["documents"] == 15
    assert spm_lite.audit(tok, {"en": LINES}, orders=(1, 2)).to_dict()["ngram"]["en"]["models"]["uni"]["n1"]["bits"] > 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"texts": {"en": LINES}, "train": list(LINES)}, OptionError, "for 'en' would be trained on this text itself"),
        ({"texts": {"en": LINES}, "orders": (2, 4)}, OptionError, "orders has 4"),
        ({"texts": {"en": LINES}, "orders": 2}, ArgumentTypeError, "orders is int"),
        ({"texts": {"en": LINES}, "ngram_bytes": 0}, OptionError, "ngram_bytes 0 is not above 0"),
        ({"texts": {"en": LINES}, "words": {"fr": ["x"]}}, OptionError, "words names the text 'fr'"),
        ({"texts": {"en": LINES}, "words": "x"}, ArgumentTypeError, "words for the text 'en' is 'x': pass a list"),
        ({"texts": {"en": LINES}, "words": {"en": "x"}}, ArgumentTypeError, "words for the text 'en' is 'x'"),
        ({"texts": {"en": LINES}, "words": ["x", 3]}, ArgumentTypeError, "pass a list of words"),
        ({"texts": {"en": LINES}, "words": lambda text: text}, ArgumentTypeError, "let it give a list of str"),
        ({"texts": {"en": LINES}, "words": lambda text: None}, ArgumentTypeError, "let it give a list of str"),
        ({"texts": {"en": LINES, "de": OTHERS}, "train": LINES}, OptionError, "train is one value for 2 texts"),
        ({"texts": {"en": LINES}, "document": {"fr": "file"}}, OptionError, "document names the text 'fr'"),
        ({"document": "file"}, OptionError, "document needs texts, and none are given"),
        ({"reference": "en"}, OptionError, "reference='en' is for parallel texts"),
        ({"texts": {"en": LINES}, "weights": {"en": 1}}, OptionError, "weights is for two or more texts, not 1"),
        ({"parallel": {"en": LINES, "de": OTHERS}, "weights": {"en": 1}}, OptionError, "'de' has no weight"),
        (
            {"texts": {"en": LINES, "mixture": OTHERS}, "weights": {"en": 1, "mixture": 1}},
            OptionError,
            "a text is named 'mixture', and weights adds a row of this name",
        ),
        ({"parallel": {"en": LINES}}, OptionError, "parallel is only one text"),
        ({"parallel": {"en": LINES, "de": OTHERS[:5]}}, OptionError, "'en' has 150, and 'de' has 5"),
        (
            {"parallel": {"en": LINES, "de": OTHERS}, "reference": "fr"},
            OptionError,
            "not one of the parallel texts: en, de",
        ),
        ({"texts": {"en": LINES}, "parallel": {"en": LINES, "de": OTHERS}}, OptionError, "two texts are named 'en'"),
        ({"texts": {"en": "no such file"}}, MissingFileError, "no such file"),
        ({"texts": {"en": 5}}, ArgumentTypeError, "must be a path"),
        ({"texts": {5: LINES}}, ArgumentTypeError, "text 5 has no name"),
        ({"texts": {"en": LINES}, "column": 5}, ArgumentTypeError, "column="),
        ({"texts": {"en": LINES}, "progress": 5}, ArgumentTypeError, "progress=5"),
    ],
)
def test_bad_arguments(plain, arguments, error, message):
    with pytest.raises(error, match=message):
        spm_lite.audit({"uni": plain}, **arguments)


def test_bad_tokenizers():
    for given, error, message in (
        ([], OptionError, "no tokenizer to audit"),
        ({"x": 5}, ArgumentTypeError, "tokenizer 'x' is int"),
        (["a/x.model", "b/x.model"], OptionError, "two tokenizers are named 'x'"),
        ("no.model", MissingFileError, r"no\.model"),
    ):
        with pytest.raises(error, match=message):
            spm_lite.audit(given)


def test_progress(plain):
    seen = []
    spm_lite.audit(plain, {"en": LINES}, progress=seen.append)
    assert {one.phase for one in seen} == {"vocabulary", "encode", "ngrams"}
    assert all(one.fraction is None or 0 <= one.fraction <= 1 for one in seen)


def test_result(report, tmp_path):
    path = tmp_path / "a.json"
    text = report.to_json(path)
    assert path.read_text(encoding="utf-8") == text
    again = Audit.load(path)
    assert again.to_json() == text
    assert again.verdicts == report.verdicts
    assert pickle.loads(pickle.dumps(again)).faults == report.faults
    assert repr(report).startswith("<Audit of bpe, uni, latin on 4 texts")
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(FileError, match=r"is not an audit that to_json wrote"):
        Audit.load(tmp_path / "b.json")
    with pytest.raises(OptionError, match="table='x' must be one of corpus, parity"):
        report.to_arrow("x")


def test_tables(report):
    pandas = pytest.importorskip("pandas")
    for name, n_rows in (("corpus", 12), ("parity", 9), ("verdicts", 24)):
        frame = report.to_pandas(name)
        assert isinstance(frame, pandas.DataFrame)
        assert len(frame) == n_rows
    assert report.to_pandas().loc[0, "unknown.character_share"] == 0


def test_hostile_names_and_pieces():
    """What a terminal would obey does not reach it."""
    texts = ["\x1b[31mred \u202eback\n"] * 30
    tok = spm_lite.train(texts, vocab_size=40, hard_vocab_limit=False, byte_fallback=False)
    found = str(spm_lite.audit({"\x1b[1mbold": tok}, {"\x1b]0;x\x07": texts}))
    assert "\x1b" not in found
    assert "\x07" not in found
    assert "\u202e" not in found


def test_a_tokenizer_that_loses_text_and_tells_no_places(plain):
    """Unknown tokens alone say that text is lost: everything that people read says so."""

    class Ascii:
        vocab_size, unk_id = 129, 128

        def encode_batch(self, texts):
            return [[min(byte, 128) for byte in text.encode()] for text in texts]

    report = spm_lite.audit({"ascii": Ascii(), "plain": plain}, {"jpn": ["日本語の文です"] * 150})
    assert "ascii loses jpn: 100 % of its tokens are unknown" in [str(fault) for fault in report.faults]
    assert "ascii loses jpn" in str(report)
    assert "ascii loses jpn" in report.to_html()
    assert [str(one) for one in report.unmet("ascii:unknown<=0", "junk.repeat<=99", "size>9")] == [
        "ascii, jpn: unknown could not be computed, but ascii:unknown<=0 is required",
        "ascii: junk.repeat could not be computed, but junk.repeat<=99 is required",
    ]
    assert report.changes_since(report) == []
    assert report.to_dict()["corpus"]["jpn"]["ascii"]["unknown"]["character_share"] is None


def test_equal_tokenizers_have_no_winner(toks):
    same = spm_lite.audit({"a": toks["bpe"], "b": toks["bpe"]}, {"en": LINES, "de": OTHERS})
    assert same.best is None
    assert take_sentence(same._data) == "Take any of a and b: they differ by nothing that matters."


@pytest.fixture(scope="module")
def mixed(toks):
    """The report above with a mixture."""
    parallel = {"eng": LINES, "deu": OTHERS, "jpn": ["日本語の文です"] * 150}
    weights = {"en": 1, "eng": 3, "deu": 4, "jpn": 0.004}
    return spm_lite.audit(toks, {"en": LINES}, parallel=parallel, weights=weights)


def test_a_mixture_changes_nothing_else(report, mixed):
    """The figures, verdicts and faults of the texts are those of an audit without weights."""
    data, plain_data = mixed.to_dict(), report.to_dict()
    assert list(data) == [*SECTIONS[:-3], "mixture", *SECTIONS[-3:]]
    assert list(data.pop("mixture")["shares"]) == ["en", "eng", "deu", "jpn"]
    del data["cost"]["texts"]["mixture"]
    data["verdicts"] = [one for one in data["verdicts"] if one["text"] != "mixture"]
    assert data == plain_data
    assert "mixture" not in report.to_json()
    assert "mixture" not in str(report)
    assert "ixture" not in report.to_html()
    assert repr(mixed) == repr(report)


def test_the_mixture_is_where_texts_are(mixed, report):
    data = mixed.to_dict()
    shares, bits = data["mixture"]["shares"], data["mixture"]["ngram"]["models"]["uni"]
    for order in ("n2", "n3"):
        for name in ("bits_per_byte", "bits_per_byte_spelled"):
            mean = sum(shares[text] * data["ngram"][text]["models"]["uni"][order][name] for text in shares)
            assert bits[order][name] == pytest.approx(mean, rel=1e-12)
    rate = 1 / sum(shares[text] / data["corpus"][text]["uni"]["bytes_per_token"] for text in shares)
    assert data["mixture"]["corpus"]["uni"]["bytes_per_token"] == pytest.approx(rate, rel=1e-12)
    assert [one.verdict for one in mixed.verdicts if one.text == "mixture" and "latin" in (one.first, one.second)] == [
        "loses text"
    ] * 4
    rows = [row for row in mixed.to_arrow().to_pylist() if row["text"] == "mixture"]
    assert [row["tokenizer"] for row in rows] == ["bpe", "uni", "latin"]
    assert [row["loses_text"] for row in rows] == [False, False, True]
    assert rows[1]["bytes_per_token"] == data["mixture"]["corpus"]["uni"]["bytes_per_token"]
    assert rows[1]["tokens"] is None
    page = mixed.to_html()
    assert "<h3>Mixture</h3>" in page
    assert page.count("<td>mixture</td>") == 3  # the ranking, characters and bytes per token
    assert ">mixture</text>" in page  # in the chart of differences
    assert mixed.changes_since(mixed) == []


def test_requirements_on_the_mixture(mixed, report):
    """They apply where they name it; a rule for all texts leaves it out."""
    unmet = mixed.unmet("uni:mixture.bytes_per_token>99", "mixture.bits_per_byte<1e9", "bpe:mixture.once<9")
    rate = mixed.to_dict()["mixture"]["corpus"]["uni"]["bytes_per_token"]
    assert [str(one) for one in unmet] == [
        f"uni, mixture: bytes_per_token is {rate:.6g}, but uni:mixture.bytes_per_token>99 is required",
        "bpe, mixture: once could not be computed, but bpe:mixture.once<9 is required",
    ]
    assert [one.text for one in mixed.unmet("uni:bytes_per_token<0")] == ["en", "eng", "deu", "jpn"]
    with pytest.raises(OptionError, match=r"there is no figure 'mixture\.bits_per_byte'"):
        report.unmet("mixture.bits_per_byte<9")


def test_changes_of_a_mixture(plain):
    """They are told where texts and shares are the same."""
    texts = {"en": LINES, "de": OTHERS}
    other = spm_lite.train(LINES, vocab_size=90, hard_vocab_limit=False, byte_fallback=False)
    before = spm_lite.audit({"a": plain}, texts, weights={"en": 1, "de": 2}, orders=())
    for weights, is_told in (({"en": 2, "de": 4}, True), ({"en": 2, "de": 1}, False), (None, False)):
        after = spm_lite.audit({"a": other}, texts, weights=weights, orders=())
        moved = {one.figure for one in after.changes_since(before) if one.text == "mixture"}
        assert ("bytes_per_token" in moved) is is_told


def test_a_mixture_with_a_text_that_has_nothing(plain):
    found = spm_lite.audit({"a": plain, "b": plain}, {"en": LINES, "none": []}, weights={"en": 1, "none": 1})
    assert found.to_dict()["mixture"]["corpus"]["a"]["bytes_per_token"] is None
    assert found.to_dict()["mixture"]["ngram"] == {"models": {}, "pairs": {}}
    assert {one.text for one in found.verdicts} == {"en"}
    assert "mixture" in str(found)
    assert "mixture" in found.to_html()
