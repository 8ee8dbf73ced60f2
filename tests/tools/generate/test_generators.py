"""The committed tables are what the programs of tools/generate make."""

import importlib
import sys
from pathlib import Path

import pytest
from oracle import extras

from spm_lite.base.unicode.ranges import grapheme_ranges
from spm_lite.normalize.rules.rule_sets import KEPT_COMPILED, RULE_SETS, table_rules
from spm_lite.specs import BERT_RULES

GENERATORS = Path(__file__).resolve().parents[3] / "tools" / "generate"


@pytest.fixture
def tool(monkeypatch):
    """A function that imports a program by its name."""
    monkeypatch.syspath_prepend(str(GENERATORS))
    return importlib.import_module


@pytest.mark.dev
@pytest.mark.slow
@pytest.mark.parametrize("name", ["graphemes", "invisibles"])
def test_tables_read_off_regex(tool, name, monkeypatch):
    extras.need("regex")
    version = tool("tables").version_of_regex()
    if version != grapheme_ranges.VERSION:
        pytest.skip(f"regex has another Unicode than {grapheme_ranges.VERSION}")
    assert_same_table(tool, name, [], monkeypatch)


def test_scripts(tool, monkeypatch, shared_data):
    assert_same_table(tool, "scripts", [str(shared_data / "unicode" / "Scripts-9.0.0.txt")], monkeypatch)


def assert_same_table(tool, name, arguments, monkeypatch):
    """Raise AssertionError unless a program writes the committed file."""
    program, written = tool(name), []
    monkeypatch.setattr(program, "write", lambda *given: written.append(given))
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    program.main()
    ((file, text),) = written
    assert (tool("tables").TABLES / file).read_text(encoding="utf-8") == text


def test_hard_corpus(tool):
    program = tool("hard_corpus")
    path = tool("tables").ROOT / "spm_lite" / "evaluation" / "locks" / program.NAME
    assert path.read_text(encoding="utf-8") == program.content()


@pytest.mark.dev
@pytest.mark.slow
def test_rule_sets_kept_as_tables(tool, shared_data):
    extras.need("unicodedata2")
    program = tool("rule_sets")
    folding = program.read_folding(shared_data / "unicode" / "casefold-simple-17.0.0.tsv")
    sets = {"nfc": program.composed_rules("NFC", "NFD")}
    sets |= {form: program.decomposed_rules(form.upper()) for form in ("nfd", "nfkd")}
    sets |= {f"{name}_cf": program.to_folded(rules, folding) for name, rules in sets.items()}
    names = {name for name in RULE_SETS if not name.endswith("_rules")}  # the same tables as those of the forms
    assert sets.keys() == names - {"identity", *BERT_RULES, *KEPT_COMPILED}
    for name, rules in sets.items():
        assert table_rules(name) == rules
        assert len(rules) == program.SIZES[name]
