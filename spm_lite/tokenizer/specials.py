"""Special tokens between texts: the caller names them, as segments or by `allow_special`; text alone makes none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL, TYPE_NAMES, UNKNOWN, USER_DEFINED
from spm_lite.specs import AddedToken
from spm_lite.tokenizer.parts import NO_PREFIX
from spm_lite.vocab.model_file import is_text_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spm_lite.encode.encoder import Encoder
    from spm_lite.tokenizer.parts import Variants
    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab


ALL = "all"  # as `allow_special`: all control pieces and the unknown piece, as in transformers


@dataclass(frozen=True, slots=True)
class Control:
    """A segment that the caller puts in: the id of one special piece.

    Attributes:
        name: the string of a control piece, a user-defined piece, or the unknown piece.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    name: str | bytes


@dataclass(frozen=True, slots=True)
class Text:
    """A segment of text from any source. It never becomes a control piece, even if it spells one.

    Attributes:
        text: str, or bytes of UTF-8.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    text: str | bytes


class Plain(Text):
    """A text that spells no user-defined piece either, and goes on with the text beside it."""

    __slots__ = ()


def special_ids(vocab: Vocab, names: Any) -> dict[bytes, int]:
    """Name -> id for each name; "all": for each control piece and the unknown piece. Raises OptionError for others."""
    if isinstance(names, str) and names == ALL:
        return {vocab.text(i): i for i in sorted([*vocab.ids_of_type(CONTROL), *vocab.ids_of_type(UNKNOWN)])}
    ids = {}
    for name in as_iterable(names, "allow_special", "'all', or a list of names, such as ['<s>']", in_order=False):
        text = as_piece(name)
        ids[text] = special_id(vocab, name)
    return ids


def special_id(vocab: Vocab, name: Any) -> int:
    """The id of a special piece. Raises OptionError for any other name."""
    text = as_piece(name)
    piece_id = vocab.find_id(text)
    if piece_id < 0 or vocab.text(piece_id) != text:
        raise OptionError(f"{name!r:.60} is not a piece of the model: name a control or user-defined piece")
    kind = vocab.type(piece_id)
    if kind not in (UNKNOWN, CONTROL, USER_DEFINED) and not vocab.is_added(piece_id):
        raise OptionError(f"{name!r:.60} is a piece of type {TYPE_NAMES[kind]}: name a control or user-defined piece")
    return piece_id


def rules_of(file: ModelFile) -> dict[bytes, AddedToken]:
    """How special pieces are found in texts, by name: those that are not found as they stand."""
    return {file.vocab.text(one[0]): AddedToken(*one) for one in file.settings.added_tokens}


def split(
    text: str | bytes, names: Iterable[bytes], rules: Mapping[bytes, AddedToken] | None = None
) -> list[Control | Text]:
    """Segments of a text, cut at the names that it holds: the leftmost first, of several the longest.

    rules: of names that take white space beside them, or that are found only as whole words.
    """
    if not isinstance(text, (str, bytes)):
        raise ArgumentTypeError(f"the text is {type(text).__name__}, not str or bytes")
    ordered = sorted(names, key=len, reverse=True)
    if not ordered:
        return [Text(text)]
    if rules and isinstance(text, bytes):
        found = split(text.decode("utf-8", "surrogateescape"), ordered, rules)
        return [as_bytes(segment) for segment in found]
    return [segment for segment, _, _ in cut(text, found_names(text, ordered), rules)]


def cut(
    text: str | bytes, places: Iterable[tuple[int, int]], rules: Mapping[bytes, AddedToken] | None = None
) -> list[tuple[Control | Text, int, int]]:
    """Segments of a text, each with its begin and end. places: of the names in it."""
    segments: list[tuple[Control | Text, int, int]] = []
    pos = 0
    for begin, end in places:
        name = text[begin:end]
        rule = rules.get(name.encode("utf-8", "surrogateescape")) if rules and isinstance(name, str) else None
        if rule is not None and isinstance(text, str):
            if rule.single_word and (is_word(text[begin - 1 : begin]) or is_word(text[end : end + 1])):
                continue
            if rule.lstrip:
                begin = max(pos, len(text[:begin].rstrip(WHITE)))
            if rule.rstrip:
                end = len(text) - len(text[end:].lstrip(WHITE))
        if pos < begin:
            segments.append((Text(text[pos:begin]), pos, begin))
        if begin < end:  # else the name before it has taken it as white space
            segments.append((Control(name), begin, end))
        pos = end
    return [*segments, (Text(text[pos:]), pos, len(text))]


def as_bytes(segment: Control | Text) -> Control | Text:
    """The segment with its text as UTF-8; a Control keeps its name as it is."""
    if isinstance(segment, Control):
        return segment
    return Text(segment.text.encode("utf-8", "surrogateescape") if isinstance(segment.text, str) else segment.text)


# White_Space of Unicode.
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def is_word(sign: str) -> bool:
    """Whether a character is one of words: a letter, a mark, a digit, a connector or a joiner."""
    import unicodedata

    if not sign:
        return False
    kind = unicodedata.category(sign)
    return kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or sign in "\u200c\u200d"


def found_names(text: str | bytes, names: list[bytes]) -> list[tuple[int, int]]:
    """(begin, end) of each name in a text; at each place the names are tried in their order."""
    if isinstance(text, bytes):
        return [match.span() for match in re.finditer(b"|".join(map(re.escape, names)), text)]
    strings = [re.escape(name.decode("utf-8", "surrogateescape")) for name in names]
    return [match.span() for match in re.finditer("|".join(strings), text)]


def encode_prompt(
    variants: Variants, file: ModelFile, text: str | bytes, names: Mapping[bytes, int], prefix_space: Any,
    user_defined: Any,
) -> list[int]:  # fmt: skip
    """The ids of a text that may spell special pieces. names: those that are allowed, with their ids.

    Names are looked for in the text as given; those that are normalized, in the normalized text between others. Added
    tokens that are found in all texts are looked for together with them.
    """
    names, rules, tokens = found_in(file, names, user_defined)
    if tokens:
        return variants.encode_with_tokens(text, tokens, prefix_space, user_defined)
    return encode_segments(variants, file, split(text, names, rules), prefix_space, user_defined, is_part=True)


def found_in(
    file: ModelFile, names: Mapping[bytes, int], user_defined: Any
) -> tuple[Mapping[bytes, int], dict[bytes, AddedToken], dict[bytes, AddedToken]]:
    """(names, rules, tokens): what is looked for in a text, how, and the same for the normalizer.

    tokens: empty if no name is normalized; then the text as given is cut at the names.
    """
    rules = rules_of(file)
    if user_defined:
        names = {**names, **{name: one.id for name, one in rules.items() if is_text_type(file.vocab, one.id)}}
    if not any(one.normalized and name in names for name, one in rules.items()):
        return names, rules, {}
    return names, rules, {name: rules.get(name, AddedToken(i)) for name, i in names.items()}


def encode_segments(
    variants: Variants, file: ModelFile, segments: Sequence[Control | Text], prefix_space: Any, user_defined: Any,
    is_part: bool = False,
) -> list[int]:  # fmt: skip
    """The ids of all segments, one after the other, as the folder of `to_hf` gives them in transformers.

    The dummy space comes before a text with nothing before it, and before each text if the model says so. In models
    that put the space after texts, each text gets it. Where the model removes extra spaces, one of the spaces that a
    later text begins with stays, if the first text would have had the dummy space. is_part: the added tokens of all
    texts are among the segments.
    """
    ids: list[int] = []
    for segment, encoder in with_encoders(variants, file, segments, prefix_space, user_defined, is_part):
        ids += [special_id(file.vocab, segment.name)] if encoder is None else encoder.encode(segment.text)
    return ids


def with_encoders(
    variants: Variants, file: ModelFile, segments: Iterable[Control | Text], prefix_space: Any, user_defined: Any,
    is_part: bool,
) -> Iterator[tuple[Any, Encoder | None]]:  # fmt: skip
    """Each segment with what encodes it; None: it is a Control."""
    normalizer = variants.encoder(prefix_space, user_defined, is_part=is_part).normalizer
    prefix_later = prefix_space if are_alike(file, normalizer) else NO_PREFIX
    is_first, before = True, None
    for i, segment in enumerate(segments):
        if isinstance(segment, Control):
            yield segment, None
            is_first, before = False, None
            continue
        if not isinstance(segment, Text):
            raise ArgumentTypeError(
                f"segment {i} is {type(segment).__name__} {segment!r:.40}, not Control or Text: "
                "give Text(text), or Control(name) for a special piece"
            )
        is_plain = isinstance(segment, Plain)
        if before is not None and (is_plain or isinstance(before, Plain)):
            prefix = NO_PREFIX
        else:
            prefix = prefix_space if is_first or keeps_a_space(normalizer, segment.text) else prefix_later
        yield segment, variants.encoder(prefix, False if is_plain else user_defined, is_part=is_part)
        is_first = is_first and not segment.text
        before = segment if segment.text else before


def are_alike(file: ModelFile, normalizer: Any) -> bool:
    """Whether a text that is next to another segment gets the same spaces as the first one."""
    prefixes_all = file.settings.normalizer.prefix_each_text
    return bool(prefixes_all or normalizer.whitespace_as_suffix or not normalizer.add_dummy_prefix)


def keeps_a_space(normalizer: Any, text: Any) -> bool:
    """Whether one space must stay at the start of a text that is next to another segment."""
    if not normalizer.remove_extra_whitespaces or not isinstance(text, (str, bytes)):
        return False
    part = text[:64]
    raw = part if isinstance(part, bytes) else part.encode("utf-8", "replace")
    return bool(normalizer.leading_spaces(raw) > 0)
