"""spm_normalize beside sentencepiece's normalizer."""

import pytest

sentencepiece = pytest.importorskip("sentencepiece")

SPACES = {"add_dummy_prefix": False, "escape_whitespaces": False}


def expected(folder, normalizer):
    lines = (folder / "text.txt").read_bytes().removesuffix(b"\n").split(b"\n")
    return b"".join(normalizer.normalize(line) + b"\n" for line in lines)


@pytest.mark.parametrize("extra", [True, False])
def test_rules_of_a_model(extra, model, made, folder):
    theirs = sentencepiece.SentencePieceNormalizer(model_file=model, remove_extra_whitespaces=extra, **SPACES)
    flag = f"--remove_extra_whitespaces={str(extra).lower()}"
    assert made("normalize", f"--model={model}", flag, "text.txt") == expected(folder, theirs)


def test_settings_of_a_model(model, made, folder):
    theirs = sentencepiece.SentencePieceNormalizer(model_file=model)
    arguments = (f"--model={model}", "--use_internal_normalization", "text.txt")
    assert made("normalize", *arguments) == expected(folder, theirs)


@pytest.mark.parametrize("name", ["nmt_nfkc", "nfkc_cf", "identity"])
def test_named_rules(name, made, folder):
    theirs = sentencepiece.SentencePieceNormalizer(rule_name=name, remove_extra_whitespaces=True, **SPACES)
    assert made("normalize", f"--normalization_rule_name={name}", "--input=text.txt") == expected(folder, theirs)


def test_a_table(made, folder):
    (folder / "rules.tsv").write_text("68\t48\n74 68\t\n")
    theirs = sentencepiece.SentencePieceNormalizer(rule_tsv="rules.tsv", remove_extra_whitespaces=True, **SPACES)
    arguments = ("--normalization_rule_tsv=rules.tsv", "--normalization_rule_name=nfkc", "text.txt")
    assert made("normalize", *arguments) == expected(folder, theirs)
    assert made("normalize", *arguments, "--decompile") == b"68\t48\t# h => H\n74 68\t\t# th => \n"


@pytest.mark.slow
def test_decompiled_rules_are_theirs(made):
    table = made("normalize", "--normalization_rule_name=nfkc", "--decompile").decode()
    pairs = [tuple("".join(chr(int(c, 16)) for c in field.split()) for field in line.split("\t")[:2])
             for line in table.splitlines()]  # fmt: skip
    assert pairs == sentencepiece.SentencePieceNormalizer(rule_name="nfkc").decompile()


def test_mistakes(fails):
    assert "--model, --normalization_rule_tsv and --normalization_rule_name are missing" in fails("normalize", "x")
    assert "nope" in fails("normalize", "--normalization_rule_name=nope", "text.txt")
    assert "No precompiled charsmap" in fails("normalize", "--normalization_rule_name=identity", "--decompile")
