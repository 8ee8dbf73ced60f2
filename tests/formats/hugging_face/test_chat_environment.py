"""The sandbox of chat templates: its settings, functions and limits, and the marks that loops write."""

from datetime import datetime

import jinja2
import pytest

from spm_lite.errors import OptionError
from spm_lite.formats.hugging_face import chat_environment
from spm_lite.formats.hugging_face.chat_environment import SIGNS, Marks, Message, compiled

MARKS = Marks(*SIGNS[: len(Marks._fields)])
NOW = datetime(2026, 3, 4, 5, 6)


def render(template, turns=False, **variables):
    text = compiled(template).render(variables, MARKS, NOW, turns=turns)
    for name, sign in MARKS._asdict().items():
        text = text.replace(sign, f"({name})")
    return text


def test_settings_of_templates():
    assert render("{% if true %}\n  a\n{% endif %}\nb") == "  a\nb"
    assert render("{{ x | tojson }}", x={"a": "<é>"}) == '{"a": "<é>"}'
    assert render("{{ x | tojson(indent=2, sort_keys=true) }}", x={"b": 1, "a": 2}) == '{\n  "a": 2,\n  "b": 1\n}'
    assert render("{{ strftime_now('%d %b %Y') }}") == "04 Mar 2026"
    assert render("{{ dict(a=1).a }}{{ dict.fromkeys(['b'], 2).b }}") == "12"
    assert (
        render("{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}")
        == "3"
    )
    assert render("{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}") == "1"


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}", "{{ namespace(_a=1) }}", "{% set ns = namespace() %}{% set ns._a = 1 %}",
        "{{ x.append(1) }}", "{{ dict.__init__ }}{{ dict.__class__.x }}",
    ],
)  # fmt: skip
def test_the_sandbox(template):
    with pytest.raises(OptionError):
        render(template, x=[1])


def test_generation_blocks():
    assert compiled("{% generation %}{% endgeneration %}").has_generation
    assert not compiled("{{ 'generation' }}").has_generation
    assert render("a{%- generation -%} b {%- endgeneration -%} c") == "a(generation)b(generation_end)c"
    with pytest.raises(OptionError, match="looking for the following tags: 'endgeneration'"):
        compiled("{% generation %}")


@pytest.mark.parametrize(
    "template", ["{% raw %}{{ {% if x %}{% endraw %}", "{% set x = '%}' %}{{ x }}", "{{ '}} {% if x %}' }}"]
)
def test_tags_in_texts(template):
    assert render(template)


@pytest.mark.parametrize(
    "template", ["{% for i in x %}" * 25 + "{% endfor %}" * 25, "{{ " + "(" * 3000 + "1" + ")" * 3000 + "}}"]
)
def test_a_template_that_python_cannot_compile(template):
    with pytest.raises(OptionError, match="no Jinja template that can be compiled"):
        render(template)


def test_loops_write_marks_for_messages_alone():
    messages = [Message({"a": "x"}, 0), Message({"a": "y"}, 1)]
    template = "{% for m in messages %}{{ m.a }}{% for i in [1] %}{{ i }}{% endfor %}{% endfor %}!"
    wanted = "(turn)0,0(number_end)x1(loop_end)1(number_end)(turn)0,1(number_end)y1(loop_end)1(number_end)"
    assert render(template, turns=True, messages=messages) == wanted + "(loop_end)0(number_end)!"
    assert render(template, messages=messages) == "x1y1!"
    assert render("{% for a, b in [[1, 2]] %}{{ a }}{% endfor %}", turns=True) == "1"


def test_messages_hide_their_number():
    assert render("{{ m._number is defined }}{{ m.a }}", m=Message({"a": 1}, 3)) == "False1"


def test_an_old_jinja_is_refused(monkeypatch):
    monkeypatch.setattr(jinja2, "__version__", "3.1.5")
    with pytest.raises(OptionError, match=r"3\.1\.6 or newer"):
        chat_environment.ChatTemplate("{{ 1 }}")


def test_without_jinja(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(OptionError, match="pip install"):
        chat_environment.ChatTemplate("{{ 1 }}")
