"""The committed tables are what the programs of tools/generate make."""

import importlib
from pathlib import Path

import pytest

from spm_lite.base.unicode.ranges import grapheme_ranges
from spm_lite.normalize.rules.rule_sets import KEPT_COMPILED, RULE_SETS, table_rules

GENERATORS = Path(__file__).resolve().parents[3] / "tools" / "generate"


@pytest.fixture
def tool(monkeypatch):
    """A function that imports a program by its name."""
    monkeypatch.syspath_prepend(str(GENERATORS))
    return importlib.import_module


@pytest.mark.slow
def test_graphemes(tool):
    pytest.importorskip("regex")
    program, tables = tool("graphemes"), tool("tables")
    if program.version_of_regex() != grapheme_ranges.VERSION:
        pytest.skip(f"regex has another Unicode than {grapheme_ranges.VERSION}")
    committed = {}
    for line in grapheme_ranges.RANGES.replace("\n ", " ").splitlines():
        name, *ranges = line.split()
        committed[name] = ranges
    assert {name: tables.to_ranges(points) for name, points in program.code_points().items()} == committed


@pytest.mark.slow
def test_rule_sets_kept_as_tables(tool, shared_data):
    pytest.importorskip("unicodedata2")
    program = tool("rule_sets")
    folding = program.read_folding(shared_data / "unicode" / "casefold-simple-17.0.0.tsv")
    sets = {"nfc": program.composed_rules("NFC", "NFD")}
    sets |= {form: program.decomposed_rules(form.upper()) for form in ("nfd", "nfkd")}
    sets |= {f"{name}_cf": program.to_folded(rules, folding) for name, rules in sets.items()}
    assert sets.keys() == RULE_SETS.keys() - {"identity", "bert_cased", "bert_uncased", *KEPT_COMPILED}
    for name, rules in sets.items():
        assert table_rules(name) == rules
        assert len(rules) == program.SIZES[name]
