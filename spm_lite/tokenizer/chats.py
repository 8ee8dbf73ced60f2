"""Chats to ids by a Jinja template: special tokens come from the template alone, and each id is known to be whose.

`encode_chats` renders conversations, and `parts_of` cuts the texts. An `EncodedChat` has the ids and tells of turns.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import as_flag, as_iterable
from spm_lite.encode.spans import encode_texts, spans_batch
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.formats.hugging_face.chat_rendering import Bar, Chat, Names, Rendered, Span, prepare, unmarked
from spm_lite.formats.hugging_face.chat_templates import open_template
from spm_lite.formats.hugging_face.folder import special_roles
from spm_lite.kinds import SPACE, USER_DEFINED
from spm_lite.texts.object_texts import ObjectTexts
from spm_lite.tokenizer.parts import NO_PREFIX
from spm_lite.tokenizer.specials import ALL, Plain, cut, found_in, special_ids, with_encoders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spm_lite.encode.encoder import Encoder
    from spm_lite.tokenizer.tokenizer import Tokenizer

Part = tuple[Any, str, int]  # the Encoder of a text; or None, and the id of the special token there
BYTES = 0  # the unit of places
ASSISTANT = "assistant"
MARK = SPACE.encode()
BYTE_PIECE = re.compile(rb"<0x[0-9A-F]{2}>\Z")
MOST_TEMPLATES = 16  # whose special tokens are kept, for one tokenizer


class Turn(NamedTuple):
    """The ids of one message in a chat.

    Attributes:
        role: of the message.
        tokens: a slice of the ids: all that the template writes for the message.
        body: the slice of what the role says, with the token that ends the turn and without the header before it.
    """

    role: str
    tokens: slice
    body: slice


class EncodedChat:
    """A chat in ids, with the places of its messages. `Tokenizer.encode_chat` makes it.

    Attributes:
        ids: list of int.
        text: what the template made of the messages, a str.

    >>> import spm_lite
    >>> tok = spm_lite.train(["hi you"] * 9, vocab_size=270, model_type="bpe", control_symbols=["<user>", "<bot>"])
    >>> template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    >>> chat = tok.encode_chat([{"role": "user", "content": "hi"}, {"role": "bot", "content": "you"}], template)
    >>> chat.text, chat.mask("bot")
    ('<user>hi<bot>you', [0, 0, 0, 1, 1])
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ("_chat", "_names", "_parts", "_placed", "_places", "_tok", "_turns", "ids", "text")

    def __init__(self, tok: Tokenizer, names: ChatNames, chat: Chat, rendered: Rendered) -> None:
        self._parts = parts_of(tok, rendered, names)
        self.ids, self.text, self._tok = ids_of(self._parts, names), rendered.text, tok
        self._chat, self._names = chat, names
        self._places: tuple[list[Span], list[int]] | None = None
        self._placed: Rendered | None = None
        self._turns: list[Turn] | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        return self.ids, self.text, self.turns, self._places, self._placed, self._chat

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.ids, self.text, self._turns, self._places, self._placed, self._chat = state

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"EncodedChat({len(self.ids)} ids, {len(self._chat.messages)} messages)"

    @property
    def turns(self) -> list[Turn]:
        """A `Turn` for each message, in the order of the messages. A message that the template leaves out has no ids.

        A turn is what the template writes in one step of its loop over the messages. Where there is no such loop, or
        another message's step writes the text, it is the text alone.
        """
        if self._turns is None:
            self._turns = find_turns(self)
        return self._turns

    def mask(self, roles: str | Iterable[str] = ASSISTANT) -> list[int]:
        """The loss mask of some roles: 1 for each id of what they say, 0 for all others.

        What an assistant says is in the template's `generation` blocks, if it has them; else it is the `body` of the
        turns. An id that is partly of another text counts too.

        Args:
            roles: a role, or several.
        Returns:
            A list of int, as long as `ids`.
        Source: `return_assistant_tokens_mask` of transformers, for the blocks.
        """
        given = [roles] if isinstance(roles, str) else as_iterable(roles, "roles", "a role, or several", in_order=False)
        wanted = set(map(str, given))
        found = [0] * len(self.ids)
        generations = self._rendered().generations if ASSISTANT in wanted else None
        if generations is not None:
            wanted.discard(ASSISTANT)
            for span in generations:
                mark(found, self._covered(span))
        for turn in self.turns if wanted else ():
            if turn.role in wanted:
                mark(found, turn.body)
        return found

    def _special_ids(self) -> list[int]:
        """The special tokens that a message must not spell."""
        return [i for i in self.ids if i in self._names.barred]

    def _rendered(self) -> Rendered:
        """The text with the places of messages and generations."""
        if self._placed is None:
            self._placed = self._chat.placed(self.text)
        return self._placed

    def _covered(self, span: Span) -> slice:
        """The ids that have some of a span of the text; an id without bytes of its own belongs to those after it."""
        if self._places is None:
            sizes = map(len, map(str.encode, self.text))
            offsets = list(range(len(self.text) + 1) if self.text.isascii() else accumulate(sizes, initial=0))
            self._places = places_of(self._parts, self._tok, self._names), offsets
        places, offsets = self._places
        first, last = offsets[span[0]], offsets[span[1]]
        begin = bisect_right(places, first, key=lambda place: max(place[1], place[0] + 1))
        return slice(begin, max(begin, bisect_left(places, last, key=lambda place: place[0])))


def mark(mask: list[int], part: slice) -> None:
    mask[part] = [1] * (part.stop - part.start)


def find_turns(encoded: EncodedChat) -> list[Turn]:
    """The turn of each message."""
    chat, text = encoded._chat, encoded.text
    rendered = encoded._rendered()
    header = chat.generation_prompt()
    regions: dict[int, Span] = {}
    for number, begin, end in rendered.turns:
        regions[number] = begin, end
    turns = []
    for number, message in enumerate(chat.messages):
        role = str(message.get("role", ""))
        contents = rendered.contents.get(number, [])
        whole = regions.get(number) or ((contents[0][0], contents[-1][1]) if contents else (0, 0))
        begin, end = whole
        inside = [one for one in contents if begin <= one[0] and one[1] <= end]
        if role == ASSISTANT and header and text.startswith(header, begin, end):
            begin += len(header)
        elif inside and not (role == ASSISTANT and header and text.endswith(header, 0, begin)):
            begin = inside[0][0]
        spoken = text[begin:end].rstrip()
        if spoken.endswith(encoded._names.names):
            end = begin + len(spoken)
        turns.append(Turn(role, encoded._covered(whole), encoded._covered((begin, end))))
    return turns


class ChatNames:
    """The special tokens of a tokenizer, and how a chat of one template finds them.

    Attributes:
        names: those that a message must not spell: control pieces, the unknown piece, others that the template writes.
        bar: marks them in messages; None: there are none.
        ids: of all special tokens that are found in a text.
        rules, tokens: how they are found, as `found_in` gives it.
        special, user_defined: find them all, or the user-defined ones of `names`.
        barred: ids of `names`, but of the unknown piece.
        unknown: the id that stands for the unknown piece, and its own.
    """

    def __init__(self, tok: Tokenizer, template: str) -> None:
        vocab = tok._file.vocab
        control = special_ids(vocab, ALL)
        pieces = [vocab.text(i) for i in range(vocab.size) if vocab.type(i) == USER_DEFINED]
        written = [text for text in pieces if text.strip() and text.decode("utf-8", "replace") in template]
        self.names = tuple(well_formed([*control, *written]))
        self.ids, self.rules, self.tokens = found_in(tok._file, control, True)
        self.special, self.user_defined = Names(well_formed(self.ids)), Names(well_formed(written))
        self.unknown = {vocab.size: vocab.unknown_index}  # see `prompt_encoder`
        self.barred = {*control.values(), *map(vocab.find_id, written)} - {vocab.unknown_index}

        def spells(text: str) -> bool:
            return not self.barred.isdisjoint(ids_of(parts_of(tok, unmarked(text), self), self))

        def normalized(text: str) -> str:
            return normalizer.normalize(text.encode()).decode("utf-8", "replace")

        normalizer = tok._variants.encoder(NO_PREFIX).normalizer
        is_changed = self.tokens or changes_text(tok)
        self.bar = Bar(self.names, spells if is_changed else None, normalized) if self.names else None


def well_formed(names: Iterable[bytes]) -> list[str]:
    """Those names that a text can spell."""
    texts = [name.decode("utf-8", "ignore") for name in names]
    return [text for text, name in zip(texts, names, strict=True) if name and text.encode() == name]


def changes_text(tok: Tokenizer) -> bool:
    """Whether normalization may turn a text into one that spells a special token."""
    normalizer = tok._variants.encoder().normalizer
    return bool(normalizer.charsmap.blob or normalizer.form or normalizer.early or normalizer.words)


def chat_names(tok: Tokenizer, template: str) -> ChatNames:
    """The special tokens for a template and what it writes from variables; kept with the tokenizer."""
    kept = tok._variants.chats
    found = kept.get(template)
    if found is None:
        if len(kept) >= MOST_TEMPLATES:
            kept.clear()
        found = kept[template] = ChatNames(tok, template)
    return found


def encode_chats(
    tok: Tokenizer, messages: Any, template: Any, tools: Any, documents: Any, trust_text: Any, continues: Any,
    variables: dict[str, Any],
) -> EncodedChat | list[EncodedChat]:  # fmt: skip
    """The chat of some messages; the list of chats of a list of conversations. Options: see `Tokenizer.encode_chat`."""
    continues = as_flag(continues, "continue_final_message")
    if continues and variables["add_generation_prompt"]:
        raise OptionError(
            "add_generation_prompt and continue_final_message: give one of them. The first begins a new message, the "
            "second goes on with the last one"
        )
    text, tokens = open_template(template, has_tools=tools is not None)
    own = special_roles(tok._file) | tokens
    chosen = [one for name, one in variables.items() if name.endswith("_token") and isinstance(one, str)]
    names = chat_names(tok, "\0".join([text, *own.values(), *chosen]))
    bar = None if as_flag(trust_text, "trust_text") else names.bar
    variables |= {"tools": as_tools(tools), "documents": as_documents(documents)}

    def encoded(conversation: Any, bar: Bar | None) -> EncodedChat:
        if isinstance(conversation, Iterator):  # it may be rendered twice
            conversation = [*conversation]
        try:
            chat = prepare(text, conversation, variables, own, bar, continues)
        except RecursionError:
            raise OptionError("the messages hold themselves, or are nested too deep") from None
        rendered = chat.render()
        found = EncodedChat(tok, names, chat, rendered)
        if rendered.plain and bar is not None and bar.looks_at_ends:  # in vain, if no special token comes of it
            return first_if_alike(encoded(conversation, bar.lenient()), found)
        if chat.has_edges:  # the template should not see them, unless texts become a special token together
            bare = chat.without_edges()
            unseen = bare.render()
            if unseen.text != rendered.text:
                return first_if_alike(EncodedChat(tok, names, bare, unseen), found)
        return found

    if is_batch(messages):
        return [encoded(conversation, bar) for conversation in messages]
    return encoded(messages, bar)


def first_if_alike(one: EncodedChat, other: EncodedChat) -> EncodedChat:
    """The first of two chats if it has the special tokens of the other, which is surely right about them."""
    return one if one._special_ids() == other._special_ids() else other


def is_batch(messages: Any) -> bool:
    """Whether these are conversations, not messages of one."""
    if not isinstance(messages, (list, tuple)) or not messages:
        return False
    return isinstance(messages[0], (list, tuple)) or hasattr(messages[0], "messages")


def as_documents(documents: Any) -> Any:
    """`documents` as a list, if they are dicts; or None."""
    if documents is None:
        return None
    found = list(as_iterable(documents, "documents", wanted := "a list of dicts with 'title' and 'text'"))
    if wrong := [one for one in found if not isinstance(one, dict)]:
        raise ArgumentTypeError(f"documents holds {type(wrong[0]).__name__} {wrong[0]!r:.40}: give {wanted}")
    return found


def as_tools(tools: Any) -> list[Any] | None:
    """The JSON schemas of tools; those of functions come from transformers. Raises ArgumentTypeError for others."""
    if tools is None:
        return None
    schemas = []
    for tool in as_iterable(tools, "tools", "a list of JSON schemas or functions"):
        if isinstance(tool, dict):
            schemas.append(tool)
        elif callable(tool):
            try:
                from transformers.utils import get_json_schema
            except ImportError:
                raise OptionError(
                    f"tools: {getattr(tool, '__name__', tool)!s:.40} is a function, and its schema comes from "
                    "transformers, which is not installed: give a dict, the JSON schema of the function"
                ) from None
            try:
                schemas.append(get_json_schema(tool))
            except Exception as error:  # of any type, for a function without a docstring or types
                raise OptionError(f"tools: {tool!r:.60} has no schema: {error!s:.300}. Give one as a dict") from None
        else:
            raise ArgumentTypeError(f"tools holds {type(tool).__name__} {tool!r:.40}: give JSON schemas or functions")
    return schemas


def parts_of(tok: Tokenizer, rendered: Rendered, names: ChatNames) -> list[Part]:
    """The parts of a rendered chat: special tokens, and texts between them."""
    text, plain = rendered.text, rendered.plain
    special, crossing = names.special.found(text, rendered.barred)
    if rendered.barred:
        plain = [*plain, *names.user_defined.found(text, rendered.barred)[1], *(crossing if names.tokens else [])]
    variants, spans = tok._variants, alternating(text, plain) if plain else [(0, len(text), False)]
    if names.tokens:
        return [
            (
                variants.encoder(prefix, False) if is_plain else variants.prompt_encoder(names.tokens, prefix, True),
                text[begin:end],
                -1,
            )
            for begin, end, is_plain in spans
            for prefix in [None if begin == 0 else NO_PREFIX]
        ]
    segments: list[tuple[Any, str]] = []
    begins = [begin for begin, _ in special]
    for begin, end, is_plain in spans:
        if is_plain:
            segments.append((Plain(text[begin:end]), text[begin:end]))
        else:
            inside = special[bisect_left(begins, begin) : bisect_left(begins, end)]
            inside = [(a - begin, b - begin) for a, b in inside if b <= end]
            segments += [(one, text[begin + a : begin + b]) for one, a, b in cut(text[begin:end], inside, names.rules)]
    found = with_encoders(variants, tok._file, [one for one, _ in segments], None, True, is_part=True)
    return [
        (encoder, part, -1 if encoder is not None else names.ids[segment.name.encode()])
        for (segment, encoder), (_, part) in zip(found, segments, strict=True)
    ]


def ids_of(parts: Iterable[Part], names: ChatNames) -> list[int]:
    """The ids of parts, one after the other. An id that stands for the unknown piece becomes its own."""
    ids: list[int] = []
    for encoder, part, piece_id in parts:
        ids += [piece_id] if encoder is None else encoder.encode(part)
    return [names.unknown.get(i, i) for i in ids] if names.tokens else ids


def places_of(parts: Iterable[Part], tok: Tokenizer, names: ChatNames) -> list[Span]:
    """The place of each id of all parts, in the UTF-8 of the text."""
    places: list[Span] = []
    pos = 0
    for encoder, part, _ in parts:
        size = len(part.encode())
        if encoder is None:
            found = [(0, size)]
        elif tok._file.vocab.is_bytes:
            flat = spans_batch(encoder, ObjectTexts([part]), BYTES, 1, is_exact=True)[2].view().tolist()
            found = list(zip(flat[::2], flat[1::2], strict=True))
        else:
            found = aligned_places(encoder, part, [names.unknown.get(i, i) for i in encoder.encode(part)], tok, names)
        places += [(pos + begin, pos + end) for begin, end in found]
        pos += size
    return places


def character_ends(data: bytes) -> dict[int, int]:
    """Where each character ends, by its begin, in UTF-8."""
    begins = [i for i, byte in enumerate(data) if byte & 0xC0 != 0x80]
    return dict(pairwise([*begins, len(data)]))


def aligned_places(
    encoder: Encoder, part: str, ids: Sequence[int], tok: Tokenizer, names: ChatNames
) -> list[Span]:  # fmt: skip
    """The places of ids as the normalizer aligns them, without text at their ends that it drops.

    As in the package tokenizers, a space that stands for a run of white space has the last of it. Byte pieces of a
    Unigram model of another program stand for the same text if they follow each other.
    """
    data, encoded = part.encode(), encode_texts(encoder, [part], 1)[0]
    ends = character_ends(data)
    begins = [*ends]
    kept = {*encoder.normalizer.normalize(data, True)[1][:-1]}
    if tok.model_type == "wordpiece":  # the mark of a word stands at the white space before it, or at what is dropped
        kept = {i for i in kept if (sign := part[bisect_left(begins, i)]).isprintable() and not sign.isspace()}
    kept_begins = [i for i in begins if i in kept]
    special = {i: name for name, i in names.ids.items()}
    joins_bytes = tok.model_type == "unigram" and not tok._file.lossless
    found: list[Span] = []
    run = pos = 0  # byte pieces up to this one; where the last special token ends
    for piece_id, (begin, end), piece in zip(ids, encoded.byte_offsets(), encoded.pieces(), strict=True):
        first, last = bisect_left(kept_begins, max(begin, pos)), bisect_left(kept_begins, end) - 1
        name = special.get(piece_id, b"")
        if name and (place := data.find(name, pos)) >= 0:
            begin, end = place, place + len(name)
            pos = end
        elif first <= last:
            begin, end = kept_begins[first], end if piece.endswith(MARK) else ends[kept_begins[last]]
            if piece.startswith(MARK):
                begin = max(begin, begins[bisect_left(begins, min([*kept_begins[first + 1 : first + 2], end])) - 1])
        elif first < len(kept_begins):  # a part of the character that the next id ends
            begin = end = max(begin, kept_begins[first])
        found.append((begin, end))
        run = run + 1 if joins_bytes and BYTE_PIECE.match(piece) else 0
        if run > 1:
            found[-run:] = [(found[-run][0], end)] * run
    return found


def alternating(text: str, plain: Iterable[Span]) -> list[tuple[int, int, bool]]:
    """(begin, end, is plain) of the parts of a text. plain: spans, which may overlap."""
    parts: list[tuple[int, int, bool]] = []
    pos = 0
    for begin, end in sorted(plain):
        if end <= pos:
            continue
        begin = max(begin, pos)
        if pos < begin:
            parts.append((pos, begin, False))
        parts.append((begin, end, True))
        pos = end
    if pos < len(text) or not parts:
        parts.append((pos, len(text), False))
    return parts
