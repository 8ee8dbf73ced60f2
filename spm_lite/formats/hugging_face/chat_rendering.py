"""A chat as text: messages made plain, texts that spell special tokens marked, rendered, and the marks read off again.

So it is known of each place whether the template or a message wrote it. Source of what becomes of messages:
`apply_chat_template` of transformers 5.24.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from spm_lite.arguments import as_iterable
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.formats.hugging_face.chat_environment import SIGNS, Marks, Message, compiled
from spm_lite.kinds import SPACE

Span = tuple[int, int]  # (begin, end) in characters of the rendered text
REASONING = ("reasoning_content", "thinking", "reasoning")  # names of what a model thinks; templates read the first
NAMES = ("role", "type")  # keys whose values a template compares with words
ANY_SIGN = re.compile(rf"[{''.join(SIGNS)}]|\\ufd[de]", re.IGNORECASE)
WORD = re.compile(r"[\w.-]*\Z")


class Rendered(NamedTuple):
    """The text of a chat, and what is known of its places.

    barred: places that no special token goes over. plain: spans in which nothing is special. contents: number of a
    message, and the spans of what it says. turns: (number of a message, begin, end). generations: of the model; None:
    the template marks none, or they cannot be told.
    """

    text: str
    barred: set[int]
    plain: list[Span]
    contents: dict[int, list[Span]]
    turns: list[tuple[int, int, int]]
    generations: list[Span] | None


def unmarked(text: str) -> Rendered:
    """A text in which any special token may be found."""
    return Rendered(text, set(), [], {}, [], None)


@dataclass
class Chat:
    """What is rendered. All values are plain: str, int, float, bool, None, dict, list and tuple.

    template: its text. messages, variables: with barred places. marks: signs that they do not have.
    """

    template: str
    messages: list[dict[str, Any]]
    variables: dict[str, Any]
    marks: Marks
    continues: bool
    now: datetime = field(default_factory=datetime.now)

    @property
    def has_edges(self) -> bool:
        """Whether a text has marks though it spells no special token."""
        return any(self.marks.edge in text for text in texts_of([self.messages, self.variables]))

    def without_edges(self) -> Chat:
        """The chat as a template sees it that reads parts of texts or their length."""
        values = changed([self.messages, self.variables], lambda text: text.replace(self.marks.edge, ""))
        return replace(self, messages=values[0], variables=values[1])

    def render(self, **changes: Any) -> Rendered:
        """The text. changes: variables, in place of those of the chat."""
        variables = {**self.variables, **changes, "messages": self.messages}
        return self._read(compiled(self.template).render(variables, self._silent, self.now, turns=False))

    def placed(self, text: str) -> Rendered:
        """The text again, with the places of messages and generations, as far as it stays the same with their marks."""
        template = compiled(self.template)
        for marks in (self.marks, self._silent) if template.has_generation else (self._silent,):
            for turns, place in PLACES:
                messages = [self._numbered(message, i, place) for i, message in enumerate(self.messages)]
                try:
                    raw = template.render(self.variables | {"messages": messages}, marks, self.now, turns=turns)
                    found = self._read(raw)
                except OptionError:  # the template refuses a text with marks
                    continue
                if found.text == text:
                    return found if marks is self.marks else found._replace(generations=None)
        return unmarked(text)

    @property
    def _silent(self) -> Marks:
        """The marks without those of generations, which a template sees in a text that it keeps in a variable."""
        return self.marks._replace(generation="", generation_end="")

    def _numbered(self, message: dict[str, Any], number: int, place: Callable[[str, str], str] | None) -> Message:
        """The message with marks around what it says. place: puts a mark around a text; None: there are no marks."""
        mark, content = f"{self.marks.content}{number}{self.marks.number_end}", message.get("content")
        if place is None or not isinstance(content, (str, list)):
            return Message(message, number)
        if isinstance(content, str):
            return Message({**message, "content": place(content, mark)}, number)
        parts = [
            {**part, "text": place(part["text"], mark)}
            if isinstance(part, dict) and isinstance(part.get("text"), str)
            else part
            for part in content
        ]
        return Message({**message, "content": parts}, number)

    def _read(self, raw: str) -> Rendered:
        """Take the marks out of a rendered text."""
        found = read_marks(raw, self.marks, self.continues)
        if found is None:
            raise OptionError(
                "continue_final_message: the template does not write what the last message says, or not at the end"
            )
        return found

    def generation_prompt(self) -> str:
        """What the template writes before a reply; "": nothing, or it cannot be told."""
        last = max((i for i, one in enumerate(self.messages) if one.get("role") != "assistant"), default=-1)
        if last < 0:
            return ""
        part = Chat(self.template, self.messages[: last + 1], self.variables, self.marks, False, self.now)
        try:
            with_prompt = part.render(add_generation_prompt=True).text
            without = part.render(add_generation_prompt=False).text
        except OptionError:
            return ""
        return with_prompt.removeprefix(without) if with_prompt.startswith(without) else ""


def around_all(text: str, mark: str) -> str:
    """A text with a mark at both ends."""
    return f"{mark}{text}{mark}"


def around_any(text: str, mark: str) -> str:
    """A text with a mark at both ends, if it is not empty, which a template may ask."""
    return around_all(text, mark) if text else text


def around_words(text: str, mark: str) -> str:
    """A text with a mark at both ends, inside of the white space that a template may take off."""
    inner = text.strip()
    return text.replace(inner, around_all(inner, mark)) if inner else text


PLACES = (  # (with marks of turns, what puts marks around what a message says), from the most exact to the least
    (True, around_all), (True, around_any), (True, around_words), (True, None), (False, around_words), (False, None),
)  # fmt: skip


def prepare(
    template: str,
    messages: Iterable[Any],
    variables: Mapping[str, Any],
    own: Mapping[str, str],
    bar: Bar | None,
    continues: bool,
) -> Chat:
    """The chat of messages and variables of any kind.

    Args:
        template: its text.
        messages: of one conversation.
        variables: of the caller; texts in them are marked as those in messages.
        own: variables that hold special tokens of the tokenizer.
        bar: marks special tokens that a message spells; None: they stay special.
        continues: the last message is to be continued.
    Raises:
        ArgumentTypeError: the messages are no list, or a message is no mapping.
        OptionError: there is no message; or none that can be continued.
        RecursionError: a value holds itself, or is nested too deep.
    """
    items = as_iterable(
        getattr(messages, "messages", messages), "messages", "a list of dicts with 'role' and 'content'"
    )
    plain = [as_message(item, i) for i, item in enumerate(items)]
    others = {name: as_plain(value) for name, value in variables.items()}
    if not plain:
        raise OptionError("the conversation is empty: give at least one message")
    texts = "\n".join([template, *texts_of([plain, others])])
    free = SIGNS
    if ANY_SIGN.search(texts):
        free = [sign for sign in SIGNS if sign not in texts and rf"\u{ord(sign):04x}" not in texts.lower()]
    if len(free) < len(Marks._fields):
        raise OptionError(
            f"the messages hold {len(SIGNS) - len(free)} of the 32 noncharacters U+FDD0 to U+FDEF: take some out"
        )
    marks = Marks(*free[: len(Marks._fields)])
    if bar is not None:
        plain = [changed(message, bar.marking(marks)) for message in plain]
        others = {
            name: value if name.endswith("_token") and bar.is_name(value) else changed(value, bar.marking(marks))
            for name, value in others.items()
        }
    if continues:
        plain[-1] = to_continue(plain[-1], marks.cut)
    return Chat(template, plain, {**own, **others}, marks, continues)


def as_message(value: Any, number: int) -> dict[str, Any]:
    """A message as a plain dict, without keys whose value is None."""
    plain = as_plain(value)
    if not isinstance(plain, dict):
        raise ArgumentTypeError(
            f"message {number} is {type(value).__name__} {value!r:.40}: give a dict with 'role' and 'content'"
        )
    plain = {key: one for key, one in plain.items() if one is not None}
    thought = next((plain[key] for key in REASONING if key in plain), None)
    return plain if thought is None else {"thinking": thought, **plain, "reasoning_content": thought}


def as_plain(value: Any) -> Any:
    """A value without methods that a template could call; <Type> for one that is no data."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, str):  # of subclasses, such as enums and numbers of numpy, the value alone
        return str.__str__(value)
    if isinstance(value, (int, float)):
        return int.__int__(value) if isinstance(value, int) else float.__float__(value)
    if isinstance(value, Mapping):
        return {as_key(key): as_plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        parts = map(as_plain, value)
        return [*parts] if isinstance(value, list) else (*parts,)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_plain(getattr(value, one.name)) for one in fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return as_plain(value.model_dump())
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return as_plain(value.item())
    return f"<{type(value).__name__}>"


def as_key(value: Any) -> Any:
    """A plain key of a dict; one of several values as a text."""
    plain = as_plain(value)
    return str(plain) if isinstance(plain, (dict, list, tuple)) else plain


def changed(value: Any, change: Callable[[str], str], key: Any = None) -> Any:
    """A plain value with all its texts changed, except for words that name roles and types."""
    if isinstance(value, str):
        return value if key in NAMES and WORD.match(value) else change(value)
    if isinstance(value, dict):
        return {changed_key(name, change): changed(one, change, name) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(changed(one, change) for one in value)
    return value


def changed_key(key: Any, change: Callable[[str], str]) -> Any:
    """A key, changed if it is no word, as those are that a template asks for."""
    return key if not isinstance(key, str) or WORD.match(key) else change(key)


def texts_of(value: Any) -> list[str]:
    """All texts in a plain value."""
    if isinstance(value, str):
        return [value]
    parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
    return [text for part in parts for text in texts_of(part)] if isinstance(parts, (list, tuple)) else []


def to_continue(message: dict[str, Any], cut: str) -> dict[str, Any]:
    """The message with a mark where its text ends. A space after it tells whether the template takes spaces off."""
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": f"{content}{cut} "}
    parts = list(content) if isinstance(content, (list, tuple)) else []
    for i in range(len(parts) - 1, -1, -1):
        if isinstance(parts[i], dict) and isinstance(parts[i].get("text"), str):
            parts[i] = {**parts[i], "text": f"{parts[i]['text']}{cut} "}
            return {**message, "content": parts}
    raise OptionError("continue_final_message: the last message says nothing that could be continued")


class Names:
    """Finds names in texts: of those that begin at one place the longest first."""

    def __init__(self, names: Iterable[str]) -> None:
        self.all = frozenset(names)
        self._sizes = sorted({len(name) for name in self.all}, reverse=True)
        self._begins = re.compile(f"[{re.escape(''.join({name[0] for name in self.all}))}]" if self.all else "(?!)")

    def places(self, text: str) -> Iterator[tuple[int, list[int]]]:
        """The begin of names in a text, and their ends."""
        size = len(text)
        for match in self._begins.finditer(text):
            begin = match.start()
            ends = [begin + n for n in self._sizes if begin + n <= size and text[begin : begin + n] in self.all]
            if ends:
                yield begin, ends

    def found(self, text: str, barred: Container[int] = ()) -> tuple[list[Span], list[Span]]:
        """The spans of names that a text holds, and of those that go over a barred place."""
        found: list[Span] = []
        crossing: list[Span] = []
        pos = 0
        for begin, ends in self.places(text):
            for end in ends if begin >= pos else ():
                if is_crossed(begin, end, barred):
                    crossing.append((begin, end))
                else:
                    found.append((begin, end))
                    pos = end
                    break
        return found, crossing


def is_crossed(begin: int, end: int, barred: Container[int]) -> bool:
    """Whether a barred place lies in a span; of a single character, on both sides of it."""
    if end - begin == 1:
        return begin in barred and end in barred
    return any(place in barred for place in range(begin + 1, end))


def inner_places(names: Names, text: str) -> set[int]:
    """The places inside of the names in a text; both sides of a single character."""
    spans = [(begin, ends[0]) for begin, ends in names.places(text)]
    return {p for begin, end in spans for p in (range(begin + 1, end) if end - begin > 1 else (begin, end))}


class Bar:
    """Marks the places in texts over which no special token may go.

    These are the inner places of each name that a text spells, in letters of any case, and of the first or last part of
    a name at its ends, with or without white space there. All places of a text are marked if normalization makes it
    spell a name, or more of a part of one at its ends.
    """

    def __init__(
        self, names: Iterable[str], spells: Callable[[str], bool] | None, normalized: Callable[[str], str] | None = None
    ) -> None:
        self._exact = Names(names)
        self._names = Names(map(lowered, self._exact.all))
        self._heads = {name[:n] for name in self._names.all for n in range(1, len(name))}
        self._tails = {name[n:] for name in self._names.all for n in range(1, len(name))}
        self._begins, self._ends_in = {one[0] for one in self._tails}, {one[-1] for one in self._heads}
        self._longest = max(map(len, self._names.all)) - 1
        self._spells, self._normalized = spells, normalized

    @property
    def looks_at_ends(self) -> bool:
        """Whether it asks what normalization makes of the ends of texts."""
        return self._spells is not None and self._normalized is not None

    def lenient(self) -> Bar:
        """The bar without what normalization makes of the ends of texts."""
        found = copy(self)
        found._normalized = None
        return found

    def is_name(self, value: Any) -> bool:
        """Whether a value is a special token."""
        return isinstance(value, str) and value in self._exact.all

    def marking(self, marks: Marks) -> Callable[[str], str]:
        """What marks a text."""
        return lambda text: self.marked(text, marks)

    def marked(self, text: str, marks: Marks) -> str:
        """The text with signs at barred places; between all its characters if normalization makes it spell a name."""
        small = lowered(text)
        inner = small.strip()
        start = small.find(inner)
        if self._spells is not None and self._is_hidden(text, self._spells):
            stop = start + len(inner)
            return text[:start] + marks.plain.join(["", *text[start:stop], ""]) + text[stop:]
        places = inner_places(self._names, small)
        exact = inner_places(self._exact, text) if places else set()
        for begin, part in ((0, small), (start, inner)):
            end, (n_first, n_last) = begin + len(part), self._ends(part)
            places.update(range(begin, begin + n_first), range(end - n_last + 1, end + 1))
        cuts = [0, *sorted(places | exact), len(text)]
        signs = [marks.barred if place in exact else marks.edge for place in cuts[1:-1]]
        parts = [text[begin:end] for begin, end in pairwise(cuts)]
        return "".join(part + sign for part, sign in zip(parts, [*signs, ""], strict=True)) if signs else text

    def _ends(self, text: str) -> tuple[int, int]:
        """How many characters at the begin of a text end a name, and how many at its end begin one."""
        sizes = range(min(self._longest, len(text)), 0, -1)
        n_first = next((n for n in sizes if text[:n] in self._tails), 0) if text[:1] in self._begins else 0
        n_last = (
            next((n for n in sizes if text[len(text) - n :] in self._heads), 0) if text[-1:] in self._ends_in else 0
        )
        return n_first, n_last

    def _is_hidden(self, text: str, spells: Callable[[str], bool]) -> bool:
        """Whether normalization makes a text spell a name that it does not spell, or more of one at its ends."""
        pos, others = 0, []
        for begin, end in self._exact.found(text)[0]:
            others.append(text[pos:begin])
            pos = end
        if spells(" ".join([*others, text[pos:]])):
            return True
        if self._normalized is None:
            return False
        before, after = (self._ends(lowered(one).replace(SPACE, " ").strip()) for one in (text, self._normalized(text)))
        return any(n < m for n, m in zip(before, after, strict=True))


def lowered(text: str) -> str:
    """A text in small letters, as long as it is."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(low if len(low := c.lower()) == 1 else c for c in text)


def read_marks(raw: str, marks: Marks, continues: bool) -> Rendered | None:
    """The text without marks, and what they say. None: it is to be cut where `marks.cut` is, which it lacks."""
    every = "".join(map(re.escape, set(marks) - {marks.number_end}))
    escaped = "|".join(
        rf"\\u{ord(sign):04x}" for sign in (marks.barred, marks.edge, marks.plain)
    )  # what `tojson` may make of them
    pattern = re.compile(rf"([{every}])(?:([\d,]+){marks.number_end})?|(?i:{escaped})")
    parts: list[str] = []
    place = last = 0
    barred: set[int] = set()
    plain: list[int] = []
    contents: dict[int, list[int]] = {}
    loops: list[tuple[int, int, int]] = []  # (loop, message, begin) of turns that are not ended
    turns: list[tuple[int, int, int]] = []
    generations: list[Span] = []
    opened: list[int] = []
    end = -1
    for match in pattern.finditer(raw):
        parts.append(raw[last : match.start()])
        place += match.start() - last
        last = match.end()
        sign, numbers = match[1], [int(one) for one in (match[2] or "").split(",") if one]
        if sign == marks.plain:
            plain.append(place)
        elif sign in (marks.turn, marks.loop_end) and numbers:
            while any(loop == numbers[0] for loop, _, _ in loops):
                turns.append((*loops.pop()[1:], place))
            if sign == marks.turn:
                loops.append((numbers[0], numbers[1], place))
        elif sign == marks.content and numbers:
            contents.setdefault(numbers[0], []).append(place)
        elif sign == marks.generation:
            opened.append(place)
        elif sign == marks.generation_end and opened:
            generations.append((opened.pop(), place))
        elif sign == marks.cut:
            end, trims = place, raw[last : last + 1] != " "
        else:
            barred.add(place)
    text = "".join([*parts, raw[last:]])
    turns += [(number, begin, place) for _, number, begin in loops]
    if continues:
        if end < 0:
            return None
        text = text[:end].rstrip() if trims else text[:end]
    size = len(text)
    return Rendered(
        text,
        barred,
        [(begin, stop) for begin, stop in runs(plain) if begin < size],
        {
            number: [
                (begin, min(end, size)) for begin, end in zip(places[::2], places[1::2], strict=True) if begin <= size
            ]
            for number, places in contents.items()
            if len(places) % 2 == 0
        },
        sorted((number, begin, min(stop, size)) for number, begin, stop in turns if begin < min(stop, size)),
        clipped(sorted(generations), size),
    )


def clipped(spans: Iterable[Span], size: int) -> list[Span]:
    """Those parts of spans that lie in a text of `size` characters; empty ones are left out."""
    return [(begin, min(end, size)) for begin, end in spans if begin < min(end, size)]


def runs(places: Sequence[int]) -> list[Span]:
    """The spans of places that follow each other without a gap."""
    found: list[list[int]] = []
    for place in places:
        if found and place <= found[-1][1] + 1:
            found[-1][1] = place
        else:
            found.append([place, place])
    return [(begin, end) for begin, end in found]


SAID = ("where is the cat?", " on the mat ", "two  spaces\n\nand lines\n", "caf\u00e9 \u4e16\u754c 1+1", "a")


def sample_texts(template: str, own: Mapping[str, str]) -> tuple[list[str], str]:
    """(texts, error): what a template makes of some chats, and why it refuses the first one that it refuses.

    own: variables that hold special tokens.
    """
    texts: list[str] = []
    errors: list[str] = []
    for n_turns in range(1, len(SAID) + 1):
        turns = [{"role": ("user", "assistant")[i % 2], "content": said} for i, said in enumerate(SAID[:n_turns])]
        for messages in (turns, [{"role": "system", "content": "Be kind."}, *turns]):
            chat = prepare(template, messages, {"add_generation_prompt": n_turns % 2 == 1}, own, None, False)
            try:
                texts.append(chat.render().text)
            except OptionError as error:
                errors.append(str(error))
    return texts, (errors or [""])[0]
