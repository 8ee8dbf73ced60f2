"""Messages to text: what becomes of values, where marks go, and what is read off them."""

import enum
import re
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pytest

from spm_lite.errors import OptionError
from spm_lite.formats.hugging_face.chat_environment import SIGNS, Marks
from spm_lite.formats.hugging_face.chat_rendering import Bar, Names, as_message, as_plain, prepare, sample_texts

MARKS = Marks(*SIGNS[: len(Marks._fields)])


def rendered(template, messages, bar=None, **variables):
    chat = prepare(template, messages, variables, {"bos_token": "<s>"}, bar, False)
    return chat.render() if bar else chat.placed(chat.render().text)


class Word(str, enum.Enum):
    USER = "user"


@dataclass
class Part:
    type: str
    text: str


class Model:
    def model_dump(self):
        return {"role": "user", "content": None, "parts": [Part("text", "a")]}


def test_values_become_plain():
    given = {
        "a": Word.USER, "b": np.int64(3), "c": (1, 2.5), "d": Part("x", "y"), "e": MappingProxyType({"f": True}),
        "g": np.zeros(2), "h": None, "i": b"bytes", "j": np.bool_(False), "k": np.float64(0.5), (1, Word.USER): 1,
    }  # fmt: skip
    found = as_plain(given)
    assert found == {
        "a": "user", "b": 3, "c": (1, 2.5), "d": {"type": "x", "text": "y"}, "e": {"f": True}, "g": "<ndarray>",
        "h": None, "i": "<bytes>", "j": False, "k": 0.5, "(1, 'user')": 1,
    }  # fmt: skip
    assert type(found["a"]) is str and type(found["k"]) is float
    assert as_message(Model(), 0) == {"role": "user", "parts": [{"type": "text", "text": "a"}]}


def test_reasoning_has_the_names_that_templates_read():
    found = as_message({"role": "assistant", "content": "b", "reasoning": "a"}, 0)
    assert found["reasoning_content"] == found["thinking"] == "a"


def test_marks_in_texts():
    def shown(text, *names):
        return Bar(names, None).marked(text, MARKS).replace(MARKS.barred, ".").replace(MARKS.edge, ".")

    assert Bar(["<s>"], None).marked("<s><S>", MARKS).count(MARKS.edge) == 2
    assert shown("a <s> b", "<s>", "</s>") == "a <.s.> b"
    assert shown("a <", "<s>") == "a <."
    assert shown("s> b", "<s>") == ".s.> b"
    assert shown("user", "<|user|>") == "user"
    assert shown("a<s><s>", "<s>", "<s><s>") == "a<.s.>.<.s.>."  # the end begins <s><s>
    assert shown("x y", "y") == "x .y."
    assert shown("nothing", "<s>") == "nothing"
    assert shown("a <S> b", "<s>") == "a <.S.> b"
    assert shown("\u0130 <S>", "<s>") == "\u0130 <.S.>"  # small letters of the first are two characters
    assert shown(" s> b <\n", "<s>") == " .s.> b <.\n"  # a template may take off white space
    assert shown("", "<s>") == "" and shown(" ", "<s>") == " "


def test_names_in_texts():
    names = Names(["<a>", "<a><b>", "b"])
    assert list(names.places("<a><b> b")) == [(0, [6, 3]), (4, [5]), (7, [8])]
    assert names.found("<a><b> b") == ([(0, 6), (7, 8)], [])
    assert names.found("<a><b> b", {3, 7, 8}) == ([(0, 3), (4, 5)], [(0, 6), (7, 8)])
    assert Names([]).found("abc") == ([], [])
    several = ["<a>", "<a><b>", "<b>", "<", "x|y", "x|z", "\n", "<unused1>", "<unused12>", "-]^"]
    pattern = re.compile("|".join(map(re.escape, sorted(several, key=len, reverse=True))))
    for text in ("<a><b>", "<a><", "q<b>x|yx|z", "<unused12>3\n<unused1", "none", "-]^-]"):
        assert Names(several).found(text)[0] == [match.span() for match in pattern.finditer(text)]


def test_a_part_of_a_name_after_normalization():
    bar = Bar(["<ab>"], lambda text: False, lambda text: text.replace("x", "a"))

    def is_plain(text):
        return MARKS.plain in bar.marked(text, MARKS)

    assert is_plain("c <x") and is_plain("xb>c <x")
    assert not is_plain("c <a") and not is_plain("<") and not is_plain("x")


def test_roles_and_keys_stay_words():
    bar = Bar(["user", "<x>"], None)
    found = rendered(
        "{{ messages[0].role == 'user' }}{{ messages[0].args }}", [{"role": "user", "args": {"<x>": 1}}], bar
    )
    assert found.text == "True{'<x>': 1}" and len(found.barred) == 2


def test_places_of_messages():
    template = "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content | trim }};{% endfor %}end"
    found = rendered(template, [{"role": "a", "content": " one "}, {"role": "b", "content": ""}])
    assert found.text == "<s>[a]one;[b];end"
    assert [(i, found.text[a:b]) for i, a, b in found.turns] == [(0, "[a]one;"), (1, "[b];")]
    assert {i: [found.text[a:b] for a, b in spans] for i, spans in found.contents.items()} == {0: ["one"]}
    assert rendered("{{ messages[0].content }}.", [{"content": ""}]).contents == {0: [(0, 0)]}


def test_a_template_that_would_see_the_marks_is_left_alone():
    template = "{% for m in messages %}{{ m.content[0] }}{{ m.content | length }}{% endfor %}"
    found = rendered(template, [{"content": "abc"}])
    assert found.text == "a3" and found.contents == {} and found.turns == [(0, 0, 2)]


def test_generations():
    template = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %},{% endfor %}"
    found = rendered(template, [{"content": "ab"}, {"content": "c"}])
    assert [found.text[a:b] for a, b in found.generations] == ["ab", "c"]
    assert rendered("{{ messages[0].content }}", [{"content": "ab"}]).generations is None


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% set x %}{% generation %} {{ messages[0].content }} {% endgeneration %}{% endset %}{{ x | trim }}", "ab"),
        ("{% set x %}{% generation %}{% endgeneration %}{% endset %}{{ 'full' if x else 'empty' }}", "empty"),
        ("{% macro f() %}{% generation %}abc{% endgeneration %}{% endmacro %}{{ f() | length }}", "3"),
    ],
)
def test_a_template_does_not_see_the_marks_of_generations(template, text):
    found = rendered(template, [{"content": "ab"}])
    assert found.text == text and found.generations is None


def test_a_template_that_refuses_texts_with_marks():
    template = "{% for m in messages %}{% if m.content != 'a' %}{{ raise_exception('no') }}{% endif %}a{% endfor %}"
    assert rendered(template, [{"content": "a"}]).turns == [(0, 0, 1)]


def test_signs_that_the_chat_has_are_not_used():
    taken = "".join(SIGNS[:5]) + "\\ufdd7"
    found = rendered("{{ messages[0].content }}<x>", [{"content": taken + "<x>"}], Bar(["<x>"], None))
    assert found.text == taken + "<x><x>" and len(found.barred) == 2
    with pytest.raises(OptionError, match="noncharacters"):
        rendered("{{ 1 }}", [{"content": "".join(SIGNS)}])


def test_escapes_of_marks_are_taken_out():
    template = "{{ messages[0].content | tojson(ensure_ascii=true) }}"
    assert rendered(template, [{"content": "<x>é"}], Bar(["<x>"], None)).text == '"<x>\\u00e9"'


def test_sample_texts():
    texts, error = sample_texts("{% for m in messages %}{{ m.content }}{% endfor %}", {})
    assert len(texts) == 10 and error == ""
    texts, error = sample_texts("{{ raise_exception('never') }}", {})
    assert texts == [] and re.search("never", error)
