"""BERT's vocab.txt: a piece a line, and the number of the line is the id."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

from spm_lite.arguments import as_flag
from spm_lite.errors import FileError, ModelError, OptionError
from spm_lite.files.saved_values import FLAG, Kind, Maybe, is_spelled
from spm_lite.formats.json_file import check_form, parse
from spm_lite.kinds import CONTROL, NORMAL, TYPE_NAMES, UNKNOWN, UNUSED
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

CONFIG = "tokenizer_config.json"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PREFIX = "##"
MAX_WORD_LENGTH = 100  # characters; BERT's limit
BERT_CLASSES = {  # of transformers: those that read vocab.txt and cut text as BERT does
    f"{name}Tokenizer"
    for name in ("Bert", "DistilBert", "Electra", "MobileBert", "ConvBert", "Funnel", "LayoutLM", "LayoutLMv2",
                 "Lxmert", "MPNet", "RetriBert", "SqueezeBert", "Realm", "Splinter", "DPRContextEncoder",
                 "DPRQuestionEncoder", "DPRReader", "PreTrained")
}  # fmt: skip
MOST_BYTES = 7999  # of a piece
MOST_OF_NAME = 200  # characters of the name of a class
# White_Space of Unicode, which tokenizers drops at line ends. U+001C to U+001F are not in it.
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def read_vocab_txt(data: bytes, name: str) -> list[str]:
    """The pieces by id. Raises ModelError, naming the line, if one is wrong.

    tokenizers and transformers 5 end lines at LF alone and drop white space before it; transformers 4 ends them at CR
    too, and keeps the white space. So each line must be one that all read alike: CR LF is, and so are U+001C to U+001E.
    An id has no piece, but an empty text, if its line is empty or white space, or if a later line has the same text.
    """
    if data.startswith(codecs.BOM_UTF8):
        raise ModelError(
            f"{name} begins with a mark of byte order, which belongs to the first piece there: save it without"
        )
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ModelError(f"{name} is not UTF-8: {error}") from None
    if not lines[-1]:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.rstrip(WHITE):  # no word of a text is white space, so whatever piece it is, none becomes it
            line = lines[number - 1] = ""
        if line and (line[-1] in WHITE or "\r" in line):
            where = "ends with white space" if line[-1] in WHITE else "holds CR"
            raise ModelError(
                f"{name}, line {number}: {line!r:.60} {where}, which transformers 4 and 5 read as different pieces: "
                "take it away"
            )
        if line in seen:
            lines[seen[line] - 1] = ""
        if not line:
            continue
        if len(line.encode()) > MOST_BYTES or "\0" in line:
            raise ModelError(f"{name}, line {number}: a piece has at most {MOST_BYTES} bytes, none of them NUL")
        seen[line] = number
    if not seen:
        raise ModelError(f"{name}: there are no pieces: the file has {len(data)} bytes")
    return lines


def is_piece(value: Any) -> bool:
    """Whether a value is a text that a piece can have, or an empty one."""
    return is_spelled(value) and "\0" not in value and len(value.encode()) <= MOST_BYTES


def is_token(value: Any) -> bool:
    """Whether a value is a token: a text, or an object with its content and flags."""
    if type(value) is not dict:
        return is_piece(value)
    flags = map(value.get, ("lstrip", "rstrip", "single_word", "normalized", "special"))
    return is_piece(value.get("content")) and all(flag is None or type(flag) is bool for flag in flags)


PIECE = Kind(f"a text of at most {MOST_BYTES} bytes of UTF-8, none of them NUL", is_piece)
TOKEN = Kind(f"a token: {PIECE.words}, or an object with its content and flags", is_token)
CLASS = Kind("the name of a class", lambda value: type(value) is str and len(value) <= MOST_OF_NAME)
TOKENS = Kind(
    "a list of tokens, or an object of them",
    lambda value: type(value) in (list, dict) and all(map(is_token, value.values() if type(value) is dict else value)),
)
SETTINGS = {  # the form of each setting of a folder that decides ids
    **{f"{role}_token?": Maybe(TOKEN) for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")},
    **dict.fromkeys(("additional_special_tokens?", "extra_special_tokens?"), Maybe(TOKENS)),
    "added_tokens_decoder?": Maybe({"*": TOKEN}),
    **dict.fromkeys(("add_prefix_space?", "do_basic_tokenize?", "tokenize_chinese_chars?"), Maybe(FLAG)),
    "tokenizer_class?": Maybe(CLASS),
}


def read_config(folder: Path, name: str = CONFIG) -> dict[str, Any]:
    """What the file of settings in a folder says; empty if there is none. Raises ModelError if it is damaged."""
    path = folder / name
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise FileError(error.errno, f"cannot be read: {error.strerror}", str(path)) from None
    found = parse(data, str(path))
    check_form(found, SETTINGS, str(path))
    return found


def special_tokens(config: dict[str, Any]) -> dict[str, str]:
    """Role -> special token, from a config: unk, pad, cls, sep, mask."""
    usual = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    found = {}
    for role, text in usual.items():
        given = config.get(f"{role}_token", text)
        given = given.get("content") if isinstance(given, dict) else given
        found[role] = given if isinstance(given, str) and given else text
    return found


def entries_of(pieces: list[str], tokens: dict[str, str], name: str) -> list[tuple[str, float, int]]:
    """(text, score, type) of each piece. Raises ModelError if the unknown token is not among them."""
    if tokens["unk"] not in pieces:
        raise ModelError(f"{name}: the unknown token {tokens['unk']!r} is not a piece")
    special = set(tokens.values())
    return [
        (
            text,
            -float(i),
            UNKNOWN if text == tokens["unk"] else CONTROL if text in special else NORMAL if text else UNUSED,
        )
        for i, text in enumerate(pieces)
    ]


def bert_model(pieces: list[str], lowercase: bool, config: dict[str, Any], name: str) -> bytes:
    """The bytes of the model of these pieces. config: names of special tokens. name: of the file, in messages."""
    rules = "bert_uncased" if lowercase else "bert_cased"
    tokens = special_tokens(config)
    spec = TrainerSpec(
        model_type="wordpiece",
        vocab_size=len(pieces),
        byte_fallback=False,
        unk_piece=tokens["unk"],
        bos_piece=tokens["cls"],
        eos_piece=tokens["sep"],
        pad_piece=tokens["pad"],
    )
    normalizer = NormalizerSpec(rules, charsmap_of(rules), add_dummy_prefix=False, remove_extra_whitespaces=True)
    return write_model(entries_of(pieces, tokens, name), spec, normalizer)


def kind_in_file(text: str) -> int:
    """The type that programs give to a line of vocab.txt."""
    return UNKNOWN if text == "[UNK]" else CONTROL if text in SPECIAL else NORMAL


def check_sayable(tok: Any) -> None:
    """Raise OptionError, naming it, for what vocab.txt cannot express of a model."""
    vocab, rules, spec = tok._file.vocab, tok._file.vocab.word_rules, tok._file.settings.normalizer
    if rules is None:
        raise OptionError(f"vocab.txt holds WordPiece, and this model is of type {tok.model_type!r}")
    if rules.continuation_prefix != PREFIX:
        raise OptionError(f"the prefix of continuation pieces is {rules.continuation_prefix!r}: vocab.txt has '##'")
    if rules.unknown_by_char:
        raise OptionError("unknown='char': in vocab.txt a word that no pieces cover is unknown as a whole")
    if not rules.split_by_punctuation or not rules.bert_words or not spec.remove_extra_whitespaces:
        raise OptionError(
            "words are not cut as BERT cuts them (normalization bert_cased or bert_uncased, and "
            "split_by_punctuation=True): vocab.txt cannot express how"
        )
    if rules.max_word_length != MAX_WORD_LENGTH:
        raise OptionError(
            f"max_word_length={rules.max_word_length}: programs that read vocab.txt take words of more than "
            f"{MAX_WORD_LENGTH} characters for unknown"
        )
    for i in range(len(vocab)):
        text = vocab.text(i).decode()
        if text != text.strip() or "\n" in text:
            raise OptionError(f"the piece {i}, {text!r:.60}, begins or ends with white space, which a line loses")
        kind, expected = vocab.type(i), kind_in_file(text) if text else UNUSED
        if kind != expected:
            raise OptionError(
                f"the piece {i}, {text!r:.60}, is {TYPE_NAMES[kind]}: programs that read vocab.txt know "
                f"{', '.join(SPECIAL)} as special tokens and no others, so they take it for {TYPE_NAMES[expected]}"
            )
    ids = {"pad_id": tok.pad_id, "unk_id": tok.unk_id, "bos_id": tok.bos_id, "eos_id": tok.eos_id}
    for (name, piece_id), text in zip(ids.items(), SPECIAL, strict=False):
        found = vocab.find_id(text.encode())
        if piece_id != found:
            raise OptionError(
                f"{name} is {piece_id}, but programs that read vocab.txt take {text}, whose id is {found}"
            )


def vocab_txt(tok: Any) -> bytes:
    """The file of a model."""
    check_sayable(tok)
    vocab = tok._file.vocab
    return b"".join(vocab.text(i) + b"\n" for i in range(len(vocab)))


def check_config(config: dict[str, Any]) -> None:
    """Raise OptionError, naming it, for a setting of a config with which words are cut in other ways than BERT's."""
    if config.get("do_basic_tokenize") is False:
        raise OptionError(
            f"{CONFIG} says do_basic_tokenize=false: text is then cut at white space alone, and keeps its case, which "
            "spm_lite does not read from vocab.txt"
        )
    prefix = config.get("wordpieces_prefix", PREFIX)
    if prefix != PREFIX:
        raise OptionError(f"{CONFIG} says wordpieces_prefix={prefix!r:.40}, and vocab.txt is read with {PREFIX!r}")
    kind = config.get("tokenizer_class")
    if isinstance(kind, str) and kind.removesuffix("Fast") not in BERT_CLASSES:
        raise OptionError(
            f"{CONFIG} says tokenizer_class={kind!r:.60}, which is not known to cut text as BERT does: move {CONFIG} "
            "away and pass lowercase, if you know that it does"
        )


def is_lowercase(config: dict[str, Any], lowercase: Any) -> bool:
    """Whether the text is lowercased: as the caller or the config says. Raises OptionError if neither does."""
    check_config(config)
    place = "lowercase"
    if lowercase is None:
        lowercase, place = config.get("do_lower_case"), f"do_lower_case of {CONFIG}"
    if lowercase is not None:
        lowercase = as_flag(lowercase, place)
    else:
        raise OptionError(
            f"the file does not say whether text is lowercased, and no {CONFIG} beside it does: give "
            "lowercase=True for an uncased vocabulary, lowercase=False for a cased one"
        )
    if config.get("strip_accents") not in (None, lowercase) or config.get("tokenize_chinese_chars") is False:
        raise OptionError(
            f"{CONFIG} says strip_accents={config.get('strip_accents')!r} and tokenize_chinese_chars="
            f"{config.get('tokenize_chinese_chars')!r}, which goes with neither of bert_cased and bert_uncased"
        )
    return bool(lowercase)
