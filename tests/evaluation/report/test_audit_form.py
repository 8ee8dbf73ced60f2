"""An audit that is loaded has the form that its reports need, or is refused with the place."""

import copy
import json

import pytest

import spm_lite
from spm_lite.errors import FileError
from spm_lite.evaluation.report.audit_form import check_audit

TEXTS = ["the cat sat on the mat", "a dog ran to the mat"] * 6
OTHERS = {"en": TEXTS, "de": [text.upper() for text in TEXTS]}


@pytest.fixture(scope="module")
def data():
    options = {"vocab_size": 290, "hard_vocab_limit": False, "num_threads": 1}
    toks = {name: spm_lite.train(TEXTS, model_type=kind, **options) for name, kind in (("a", "bpe"), ("b", "unigram"))}
    return spm_lite.audit(toks, parallel=OTHERS, weights={"en": 1, "de": 2}, num_threads=1).to_dict()


def test_an_audit_has_the_form(data):
    check_audit(data)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("tokenizers",), {}, "the audit is of no tokenizer"),
        (("tokenizers", "a", "size"), "9", "the audit.tokenizers.a.size is '9', not a whole number"),
        (("corpus", "en", "a", "unknown"), None, "corpus.en.a.unknown is None, not an object"),
        (("corpus", "en", "c"), None, "corpus.en.c is None"),
        (("faults",), [{"severity": "bad"}], r"faults\[0\].severity is 'bad', not one of loss, fault, warning"),
        (("parity", "a", "all", "tax_max_ci95"), [2, 1], "the lower one first"),
        (("mixture", "shares", "xx"), 0.5, "mixture.shares names 'xx', which the audit has not"),
        (("verdicts", 0, "winner"), "c", "verdicts names 'c'"),
        (("ngram", "en", "models", "a"), {"unknown_character_share": 0}, "ngram.en.models are not of the same orders"),
        (("ngram", "en", "pairs", "x - y"), {"tokens": {"log_ratio": 1, "se": 1}}, "pairs names 'x - y'"),
        (("cost", "tokenizers", "a", "models"), {}, "not of the same models"),
        (("corpus", "en", "a", "tokens_by_script"), {"Latin": []}, r"tokens_by_script.Latin is \[\], not"),
        (("corpus", "en", "a", "length", "p5"), "7", "length.p5 is '7'"),
        (("corpus", "en", "a", "rank_frequency"), [[1, 0]], "rank_frequency"),
        (("vocabulary", "a", "tables", "scripts"), {"Latin": None}, "tables.scripts.Latin is None"),
        (("vocabulary", "a", "junk"), {"long": {"count": 1}}, "junk.long has no 'first'"),
        (("vocabulary", "a", "junk"), {"long": {"count": 1, "first": [], "pieces": 1.0}}, "pieces is 1.0, not a list"),
        (("vocabulary", "a", "reach", "unreachable"), None, "reach.unreachable is None, not a list"),
        (("vocabulary", "a", "reach", "unreachable"), [{"reason": 3}], r"unreachable\[0\].reason is 3, not a text"),
        (("vocabulary", "a", "reach", "unreachable"), [{"instead": 5}], r"unreachable\[0\].instead is 5, not a list"),
        (("format",), True, "the audit.format is True"),
        (("worst", "en", 0, "pieces", "a", 0), [0, 1, 3], r"pieces.a\[0\]\[2\] is 3, not a whole number, 0 to 2"),
    ],
)
def test_refused(data, place, value, message, tmp_path):
    changed = copy.deepcopy(data)
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(ValueError, match=message):
        check_audit(changed)
    (tmp_path / "audit.json").write_text(json.dumps(changed))
    with pytest.raises(FileError, match="is not an audit that to_json wrote"):
        spm_lite.Audit.load(tmp_path / "audit.json")


def test_too_little_text(data):
    """The report tells how much more is needed."""
    changed = copy.deepcopy(data)
    changed["verdicts"][0]["verdict"] = "too little text"
    check_audit(changed)
    changed["ngram"][changed["verdicts"][0]["text"]]["models"]["a"]["fill"] = None
    with pytest.raises(ValueError, match="text is too little, and nothing says how little"):
        check_audit(changed)


@pytest.mark.parametrize(("texts", "orders"), [(TEXTS, ()), ([], (2,))])
def test_a_mixture_without_models(data, texts, orders, tmp_path):
    """An audit that was saved is loaded, whatever it was asked for."""
    toks = {"a": spm_lite.byte_tokenizer(), "b": spm_lite.byte_tokenizer(before=["<s>"], unk_piece="<s>")}
    weights = {"en": 1, "other": 2}
    found = spm_lite.audit(toks, {"en": TEXTS, "other": texts}, weights=weights, orders=orders, num_threads=1)
    found.to_json(tmp_path / "audit.json")
    assert str(spm_lite.Audit.load(tmp_path / "audit.json")) == str(found)
    changed = found.to_dict()
    changed["verdicts"] = [{**data["verdicts"][0], "text": "mixture"}]
    with pytest.raises(ValueError, match="verdicts names 'mixture', which the audit has not"):
        check_audit(changed)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"[" * 100_000, b'{"format": 1}', b"\xff", b'{"format": NaN}'])
def test_no_audit(content, tmp_path):
    (tmp_path / "audit.json").write_bytes(content)
    with pytest.raises(FileError, match=r"audit\.json.*is not an audit|is not an audit.*audit\.json"):
        spm_lite.Audit.load(tmp_path / "audit.json")
