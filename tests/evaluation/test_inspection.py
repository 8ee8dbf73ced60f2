"""What is told about a model, against the model."""

import json
from collections import Counter

import pytest
from oracle.small_models import small_model

from spm_lite import Tokenizer, train
from spm_lite.evaluation.inspection import TYPE_NAMES, inspect

OPTIONS = {"vocab_size": 320, "hard_vocab_limit": False}


@pytest.mark.slow
def test_counts_and_names(shared_data):
    for path in sorted((shared_data / "models").glob("*.model")):
        tok = Tokenizer.load(path)
        found = inspect(tok)
        kinds = Counter(TYPE_NAMES[tok._file.vocab.type(i)] for i in range(len(tok)))
        assert found.pieces == kinds and sum(found.pieces.values()) == len(tok) == found.vocab_size
        assert found.size == path.stat().st_size
        assert found.special_ids["unk"][0] == tok.unk_id and found.special_ids["pad"][0] == tok.pad_id
        assert not found.lossless and not found.losses.is_lossless
        assert found.format_version is None
        again = json.loads(json.dumps(found.to_dict()))
        assert again["pieces"] == found.pieces and again["losses"].keys() == found.losses.changes.keys()
        for word in (tok.model_type, found.digest, "it loses:", found.normalizer.name):
            assert word in str(found)


def test_rules():
    tok = train(["ab cd"] * 9, normalization={"A": "a", "\u00c4": "a", "\t": " ", "\x07": ""}, **OPTIONS)
    rules = inspect(tok).normalizer
    assert (rules.name, rules.n_rules, rules.n_deleting, rules.n_to_space) == ("user_defined", 4, 1, 1)
    assert (rules.n_merging, rules.remove_extra_whitespaces) == (2, True)
    assert set(rules.examples) <= {("A", "a"), ("\u00c4", "a"), ("\t", " "), ("\x07", "")}
    assert "4 rules (1 delete text, 1 give a space, 2 give the same as another rule)" in str(inspect(tok))


def test_losses():
    losses = inspect(train(["ab cd"] * 9, normalization="nmt_nfkc", **OPTIONS)).losses
    assert set(losses.changes) == {"ill-formed bytes", "U+2581", "whitespace", "normalization"}
    losses = inspect(Tokenizer.load(small_model())).losses
    assert {"unknown", "whitespace"} <= set(losses.changes)
    losses = inspect(train(["ab cd"] * 9, lossless=False, **OPTIONS)).losses
    assert set(losses.changes) == {"ill-formed bytes", "U+2581"}


def test_lossless_models():
    found = inspect(train(["ab cd"] * 9, user_defined_symbols=["<x>"], control_symbols=["<c>"], **OPTIONS))
    assert found.lossless and not found.strict and found.losses.is_lossless and found.format_version == 1
    assert found.user_defined_pieces == ("<x>",) and "<c>" in found.control_pieces
    assert "takes U+2581 for a space" in str(found) and "'<x>'" in str(found)
    found = inspect(train(["ab cd"] * 9, lossless="strict", **OPTIONS))
    assert found.lossless and found.strict and found.denormalizer.n_rules == 2
    assert "sentencepiece's encoder too" in str(found)
