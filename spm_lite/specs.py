"""The options of a model (its specs): what may become a piece, which pieces are kept, how text is normalized.

Names are as in the model message. Defaults are the defaults of the native API. `REFERENCE_DEFAULTS` holds the defaults
of the original library, where they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import BinaryIO, Literal, Protocol, TypeAlias, TypedDict

ModelType: TypeAlias = Literal["unigram", "bpe", "byte_bpe", "wordpiece", "word", "char"]


@dataclass(frozen=True)
class NormalizerSpec:
    """How raw text becomes normalized text or, in a denormalizer, how decoded text becomes the final text."""

    name: str = "identity"  # name of the rule set, for information only; "user_defined" for custom rules
    precompiled_charsmap: bytes = b""  # compiled rules; empty: none
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = False
    escape_whitespaces: bool = True
    normalization_rule_tsv: str = ""  # file of custom rules; the native API never writes it
    unicode_form: str = ""  # "NFC" ..., which a text gets before all else; in our extension, as are the next three
    steps: tuple[str, ...] = ()  # components of tokenizers, each as JSON, that a text goes through before all else
    prefix_each_text: bool = False  # each text after a special token gets the dummy prefix, not only the first text
    prefix_unless_space: bool = False  # a text that begins with a space or U+2581 gets no dummy prefix

    @property
    def has_rules(self) -> bool:
        """Whether a text may change by more than its spaces."""
        return bool(self.precompiled_charsmap or self.unicode_form or self.steps)


@dataclass(frozen=True)
class AddedToken:
    """A piece that is found in texts by rules of its own, as the added tokens of tokenizers are."""

    id: int
    single_word: bool = False  # not beside a letter, digit or underscore
    lstrip: bool = False  # takes the white space before it
    rstrip: bool = False  # takes the white space after it
    normalized: bool = False  # found in the normalized text, in its own normalized form


class RuleSettings(Protocol):
    """The settings that decide how text is normalized: a `NormalizerSpec`, or those read from a model file."""

    @property
    def precompiled_charsmap(self) -> bytes: ...
    @property
    def add_dummy_prefix(self) -> bool: ...
    @property
    def remove_extra_whitespaces(self) -> bool: ...
    @property
    def escape_whitespaces(self) -> bool: ...
    @property
    def has_rules(self) -> bool: ...
    @property
    def unicode_form(self) -> str: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def prefix_unless_space(self) -> bool: ...


@dataclass(frozen=True)
class WordRules:
    """How WordPiece cuts text into words and words into pieces."""

    continuation_prefix: str = "##"
    unknown_by_char: bool = False
    max_word_length: int = 100
    split_by_punctuation: bool = True
    bert_words: bool = False  # each ideograph of Chinese is a word, and what BERT drops is in none
    cleanup: bool = False  # decoding takes the space off before . ? ! , and short forms such as n't


@dataclass(frozen=True)
class Superwords:
    """How pieces that cross spaces are learned, in a second stage of training."""

    share: float = 0.8  # of vocab_size, learned within words first
    max_words: int = 4  # most words that a superword spans, parts of words among them
    inside: str = "letters"  # what may stand inside beside letters: "letters": apostrophes; "punctuation": signs
    whole_words: bool = False  # no part of a word is in a superword
    min_documents: int = 4  # least documents (lines or records) of a superword
    max_length: int = 32  # characters of a piece of the second stage


@dataclass(frozen=True)
class TrainerSpec:
    """What a training learns: each field is an option of `train`, or of the drop-in.

    An option is a field here; if the model message lacks it, it is in OWN_FIELDS too, and a choice of words has its row
    in CHOICES. `training/options/checks.py` has its range, `contradictions.py` and `families.py` what it excludes,
    `cli/options/training_options.py` its help. CONTRIBUTING lists all places.
    """

    model_type: str = "unigram"
    vocab_size: int = 0  # pieces in total, meta pieces included
    character_coverage: float = 0.9995  # share of all characters of the text that the alphabet must cover
    auto_character_coverage: bool = False  # BPE: choose the alphabet by the bytes it saves
    input_sentence_size: int = 0  # most lines used; 0: all
    shuffle_input_sentence: bool = True  # if lines are limited: a random sample, not the first ones
    seed_sentencepiece_size: int = 1_000_000  # unigram: size of the seed vocabulary; 0: see `n_seeds`
    shrinking_factor: float = 0.75  # unigram: share of pieces kept per pruning round
    num_sub_iterations: int = 2  # unigram: EM rounds between prunings
    max_sentence_length: int | None = None  # bytes; longer lines are skipped (and reported); None: no limit
    max_sentencepiece_length: int = 16  # characters
    split_by_unicode_script: bool = True
    split_by_whitespace: bool = True
    split_by_number: bool = True
    treat_whitespace_as_suffix: bool = False
    split_digits: bool | int = False  # True: each digit is a piece; a number: at most so many are in a piece
    allow_whitespace_only_pieces: bool = True
    control_symbols: tuple[str, ...] = ()
    user_defined_symbols: tuple[str, ...] = ()
    hard_vocab_limit: bool = True  # fewer pieces than vocab_size are an error, except in char models
    use_all_vocab: bool = False  # word, char: keep everything
    byte_fallback: bool = True
    required_chars: str = ""
    unk_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    pad_id: int = -1
    unk_surface: str = " \u2047 "
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = "<pad>"
    pretokenization_delimiter: str = ""
    split_pattern: str = ""  # byte_bpe, bpe, unigram: a pattern, or the name of one; no piece crosses a cut
    whole_characters: bool = False  # byte_bpe: a piece is whole characters, or lies within one
    graphemes: bool = False  # pieces are learned where they lie within one grapheme cluster, or are whole ones
    seed_source: str = "bpe"  # spm_lite only; unigram: seeds; merges of BPE, or all substrings
    prune: str = "loss"  # spm_lite only; unigram: how to prune; "top": by probability alone
    min_count: int = 1  # spm_lite only: least occurrences of a learned piece, before weights
    objective: str = "likelihood"  # wordpiece: what a merge is chosen by
    continuation_prefix: str = "##"  # wordpiece: before pieces that continue a word
    unknown: str = "word"  # wordpiece: what is unknown where no piece matches, the word or the character
    max_word_length: int = 100  # wordpiece: characters; a longer word is unknown
    split_by_punctuation: bool = True  # wordpiece: each sign of punctuation is a word
    superwords: Superwords | None = None  # spm_lite only; bpe, byte_bpe, unigram: pieces that cross spaces
    lossless: bool = True  # spm_lite only: a literal U+2581 becomes byte pieces, never part of a piece

    @property
    def n_seeds(self) -> int:
        """How many seeds a Unigram training has at most."""
        return self.seed_sentencepiece_size or default_seeds(self.vocab_size)


def default_seeds(vocab_size: int) -> int:
    """The seeds of a Unigram training whose number is not given."""
    return max(100_000, 8 * vocab_size)


class LoadOptions(TypedDict, total=False):
    """What a tokenizer file does not hold, for every call that reads one; see `Tokenizer.load`."""

    name: str | None
    pattern: str | None
    special_tokens: Iterable[str] | Mapping[str, int] | None
    lowercase: bool | None
    merges: str | PathLike[str] | bytes | BinaryIO | int | None
    vocabulary: str | PathLike[str] | bytes | BinaryIO | None
    vocabulary_threshold: int | None


class PieceOptions(TypedDict, total=False):
    """The options by which `count` and `train` normalize and cut text. `model_type` decides the rest."""

    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    max_sentence_length: int | None
    input_sentence_size: int
    control_symbols: Iterable[str]
    user_defined_symbols: Iterable[str]
    byte_fallback: bool
    unk_id: int
    bos_id: int
    eos_id: int
    pad_id: int
    unk_piece: str
    bos_piece: str
    eos_piece: str
    pad_piece: str
    max_sentencepiece_length: int
    split_by_unicode_script: bool
    split_by_whitespace: bool
    split_by_number: bool
    split_digits: bool | int
    split_by_punctuation: bool
    split_pattern: str
    treat_whitespace_as_suffix: bool
    allow_whitespace_only_pieces: bool
    superwords: float | bool | Mapping[str, object] | None


class ReadOptions(TypedDict, total=False):
    r"""How text is read, for every call that reads it.

    column: the field or column with the texts of records; the path of a nested one, such as "messages.content"; or a
        list of several, for as many texts a row. Given, it says that the input has records: a file whose name tells no
        format is then read as JSON lines, or as a JSON array. None: "text", where a file's name says that it has
        records, and in tables and rows.
    input_format: "auto" goes by the names of files: .jsonl, .csv, .tsv, .parquet, .arrow and the like have records.
        "text" reads each as plain text. "jsonl" (also a JSON array), "csv", "parquet" and "arrow" name the format.
        "tsv" is for training: lines of text, TAB and its count.
    newline: for plain text that is read line by line. "auto": CR LF is a line end, as LF is, and a BOM at the beginning
        of a file is left out. "lf": both are text.
    separator: str or bytes that end a text of a file of plain text. None: each file is one text.
    paragraphs: True: a text ends at a blank line.
    on_error: "raise": a line that is not JSON, a row without the column, a null, a damaged part of Parquet or Arrow and
        a compressed file that is cut off are errors. "skip": they are left out and counted.
    delimiter: one character between the fields of CSV; None: a comma, and a TAB in .tsv files.
    quoting: True: quotation marks enclose a field. False: they are text. None: True in CSV, False in .tsv files.
    encoding: of plain text, JSON lines, CSV and TSV, such as "cp1252"; None: UTF-8, or UTF-16 with its BOM.
    max_unpacked: the bytes that one compressed file, or the texts of one Parquet or Arrow file, may unpack to, such as
        "10GB"; None: 1 GB, or 500 times the file where that is more.
    """

    column: str | list[str] | tuple[str, ...] | None
    input_format: Literal["auto", "text", "tsv", "jsonl", "csv", "parquet", "arrow"]
    newline: Literal["auto", "lf"]
    separator: str | bytes | None
    paragraphs: bool
    on_error: Literal["raise", "skip"]
    delimiter: str | None
    quoting: bool | None
    encoding: str | None
    max_unpacked: int | str | None


class CutOptions(PieceOptions, total=False):
    """All options that decide how text is normalized and cut."""

    model_type: ModelType


class CountOptions(PieceOptions, ReadOptions, total=False):
    """The options of `CountTable.count`: how text is read, normalized and cut."""


class TrainOptions(CountOptions, total=False):
    """The options of `train` that have their default in a spec; those that only learning uses stand here."""

    character_coverage: float | Literal["auto"]
    required_chars: str
    hard_vocab_limit: bool
    min_count: int
    whole_characters: bool
    graphemes: bool
    seed_source: Literal["bpe", "substrings"]
    seed_sentencepiece_size: int
    prune: Literal["loss", "top"]
    objective: Literal["likelihood", "ratio", "frequency", "parity"]
    continuation_prefix: str
    unknown: Literal["word", "char"]
    max_word_length: int


CHOICES = {  # the first is the default
    "seed_source": ("bpe", "substrings"),
    "prune": ("loss", "top"),
    "objective": ("likelihood", "ratio", "frequency"),
    "unknown": ("word", "char"),
}
TOKENS, PARITY = "tokens", "parity"  # values of `balance` and `objective` that ask for fairness
TARGET_UNITS = ("bytes_per_token", "characters_per_token", "tokens_per_line")  # the first is the default
SHARE_UNITS = ("bytes", "characters", "texts")  # of sources; the first is the default
BERT_RULES = ("bert_cased", "bert_lowercase", "bert_uncased")  # rule sets with which words are those of BERT
WORDPIECE_ONLY = (
    "objective", "continuation_prefix", "unknown", "max_word_length", "split_by_punctuation",
)  # fmt: skip
OWN_FIELDS = (
    "seed_source",
    "prune",
    "split_pattern",
    "whole_characters",
    "graphemes",
    "min_count",
    "superwords",
    "lossless",
    "unicode_form",
    "steps",
    "prefix_each_text",
    "prefix_unless_space",
    *WORDPIECE_ONLY,
)  # of the specs, which the model message lacks
REFERENCE_DEFAULTS = {
    "max_sentence_length": 4192,
    "allow_whitespace_only_pieces": False,
    "byte_fallback": False,
    "lossless": False,
}
