"""Jinja for chat templates, as transformers sets it up, with marks in the text for generations and for turns.

`compiled` gives a `ChatTemplate`. Its `render` writes the text of a chat. Marks are noncharacters of Unicode that
neither the template nor the messages have. Source of the settings: transformers 5.24, `render_jinja_template`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.errors import OptionError
from spm_lite.formats.hugging_face.chat_templates import NO_TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    import jinja2

MOST_TEMPLATES = 64  # compiled templates that are kept
OLDEST = (3, 1, 6)  # of jinja2: older ones let templates out of the sandbox
SIGNS = [chr(code) for code in range(0xFDD0, 0xFDF0)]  # noncharacters, which no text should have


class Marks(NamedTuple):
    """The signs of one rendering; each is one character that the chat does not have.

    barred: no special token goes over this place. edge: so too, though the text around it spells none. plain: between
    the characters of a text that is never special. content: at both ends of what a message says, with the message's
    number. turn: before what a loop writes for a message, with the loop's number and the message's. loop_end: with the
    loop's number. number_end: after numbers. generation, generation_end: around the text of a `generation` block. cut:
    where a text to be continued ends.
    """

    barred: str
    edge: str
    plain: str
    content: str
    turn: str
    loop_end: str
    number_end: str
    generation: str
    generation_end: str
    cut: str


class Message(dict):  # type: ignore[type-arg]
    """A message that knows its number in the conversation; the sandbox hides attributes with an underscore."""

    __slots__ = ("_number",)

    def __init__(self, values: Mapping[str, Any], number: int) -> None:
        super().__init__(values)
        self._number = number


class ChatTemplate:
    """A compiled template.

    Attributes:
        text: of the template.
        has_generation: it marks what the model says by `generation` blocks.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = environment(False)
        self._following = environment(True)
        self._templates: dict[bool, jinja2.Template] = {}
        self._templates[False] = self._compiled(self._plain)
        self.has_generation = bool(self._plain.spm_lite_generations)  # type: ignore[attr-defined]

    def _compiled(self, env: jinja2.Environment) -> jinja2.Template:
        import jinja2

        try:
            tree = env.parse(self.text)
            if env is self._following:
                follow_loops(tree)
            return jinja2.Template.from_code(env, env.compile(tree), env.make_globals(None))
        except jinja2.TemplateSyntaxError as error:
            raise OptionError(f"{NO_TEMPLATE}: line {error.lineno}: {error.message}") from None
        except Exception as error:  # such as one of Python, which allows no more than 20 loops in each other
            raise OptionError(f"{NO_TEMPLATE} that can be compiled: {type(error).__name__}: {error!s:.300}") from None

    def render(self, variables: Mapping[str, Any], marks: Marks, now: datetime, *, turns: bool) -> str:
        """The text of a chat. turns: with marks around what loops write for messages.

        Raises OptionError if the template refuses the messages, or fails with them.
        """
        import jinja2

        if turns not in self._templates:
            self._templates[turns] = self._compiled(self._following)
        given = {**variables, MARKS: marks, "strftime_now": lambda format: now.strftime(format)}
        try:
            return self._templates[turns].render(given)
        except jinja2.exceptions.SecurityError as error:
            raise OptionError(f"the chat template does what a template must not do: {error}") from None
        except Refused as error:
            raise OptionError(f"the chat template refuses these messages: {error}") from None
        except MemoryError:
            raise
        except Exception as error:  # whatever a template may do with values of any type
            kind = type(error).__name__
            raise OptionError(f"the chat template fails with these messages: {kind}: {error!s:.300}") from None


MARKS = "_spm_lite_marks"  # the name of the marks among the variables of a template


class Refused(Exception):
    """What a template calls `raise_exception` for."""


kept = lru_cache(MOST_TEMPLATES)(ChatTemplate)


def compiled(text: str) -> ChatTemplate:
    """The template of a text; kept for the next call. Raises OptionError if it is no Jinja."""
    return kept(text)


def checked_jinja() -> Any:
    """The package jinja2. Raises OptionError if it is missing or too old."""
    try:
        import jinja2
    except ImportError:
        raise OptionError("chats need the package jinja2: pip install 'jinja2>=3.1.6'") from None
    parts = jinja2.__version__.split(".")[:3]
    if all(part.isdigit() for part in parts) and tuple(map(int, parts)) < OLDEST:
        raise OptionError(
            f"chats need jinja2 3.1.6 or newer, and {jinja2.__version__} is installed: older ones let a template leave "
            "its sandbox. pip install -U jinja2"
        )
    return jinja2


def environment(follows: bool) -> jinja2.Environment:
    """A sandbox as transformers has it. follows: with the filters that mark turns."""
    jinja2 = checked_jinja()
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """The tag `generation`: its text stands between two marks."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            self.environment.spm_lite_generations += 1  # type: ignore[attr-defined]
            call = self.call_method("_marked", [jinja2.nodes.Name(MARKS, "load")])
            return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

        def _marked(self, marks: Marks, caller: Callable[[], str]) -> str:
            return f"{marks.generation}{caller()}{marks.generation_end}"

    class Namespace(jinja2.utils.Namespace):  # type: ignore[name-defined,misc]
        """Jinja's, without names that begin with an underscore."""

        def __init__(*args: Any, **values: Any) -> None:
            found = dict(*args[1:], **values)
            for name in found:
                refuse_private(name)
            jinja2.utils.Namespace.__init__(args[0], found)

        def __setitem__(self, name: str, value: Any) -> None:
            refuse_private(name)
            super().__setitem__(name, value)

    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    env.spm_lite_generations = 0  # type: ignore[attr-defined]
    env.filters["tojson"] = as_json
    env.globals |= {"raise_exception": refuse, "dict": Dict(), "namespace": Namespace}
    if follows:
        env.filters |= {TURN: jinja2.pass_context(turn_mark), LOOP_END: jinja2.pass_context(loop_end_mark)}
    return env


def as_json(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """The filter `tojson`: Jinja's own would escape what means something in HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(message: Any) -> None:
    """The function `raise_exception` of templates."""
    raise Refused(message)


def refuse_private(name: Any) -> None:
    """Raise SecurityError for a name that begins with an underscore."""
    if isinstance(name, str) and name.startswith("_"):
        from jinja2.exceptions import SecurityError

        raise SecurityError(f"a namespace of a template takes no name with an underscore first, such as {name!r}")


class Dict:
    """The function `dict` of templates: it leads to no class of Python."""

    __slots__ = ()

    def __call__(self, *args: Any, **values: Any) -> dict[Any, Any]:
        return dict(*args, **values)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


TURN, LOOP_END = "spm_lite_turn", "spm_lite_loop_end"  # filters that write marks


def turn_mark(context: Any, value: Any, loop: int) -> str:
    """The mark before what a loop writes for a message; nothing for other values."""
    marks = context[MARKS]
    return f"{marks.turn}{loop},{value._number}{marks.number_end}" if isinstance(value, Message) else ""


def loop_end_mark(context: Any, loop: int) -> str:
    """The mark after all that a loop writes."""
    marks = context[MARKS]
    return f"{marks.loop_end}{loop}{marks.number_end}"


def follow_loops(tree: Any) -> None:
    """Let each loop over single values write a mark before what it writes for a message, and one at its end."""
    from jinja2 import nodes

    def output(value: Any, filter: str, *options: int) -> Any:
        return nodes.Output([nodes.Filter(value, filter, [*map(nodes.Const, options)], [], None, None)])

    loops = [loop for loop in tree.find_all(nodes.For) if isinstance(loop.target, nodes.Name)]
    numbers = {loop: number for number, loop in enumerate(loops)}
    for parent in [tree, *tree.find_all(nodes.Node)]:
        for _, value in parent.iter_fields():
            if isinstance(value, list) and any(isinstance(one, nodes.For) for one in value):
                value[:] = [
                    new
                    for one in value
                    for new in ([one, output(nodes.Const(numbers[one]), LOOP_END)] if one in numbers else [one])
                ]
    for loop, number in numbers.items():
        loop.body = [output(nodes.Name(loop.target.name, "load"), TURN, number), *loop.body]
    tree.set_environment(tree.environment)
