"""Pipelines of published tokenizers: no file is read wrongly without a word.

A file is refused by its component, or gives the ids of tokenizers for each text that meets its conditions.
"""

import gzip
import json

import pytest

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.proof.conditions import Findings
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Settings

READ = {  # shapes that are read, and what must be allowed
    "ax-k2": (), "bloom": (), "deepseek-coder": ("added",), "deepseek-v3": ("added",), "kimi-k2": (), "minicpm-5": (),
    "nanochat": (), "qwen-3.5": ("added",), "smollm": (), "starcoder": (), "superbpe": (),
    "bert-chinese": (), "bert-multilingual-cased": (), "bert-uncased": (), "deberta-v1": (), "gpt-oss": (), "gpt2": (),
    "electra-added-words": (), "gemma-3": (), "gpt-neox": (), "llama-1": (), "llama-2": (), "llama-3": (),
    "llama-v5": (), "nemotron-3": (), "olmo-2": (), "opt": (), "phi-2": (), "phi-3": (), "qwen-2": (), "roberta": (),
    "splinter": (), "t5": ("metaspace",), "xlm-roberta": ("metaspace",),
}  # fmt: skip
EXACT = [name for name, allow in READ.items() if not allow]


@pytest.fixture(scope="module")
def shapes(shared_data):
    place = shared_data / "shapes"
    if not place.is_dir():
        pytest.skip("no shapes in the shared test data")
    return place


def read(path, allow):
    """The Tokenizer of a file, and the conditions of its reading."""
    settings = Settings(findings=Findings(allow))
    entry, source = loading.opened(path, "tokenizer.json")
    return loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings), settings.findings.conditions


@pytest.mark.parametrize("name", READ)
def test_ids_are_those_of_tokenizers_or_a_condition_names_the_text(shapes, name):
    texts = json.loads((shapes / "texts.json").read_text(encoding="utf-8"))
    golden = json.loads(gzip.decompress((shapes / name / "goldens.json.gz").read_bytes()))["ids"]
    path = shapes / name / "tokenizer.json"
    if READ[name]:
        with pytest.raises(OptionError, match="Pass allow="):
            read(path, ())
    tok, conditions = read(path, READ[name])
    added = json.loads(path.read_text(encoding="utf-8"))["added_tokens"]
    names = [token["content"] for token in added if token["special"]]
    wrong = [
        text
        for text, ids in zip(texts, golden, strict=True)
        if tok.encode(text, allow_special=names) != ids and all(test.is_met(text) for test in conditions)
    ]
    assert wrong == []
    if name in EXACT:
        assert conditions == []
    same = spm_lite.load(tok.to_bytes())
    assert [same.encode(text, allow_special=names) for text in texts[:99]] == [
        tok.encode(text, allow_special=names) for text in texts[:99]
    ]


def test_other_shapes_are_refused_by_their_component(shapes):
    others = [path.name for path in shapes.iterdir() if (path / "tokenizer.json").is_file() and path.name not in READ]
    for name in others:
        with pytest.raises((ModelError, OptionError), match=r"normalizer|pre_tokenizer|model|added_tokens"):
            read(shapes / name / "tokenizer.json", ("added", "metaspace"))
