"""Verdicts and faults as lines: what says the same is one line, and no tokenizer that loses text looks good."""

import spm_lite
from spm_lite.evaluation.report.summaries import fault_lines, first_tables, verdict_lines

LINES = [f"line {n} of a small text" for n in range(120)]
OTHERS = ["日本語の文です"] * 120


def fault(tokenizer, words, severity="loss", what="loses text"):
    return {"severity": severity, "tokenizer": tokenizer, "what": what, "words": words}


def test_faults_of_one_kind():
    lines = fault_lines([fault("t", "a"), fault("u", "b"), fault("t", "c"), fault("t", "d"), fault("u", "e")])
    assert [str(one) for one in lines] == ["a; and 2 more like it", "b", "e"]
    assert lines[0].others == ["c", "d"]
    assert fault_lines([]) == []


def test_three_tokenizers():
    """One line for each text that somebody loses, whatever the pairs; and the names need no care."""
    latin = spm_lite.train(LINES, vocab_size=60, hard_vocab_limit=False, byte_fallback=False)
    both = spm_lite.train(LINES + OTHERS, vocab_size=90, hard_vocab_limit=False, byte_fallback=False)
    report = spm_lite.audit({"a - b": latin, "c": both, "d": both}, parallel={"eng": LINES, "jpn": OTHERS})
    data = report.to_dict()
    lines = [*verdict_lines(data)]
    lost = [one for one in lines if one.verdict == "loses text"]
    assert [(one.text, one.words) for one in lost] == [("jpn", "no contest: a - b loses 100 % of the characters")]
    assert [one.pair for one in lines if one.text == "eng"][-1] == ("c", "d")
    cells = first_tables(data)[0].rows["jpn"]
    assert [cell.is_lost for cell in cells] == [True, False, False]
    assert [cell.is_best for cell in cells] == [False, True, True]
    assert "a - b loses jpn" in str(report)
    assert "a - b" in report.to_html()
