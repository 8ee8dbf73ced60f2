"""A folder of transformers with a model file: a model with the ids, and the added tokens, of the folder's class.

The pieces are those of the file, and so is the way from a text to them. The class moves them to other ids, and puts
tokens of its own before and after them. `folder_classes` has what each class does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.gpt2_files import read_vocab_json
from spm_lite.formats.hugging_face.folder_classes import (
    ADVICE,
    ClassRule,
    after_pieces,
    class_of,
    listed_tokens,
    offset_of,
    preset_tokens,
    rule_of,
)
from spm_lite.formats.hugging_face.folder_tokens import ROLES, Token, numbered, read_tokens, with_class
from spm_lite.formats.hugging_face.near_ties import TIE, paths_of
from spm_lite.formats.hugging_face.read_byte_level import check_added_bytes
from spm_lite.formats.hugging_face.read_vocabulary import check_spaced
from spm_lite.formats.proof.condition_checks import DoublePaths
from spm_lite.formats.proof.conditions import NEAR_TIES, NO_TIE, Findings, examples, spells_none
from spm_lite.kinds import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.normalize.from_settings import rules_alone
from spm_lite.specs import AddedToken, NormalizerSpec
from spm_lite.vocab import messages, wire
from spm_lite.vocab.byte_model_writer import EXTENSION, OWN_PIECES
from spm_lite.vocab.model_file import TEXT_VERSION, ModelFile, read_model
from spm_lite.vocab.model_writer import Piece, text_fields

FOUND = (NORMAL, USER_DEFINED, BYTE)  # types of pieces that a text may become
LANGUAGE, LANGUAGE_END = ">>", "<<"  # around a code that Marian takes off the text


@dataclass
class Numbering:
    """The ids that a class gives: of its own texts, of the pieces of the file, and of added tokens.

    fixed: id -> text. pieces: the id of a piece in the file -> its id. unknown: the id of what no piece covers.
    special: ids of `fixed` that the class itself puts beside texts. named: texts of tokens with a role, or listed.
    """

    fixed: dict[int, str]
    pieces: dict[int, int]
    unknown: int
    added: dict[int, Token]
    roles: dict[str, Token | None]
    special: frozenset[int]
    named: frozenset[str]


def read_class_folder(data: bytes, name: str, place: str, config: Mapping[str, Any], findings: Findings) -> bytes:
    """The bytes of a model with the ids that the class of a folder gives.

    data, name: of its model file. config: its tokenizer_config.json. Raises ModelError for a class or a vocabulary
    whose ids cannot be told; OptionError for what `allow` lifts.
    """
    own_class = class_of(place, config)
    rule = rule_of(place, own_class, config, findings)
    file = read_model(data, name)
    if rule is None:
        return with_folder_tokens(data, name, place, config, ClassRule({}), findings)
    if file.has_own_pieces:
        raise ModelError(f"{name} is no model of SentencePiece, which the class {own_class}Tokenizer reads")
    if file.lossless and not file.strict:
        findings.add("U+2581", f"no {SPACE} in the text", spells_none([SPACE]))
    texts = [file.vocab.text(i).decode("utf-8", "replace") for i in range(file.vocab.size)]
    count = number_list if rule.has_list else number_pieces
    numbering = count(file, texts, place, own_class, rule, config)
    check_tokens(place, numbering.added.values(), findings)
    listed = entries(file, texts, numbering, place, findings)
    is_each = is_each_text(own_class, config)
    unknown = numbering.roles.get("unk")
    if not is_each and file.lossless:
        raise ModelError(
            f"{place}: its class puts U+2581 before texts, which its model file spells in its own way. {ADVICE}"
        )
    if not is_each and (unknown is None or unknown.text != texts[file.special_ids[0]]):
        raise ModelError(f"{place}: legacy=false with another unknown token than that of the model file. {ADVICE}")
    add_class_conditions(own_class, file, listed, numbering, is_each, findings)
    return rewritten(file, listed, numbering, is_each)


def with_folder_tokens(
    data: bytes, name: str, place: str, config: Mapping[str, Any], rule: ClassRule, findings: Findings,
    texts: Mapping[int, str] | None = None,
) -> bytes:  # fmt: skip
    """The bytes of a model with the tokens that a folder adds to its file. name: of the file.

    texts: those of the file by id; None: they are the pieces. Raises ModelError for a token whose id is taken, or that
    leaves ids without a piece; OptionError for what `allow` lifts.
    """
    file = read_model(data, name)
    vocab = file.vocab
    if texts is None:
        texts = {i: vocab.text(i).decode("utf-8", "replace") for i in range(vocab.size)}
    told, roles, listed = tokens_of(place, "", rule, config, vocab.size)
    added = dict(sorted(numbered(place, told, roles, listed, texts).items()))
    if rule.roles:
        add_flags_of_5(added.values(), place, config, findings)
        add_plain([text for i, text in texts.items() if vocab.type(i) in (CONTROL, UNKNOWN)], added, findings)
    is_fast = file.model_type == "wordpiece" or bool(file.settings.normalizer.unicode_form)
    found = added_tokens(added, is_fast)
    if all(i in texts and texts[i] == token.text and vocab.type(i) in (CONTROL, UNKNOWN) and token.special
           for i, token in added.items()) and not found:  # fmt: skip
        return data
    if file.model_type == "wordpiece":
        check_spaced(token.text for token in added.values() if token.normalized)
    if not file.has_own_pieces and not rule.roles:
        check_class(place, added.values(), findings)
    check_tokens(place, added.values(), findings)
    if file.model_type == "byte_bpe":
        check_added_bytes(
            {token.text for token in added.values() if not token.special}, {t: i for i, t in texts.items()}
        )
    message = file.message()
    given: Any = messages.extension_of(message).pieces if file.has_own_pieces else message.pieces
    pieces: list[Piece] = [(piece.piece, piece.score, piece.type) for piece in given]
    check_ids(place, added, texts, len(pieces))
    for i, token in added.items():
        if i == len(pieces):
            text = token.text.encode("utf-8", "surrogatepass") if file.has_own_pieces else token.text
            pieces.append((text, 0.0, UNUSED))
        old, score, kind = pieces[i]
        pieces[i] = (old, score, kind_of_token(token, kind, file, place, findings))
    message.trainer_spec.vocab_size = len(pieces)
    del given[:]
    return written(message, pieces, found, file)


def check_ids(place: str, added: Mapping[int, Token], texts: Mapping[int, str], n: int) -> None:
    """Raise ModelError for an added token that has two ids, that of another text, or one that is not the next.

    texts: of the vocabulary by id. n: its ids.
    """
    ids = {text: i for i, text in texts.items()}
    for i, token in added.items():
        other = ids.get(token.text, i)
        if other != i:
            raise ModelError(f"{place} gives {token.text!r:.40} the id {i}, and its file gives it {other}. {ADVICE}")
        if i > n or (i < n and texts.get(i) != token.text):
            taken = f"the id of {texts[i]!r:.40}" if i in texts else f"and {n} is the next one"
            raise ModelError(f"{place} gives {token.text!r:.40} the id {i}, {taken}. {ADVICE}")
        n = max(n, i + 1)


def written(message: Any, pieces: list[Piece], added: list[AddedToken], file: ModelFile, texts: Any = None) -> bytes:
    """The bytes of a model with other pieces. message: of `file`, without them. texts: an Extension with more fields.

    The pieces stand in our extension if an added token is found in all texts, since SentencePiece finds none.
    """
    fields = text_fields(NormalizerSpec(), added)
    if texts is not None:
        fields = fields or messages.message_class("Extension")()
        fields.MergeFrom(texts)
    if file.has_own_pieces or any(pieces[token.id][2] not in (CONTROL, UNKNOWN) for token in added):
        version = max(file.settings.format_version, TEXT_VERSION if added else 0)
        own = messages.message_class("Extension")(format_version=version)
        data = messages.serialize(own) + wire.write_pieces(pieces, OWN_PIECES)
    elif fields is None:
        return wire.write_pieces(pieces) + messages.serialize(message)
    else:
        return wire.write_pieces(pieces) + messages.serialize(message) + extension_of(fields)
    data += b"" if fields is None else messages.serialize(fields)
    return messages.serialize(message) + wire.write_message(EXTENSION, data)


def extension_of(fields: Any) -> bytes:
    """An Extension as a field of a model."""
    return wire.write_message(EXTENSION, messages.serialize(fields))


def kind_of_token(token: Token, kind: int, file: ModelFile, place: str, findings: Findings) -> int:
    """The type of the piece of an added token. kind: as the file has it; UNUSED: it has no such piece.

    A token that is not special keeps the type of a piece that text becomes too. Raises ModelError for an unknown piece.
    """
    if token.special:
        return UNKNOWN if kind == UNKNOWN else CONTROL
    if kind in (UNKNOWN, BYTE):
        what = "unknown" if kind == UNKNOWN else "byte"
        raise ModelError(f"{place} adds the {what} piece {token.text!r:.40} as a token that is not special. {ADVICE}")
    if kind == USER_DEFINED and file.settings.normalizer.precompiled_charsmap:
        rules = rules_alone(file.settings.normalizer.precompiled_charsmap)
        findings.add(
            "normalized",
            f"no other text that the rules of the model file make {token.text!r:.40} of",
            lambda text: token.text not in rules.normalize(text.replace(token.text, " ").encode()).decode(),
        )
    return NORMAL if kind == NORMAL else USER_DEFINED


def added_tokens(added: Mapping[int, Token], is_fast: bool = False) -> list[AddedToken]:
    """How the tokens of a folder are found: those that are not special, and special ones with flags.

    is_fast: as the fast class of transformers does it, which looks for some in normalized text.
    """
    return [
        AddedToken(i, **token.flags, normalized=is_fast and token.normalized)
        for i, token in added.items()
        if token.flags or (is_fast and token.normalized) or not token.special
    ]


def check_class(place: str, tokens: Iterable[Token], findings: Findings) -> None:
    """Raise OptionError for tokens that are not special, unless they are allowed, where no class says what follows."""
    others = [token.text for token in tokens if not token.special]
    if others:
        findings.refuse(
            "config",
            f"{place} adds {examples(others)}, which {'is' if len(others) == 1 else 'are'} not special, and no class "
            "that is known says whether the text after it begins with a space",
            spells_none(others),
        )


def add_flags_of_5(tokens: Iterable[Token], place: str, config: Mapping[str, Any], findings: Findings) -> None:
    """Report tokens that take white space in transformers 4, or would by the settings; transformers 5 may differ."""
    given = read_tokens(place, config)
    told = [*given.by_id.values(), *given.roles.values(), *(given.listed or ())]
    taking = {token.text for token in (*tokens, *told) if token is not None and (token.lstrip or token.rstrip)}
    if taking:
        names = "|".join(map(re.escape, sorted(taking)))
        beside = re.compile(rf"\s(?:{names})|(?:{names})\s")
        findings.add(
            "class",
            f"no white space beside {examples(sorted(taking))}, which transformers 4 and 5 take or leave in other "
            "ways; the ids are those of 4",
            lambda text: beside.search(text) is None,
        )
    words = [token.text for token in told if token is not None and token.single_word]
    if words:
        findings.add(
            "class",
            f"no text that spells {examples(words)}, which transformers 5 takes for whole words, and 4 not always",
            spells_none(words),
        )


def tokens_of(
    place: str, own_class: str, rule: ClassRule, config: Mapping[str, Any], n: int
) -> tuple[dict[int, Token], dict[str, Token | None], list[Token]]:
    """(added tokens whose ids are told, roles, further special tokens). n: pieces of the file."""
    given = read_tokens(place, config)
    usual = {
        role: Token(text, lstrip=role in rule.stripping, is_plain=role not in rule.wrapped)
        for role, text in rule.roles.items()
    }
    roles: dict[str, Token | None] = {
        role: with_class(given.roles.get(role, usual.get(role)), usual.get(role)) for role in ROLES
    }
    preset = preset_tokens(own_class, rule, roles, given.listed, config, n)
    told = {**given.by_id, **preset} if rule.is_own else {**preset, **given.by_id}
    return told, roles, listed_tokens(own_class, rule, given.listed, config)


def number_pieces(
    file: ModelFile, texts: list[str], place: str, own_class: str, rule: ClassRule, config: Mapping[str, Any]
) -> Numbering:
    """The ids of a class that moves those of the file."""
    n, offset = len(texts), offset_of(rule, own_class, config)
    after = after_pieces(own_class, config, place)
    fixed = dict(enumerate(rule.first)) | dict(enumerate(after, n + offset))
    told, roles, listed = tokens_of(place, own_class, rule, config, n)
    other = next((i for i, token in told.items() if i in fixed and fixed[i] != token.text), None)
    if other is not None:
        raise ModelError(
            f"{place}: the settings give {told[other].text!r:.40} the id {other}, where the class {own_class}Tokenizer "
            f"has {fixed[other]!r:.40}. {ADVICE}"
        )
    vocabulary = {i + offset: text for i, text in enumerate(texts)} | fixed
    added = numbered(place, told, roles, listed, vocabulary)
    unknown = file.special_ids[0]
    if rule.zero_is_unknown and unknown != 0:
        raise ModelError(f"{place}: the class {own_class}Tokenizer needs the unknown piece first, not as {unknown}")
    ids = {text: i for i, text in fixed.items()}
    pieces = {i: ids.get(text, i + offset) for i, text in enumerate(texts)}
    target = pieces.get(unknown, offset)
    if rule.zero_is_unknown:
        target = id_of(roles.get("unk"), added, place, own_class)
        pieces[0] = target
    return Numbering(fixed, pieces, target, added, roles, frozenset(fixed), named_texts(roles, listed))


def number_list(
    file: ModelFile, texts: list[str], place: str, own_class: str, rule: ClassRule, config: Mapping[str, Any]
) -> Numbering:
    """The ids of a class that takes them from vocab.json."""
    path = Path(place) / "vocab.json"
    ids = read_vocab_json(path.read_bytes(), str(path))
    told, roles, listed = tokens_of(place, own_class, rule, config, len(texts))
    added = numbered(place, told, roles, listed, {i: text for text, i in ids.items()})
    languages = dict(enumerate(after_pieces(own_class, config, place), len(ids)))
    known = {token.text for token in added.values()}
    fixed = {i: text for text, i in ids.items()} | {i: text for i, text in languages.items() if text not in known}
    unknown = roles.get("unk")
    if unknown is None or unknown.text not in ids:
        raise ModelError(f"{path} has no unknown token, which the class {own_class}Tokenizer needs")
    pieces = {i: ids[text] for i, text in enumerate(texts) if text in ids}
    codes = {i for i, text in fixed.items() if text.startswith(LANGUAGE) and text.endswith(LANGUAGE_END)}
    special = languages.keys() | (codes if own_class == "Marian" else ())
    return Numbering(fixed, pieces, ids[unknown.text], added, roles, frozenset(special), named_texts(roles, listed))


def named_texts(roles: Mapping[str, Token | None], listed: Iterable[Token]) -> frozenset[str]:
    """The texts of the tokens that have a role, or that the class or the settings list."""
    return frozenset(token.text for token in (*roles.values(), *listed) if token is not None)


def id_of(token: Token | None, added: Mapping[int, Token], place: str, own_class: str) -> int:
    """The id of the unknown token. Raises ModelError if there is none."""
    found = next((i for i, other in added.items() if token is not None and other.text == token.text), None)
    if found is None:
        raise ModelError(f"{place}: the class {own_class}Tokenizer needs an unknown token, and the settings name none")
    return found


def check_tokens(place: str, tokens: Iterable[Token], findings: Findings) -> None:
    """Report added tokens that are found in other ways here."""
    tokens = list(tokens)
    blank = [token.text for token in tokens if token.text != token.text.strip()]
    if blank and any(token.lstrip or token.rstrip for token in tokens):
        findings.add(
            "stripped",
            f"no text that spells {examples(blank)}, whose white space a token beside it takes in transformers",
            spells_none(blank),
        )
    words = [token.text for token in tokens if token.single_word]
    if words:
        findings.add(
            "single word",
            f"no text that spells {examples(words)}, which the slow classes of transformers look for between spaces",
            spells_none(words),
        )


def entries(file: ModelFile, texts: list[str], numbering: Numbering, place: str, findings: Findings) -> list[Piece]:
    """(text, score, type) of each piece by id. Raises ModelError for an id that two pieces have, or none."""
    vocab = file.vocab
    lowest = min((vocab.score(i) for i in range(vocab.size)), default=0.0)
    found: dict[int, Piece] = {}
    for i, text in numbering.fixed.items():
        found[i] = (text, 0.0, CONTROL) if i in numbering.special else (text, lowest, UNUSED)
    for i, target in numbering.pieces.items():
        if target not in found or found[target][0] == texts[i]:
            found[target] = (texts[i], vocab.score(i), CONTROL if vocab.type(i) == UNKNOWN else vocab.type(i))
    for i, token in numbering.added.items():
        own, score, kind = found.get(i, (token.text, 0.0, UNUSED))
        kind = kind if own == token.text else UNUSED
        found[i] = (token.text, score, kind_of_token(token, kind, file, place, findings))
    check_targets(file, texts, numbering, found, place)
    add_missing(file, texts, numbering, found, place, findings)
    hole = next((i for i in range(len(found)) if i not in found), None)
    if hole is not None:
        raise ModelError(f"{place}: its class gives the id {hole} to no piece. {ADVICE}")
    listed = [found[i] for i in range(len(found))]
    listed[numbering.unknown] = (listed[numbering.unknown][0], 0.0, UNKNOWN)
    seen: dict[str | bytes, int] = {}
    for i, (own, _, _) in enumerate(listed):
        if seen.setdefault(own, i) != i:
            raise ModelError(f"{place}: its class gives {own!r:.60} two ids, {seen[own]} and {i}. {ADVICE}")
    return listed


def check_targets(
    file: ModelFile, texts: list[str], numbering: Numbering, found: Mapping[int, Piece], place: str
) -> None:
    """Raise ModelError for a piece of texts whose id belongs to another one."""
    for i, target in numbering.pieces.items():
        if file.vocab.type(i) in FOUND and (found[target][0] != texts[i] or target == numbering.unknown):
            raise ModelError(
                f"{place}: its class gives the piece {i} of the model file, {texts[i]!r:.40}, the id {target} of "
                f"{found[target][0]!r:.40}. The class is for files whose first pieces are special ones. {ADVICE}"
            )
    if numbering.unknown not in found:
        raise ModelError(f"{place}: the id {numbering.unknown} of the unknown piece is that of no piece. {ADVICE}")


def add_missing(
    file: ModelFile, texts: list[str], numbering: Numbering, found: dict[int, Piece], place: str, findings: Findings
) -> None:
    """Give pieces that vocab.json lacks ids after all others, if that is allowed; in transformers they are unknown.

    Pieces of vocab.json that the file lacks are UNUSED. Raises ModelError where merges could make one.
    """
    vocab = file.vocab
    missing = [i for i in range(vocab.size) if i not in numbering.pieces and vocab.type(i) in FOUND]
    if missing:
        names = [texts[i] for i in missing]
        findings.refuse(
            "config",
            f"{place}: vocab.json lacks {examples(names)}, which the model file cuts texts into. In transformers each "
            f"is the unknown piece {numbering.unknown}; here their ids are {len(found)} and above",
        )
        for i in missing:
            found[len(found)] = (texts[i], vocab.score(i), vocab.type(i))
    known = set(texts)
    others = [str(text) for text, _, kind in found.values() if kind == UNUSED and text not in known]
    if file.model_type == "bpe":
        every = known | set(others)
        made = next((text for text in others if is_join(text, every)), None)
        if made is not None:
            raise ModelError(
                f"{place}: no text becomes {made!r:.60} in transformers, but merges here would make it. {ADVICE}"
            )
    signs = {sign for text in others for sign in text} - {text for text in known if len(text) == 1}
    if signs:
        rules = rules_alone(file.normalizer.precompiled_charsmap)
        is_free = spells_none(signs)
        findings.add(
            "unknown",
            f"no character that the model file lacks and vocab.json has, such as {examples(sorted(signs))}: a text of "
            "such alone may be a piece in transformers",
            lambda text: is_free(text) and is_free(rules.normalize(text.encode()).decode("utf-8", "replace")),
        )


def is_join(text: str, pieces: set[str]) -> bool:
    """Whether a text is two pieces."""
    return any(text[:k] in pieces and text[k:] in pieces for k in range(1, len(text)))


def add_class_conditions(
    own_class: str, file: ModelFile, listed: list[Piece], numbering: Numbering, is_each: bool, findings: Findings
) -> None:
    """Report where the class differs from its model file, and other classes of transformers from it."""
    if own_class == "Marian":
        findings.add(
            "language",
            "no text that begins with >>...<<, which transformers takes for a language, known or not. Only source.spm "
            "is read, not target.spm",
            lambda text: LANGUAGE not in text,
        )
    names = [str(text) for text, _, kind in listed if kind in (CONTROL, UNKNOWN)]
    add_plain([text for text in names if not text.startswith(LANGUAGE)], numbering.added, findings)
    names += [token.text for token in numbering.added.values() if not token.special]
    if not is_each:
        drops = file.normalizer.remove_extra_whitespaces
        is_free = spells_none([SPACE, *(text for text in names if drops or text not in numbering.named)])
        findings.add(
            "white space",
            f"no white space at the start of a text or side by side, no {SPACE}, and no special piece without a role, "
            "or none at all if spaces are dropped: with legacy=false, transformers puts <unk> before a text, and cuts "
            "it off the pieces",
            lambda text: is_free(text) and re.search(r"^\s|\s\s", text) is None,
        )
        if file.model_type == "unigram":
            add_ties(file, findings)
    findings.add(
        "class",
        f"transformers 4 with use_fast=False: the model was trained with the ids of its class {own_class}Tokenizer. "
        "Fast classes and transformers 5 build that class anew; marks, white space and special pieces may get other "
        "ids there",
        lambda text: False,
    )


def add_ties(file: ModelFile, findings: Findings) -> None:
    """Report near ties: with legacy=false, the scores of `<unk>` before a text change how its sums are rounded."""
    rules = rules_alone(file.normalizer.precompiled_charsmap)

    @cache
    def paths() -> DoublePaths:
        return paths_of(file)

    def is_met(text: str) -> bool:
        normalized = SPACE.encode() + rules.normalize(text.encode()).replace(b" ", SPACE.encode())
        return paths().best(normalized)[1] > TIE * len(normalized)

    findings.add(NEAR_TIES, NO_TIE, is_met)


def add_plain(special: Iterable[str], added: Mapping[int, Token], findings: Findings) -> None:
    """Report special pieces that are no added tokens in transformers, so that their names are text there."""
    known = {token.text for token in added.values()}
    plain = [text for text in special if text not in known]
    if plain:
        findings.add(
            "special",
            f"no text that spells {examples(plain)} where allow_special names it: transformers takes it for text",
            spells_none(plain),
        )


def is_each_text(own_class: str, config: Mapping[str, Any]) -> bool:
    """Whether each text after a special piece gets the prefix space of a first text."""
    return own_class != "SeamlessM4T" and not (
        own_class in ("Llama", "T5", "MT5", "Udop") and config.get("legacy") is False
    )


def rewritten(file: ModelFile, listed: list[Piece], numbering: Numbering, is_each: bool) -> bytes:
    """The bytes of a model with other pieces, special ones and rules for texts around these."""
    message = file.message()
    del message.pieces[:]
    spec = message.trainer_spec
    spec.vocab_size = len(listed)
    ids = {text: i for i, (text, _, kind) in enumerate(listed) if kind == CONTROL}
    spec.unk_id, spec.unk_piece = numbering.unknown, str(listed[numbering.unknown][0])
    for own, names in (("bos", ("bos", "cls")), ("eos", ("eos", "sep")), ("pad", ("pad",))):
        tokens = [token.text for name in names if (token := numbering.roles.get(name)) is not None]
        text = next((text for text in tokens if text in ids), None)
        setattr(spec, f"{own}_id", -1 if text is None else ids[text])
        if text is not None:
            setattr(spec, f"{own}_piece", text)
    has_prefix = is_each and file.normalizer.add_dummy_prefix
    fields = text_fields(NormalizerSpec(prefix_each_text=has_prefix), [])
    return written(message, listed, added_tokens(numbering.added), file, fields)
