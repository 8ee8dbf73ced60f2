"""Chat templates that `to_hf` writes are looked at first."""

import json

import pytest

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.hugging_face.chat_templates import check_jinja, markers, open_template

GOOD = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] }}\n{{ m.content }}<|im_end|>{% endfor %}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n{%- endif -%}"
)


@pytest.fixture(scope="module")
def tok():
    names = ["<|im_start|>", "<|im_end|>"]
    return spm_lite.train(
        ["the cat"] * 9, model_type="bpe", vocab_size=290, hard_vocab_limit=False, control_symbols=names
    )


def test_a_sound_template(tok, tmp_path):
    found = tok.to_hf(tmp_path / "x", chat_template=GOOD)
    assert not any("chat template" in one for one in found.conditions)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{% for m in messages %}{{ m['content'] }", "'{{' at .* is not closed"),
        ("{% for m in messages %}{{ m }}", "'for' has no 'endfor'"),
        ("{% if x %}{% endfor %}", "ends nothing that is open"),
        ("a %} b", "is not closed"),
        ("{# comment", "is not closed"),
    ],
)
def test_a_broken_template_is_refused(tok, tmp_path, template, words):
    with pytest.raises(OptionError, match=f"chat_template is no Jinja template: .*{words}"):
        tok.to_hf(tmp_path / "x", chat_template=template)
    assert not (tmp_path / "x").exists()


def test_markers_that_are_no_tokens(tok, tmp_path):
    found = tok.to_hf(tmp_path / "x", chat_template=GOOD.replace("im_end", "eot_id"))
    (sentence,) = [one for one in found.conditions if "chat template" in one]
    assert "<|eot_id|>" in sentence
    assert "im_start" not in sentence
    assert "add_pieces" in sentence
    assert markers("<a>{{ '[INST]' }}{# <|x|> #}</s>{% if '<|y|>' in z %}{% endif %}") == [
        "<a>",
        "</s>",
        "[INST]",
        "<|y|>",
    ]


def test_two_tokens_for_the_beginning(tok, tmp_path):
    found = tok.to_hf(tmp_path / "x", bos=True, chat_template="{{ bos_token }}" + GOOD)
    assert any("puts it there too" in one for one in found.conditions)
    found = tok.to_hf(tmp_path / "y", chat_template="{{ bos_token }}" + GOOD)
    assert not any("puts it there too" in one for one in found.conditions)


def test_a_tag_of_transformers_alone():
    check_jinja("{% generation %}x{% endgeneration %}{%- set x = {'a': 1} -%}{{ x }}")


@pytest.mark.parametrize(
    "value", [5, {}, [5], "{{ x }}\ud800", [{"name": "default"}], [{"name": "default", "template": None}]]
)
def test_a_template_of_another_type(value, tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": value}))
    with pytest.raises(ModelError, match=r"tokenizer_config\.json: chat_template"):
        open_template(str(tmp_path))


@pytest.mark.parametrize("text", ["(" * 9999 + "1" + ")" * 9999, "9" * 9999])
def test_a_template_that_is_too_deep_or_too_long_for_python(text):
    with pytest.raises(OptionError, match="chat_template is no Jinja template that can be read"):
        check_jinja("{{ " + text + " }}")
