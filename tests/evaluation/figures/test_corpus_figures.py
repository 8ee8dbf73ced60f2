"""Corpus figures against the right values."""

import pytest
from oracle.slow import slow_after

from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.corpus_figures import corpus_figures
from spm_lite.evaluation.figures.measure import measure

TEXTS = [
    "en-botchan.txt", "ja-wagahaiwa_nekodearu.txt", "hi-commonvoice.txt", "th-wisesight-social.txt", "en-tweets.txt",
    "de-commonvoice.txt",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(2, TEXTS))
def test_right_values(name, golden, subject, text_lines, check):
    subjects = [subject(model) for model in golden["models"]]
    measured = measure(TextSource(name, text_lines(name)), subjects, 2, 1000)
    assert measured.digest.startswith(golden["texts"][name]["digest"])
    for each in subjects:
        reading = measured.readings[each.name]
        right = golden["corpus"][name][each.name]
        assert reading.lengths[:10].tolist() == right.pop("first_ten", reading.lengths[:10].tolist())
        check(corpus_figures(measured, reading, measured.words), right)


def test_no_text(subject):
    each = subject("t5_base")
    measured = measure(TextSource("nothing", []), [each], 1, 1000)
    figures = corpus_figures(measured, measured.readings["t5_base"], [])
    assert figures["tokens"] == 0
    assert figures["bytes_per_token"] is figures["fertility"]["value"] is figures["length"]["p50"] is None
    assert figures["renyi"]["entropy_bits"] is figures["zipf"] is None
    assert figures["letter_words"]["split_rate"] is None


def test_what_decoding_changes(subject):
    each = subject("t5_base")
    texts = ["two  spaces", "plain", "①", "日本"]
    measured = measure(TextSource("x", texts), [each], 2, 0)
    figures = corpus_figures(measured, measured.readings["t5_base"], [])["roundtrip"]
    assert (figures["same"], figures["rate"]) == (1, 0.25)
    assert figures["reasons"] == {"whitespace": 1, "normalization": 1, "unknown": 1}
    assert {"given": "①", "became": "1", "reason": "normalization"} in figures["examples"]


def test_ill_formed_text(subject):
    each = subject("llama2")
    measured = measure(TextSource("x", [b"a\xff", b"b"]), [each], 1, 0)
    figures = corpus_figures(measured, measured.readings["llama2"], [])
    assert (figures["characters"], figures["graphemes"], figures["roundtrip"]["same"]) == (3, 3, 1)
    assert figures["roundtrip"]["reasons"] == {"ill-formed bytes": 1}
