"""Names and values of options: those of other libraries and of the older version, and the words "all" and "auto".

`pointer` says what `train` has for an option of another library or of the command. `as_fields` turns the options of a
public call into fields of the specs: `vocab_size="all"` sets `use_all_vocab`. The names of an older version still work,
with a DeprecationWarning that says what to write.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from spm_lite.arguments import as_flag
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import TRAINED_TYPES

P = ParamSpec("P")
T = TypeVar("T")

ALL = "all"  # as vocab_size: every word or character
AUTO = "auto"  # as character_coverage: the characters that save bytes
NO_LONGER = "leave it out, or train by spm_lite.SentencePieceTrainer, which has it"
OLD_OPTIONS: dict[str, tuple[Any, str]] = {  # name -> the value that can be left out, and what to do for others
    "auto_character_coverage": (False, "write character_coverage='auto'"),
    "escape_whitespaces": (True, "leave it out; it had to be True"),
    "keep_checkpoint": (False, "leave it out; the folder goes when the Tokenizer is returned"),
    "keep_newlines": (False, "write separator=None, with which each file is one text"),
    "num_sub_iterations": (2, NO_LONGER),
    "pretokenization_delimiter": ("", NO_LONGER),
    "shrinking_factor": (0.75, NO_LONGER),
    "shuffle_input_sentence": (True, "write seed=None, which takes the first lines"),
    "sources": (None, "give the dict as the input"),
    "unk_surface": (" \u2047 ", NO_LONGER),
    "use_all_vocab": (False, "write vocab_size='all'"),
}

NO_EFFECT = "leave it out; nothing here depends on it"
NO_PRIVACY = "leave it out; training here adds no noise"
SYMBOLS = "use user_defined_symbols for texts to keep as one piece, control_symbols for names that no text contains"
FIRST_ARGUMENT = "give the files or texts as the first argument"
SAVE = "leave it out, and save what train returns: tok.save('m.model')"
LENGTH = "use max_sentencepiece_length, the longest piece in characters"
SPACES = "leave it out; a space is the sign U+2581 at the beginning of a piece"

OTHER_LIBRARIES = {  # name there -> what to write for it; holds for the drop-in's trainer too
    "special_tokens": f"{SYMBOLS}; <unk>, <s>, </s> and <pad> have options of their own: unk_piece, pad_id and so on",
    "added_tokens": SYMBOLS,
    "unk_token": "use unk_piece",
    "bos_token": "use bos_piece",
    "eos_token": "use eos_piece",
    "pad_token": "use pad_piece, and pad_id for its id",
    "cls_token": "use control_symbols",
    "sep_token": "use control_symbols",
    "mask_token": "use control_symbols",
    "limit_alphabet": "use character_coverage, the share of the text whose characters become pieces",
    "coverage": "use character_coverage",
    "initial_alphabet": "use required_chars",
    "max_token_length": LENGTH,
    "max_piece_length": LENGTH,
    "n_threads": "use num_threads",
    "num_workers": "use num_threads",
    "num_merges": "use vocab_size; it counts all pieces, not merges",
    "n_vocab": "use vocab_size",
    "num_symbols": "use vocab_size; it counts all pieces, not merges",
    "continuing_subword_prefix": f"use continuation_prefix with model_type='wordpiece'; in other models {SPACES}",
    "end_of_word_suffix": f"{SPACES}, or at its end with treat_whitespace_as_suffix",
}

NATIVE_ONLY = {  # options of sentencepiece, and options that the drop-in's trainer has no counterpart for
    "n_sub_iterations": "leave it out; a pruning follows two rounds of EM, as in sentencepiece",
    "trainer": "use model_type, the method",
    "algorithm": "use model_type, the method",
    "type": "use model_type, the method",
    "normalizer": "use normalization, the name of a rule set or rules",
    "pre_tokenizer": "leave it out; split_by_whitespace, split_digits and their kin say where pieces end",
    "add_prefix_space": "use add_dummy_prefix",
    "min_frequency": "use min_count",
    "min_freq": "use min_count",
    "files": FIRST_ARGUMENT,
    "iterator": FIRST_ARGUMENT,
    "sentence_iterator": FIRST_ARGUMENT,
    "length": "leave it out; the size of the text need not be known before",
    "model_prefix": SAVE,
    "model_writer": "leave it out; tok.to_bytes() of what train returns gives the bytes of the model",
    "show_progress": "use progress; True shows a progress bar, and a function is called with each Progress",
    "minloglevel": "leave it out; train writes no log",
    "logfile": "leave it out; train writes no log",
    "lowercase": "use normalization='nfc_cf', which folds case and composes letters and marks",
    "dropout": "leave it out here; tok.sample(text, dropout=0.1) of a BPE model drops merges",
    "normalization_rule_name": "use normalization",
    "normalization_rule_tsv": "use normalization, which takes the path of a table too",
    "denormalization_rule_tsv": "use denormalization, which takes the path of a table too",
    "random_seed": "use seed",
    "seed_sentencepieces_file": "leave it out; spm_lite.SentencePieceTrainer.train reads such a file",
    "vocabulary_output_piece_score": "leave it out; tok.score(id) gives the score of each piece",
    "train_extremely_large_corpus": "leave it out; a text may have any size",
    "accept_language": NO_EFFECT,
    "self_test_sample_size": NO_EFFECT,
    "mining_sentence_size": NO_EFFECT,
    "training_sentence_size": "use input_sentence_size",
    "enable_differential_privacy": NO_PRIVACY,
    "differential_privacy_noise_level": NO_PRIVACY,
    "differential_privacy_clipping_threshold": NO_PRIVACY,
}

LINES = "a list of str, one for each line of the file"
COMMAND_ONLY = {  # options of `spm-lite train`, and what `train` has for them
    "whole_files": "use separator=None, which makes each file one text",
    "no_whole_files": "leave it out; each line of a file is one text",
    "strict_lossless": "use lossless='strict'",
    "no_strict_lossless": "leave it out, or use lossless=True",
    "as_text": "use input_format='text'",
    "required_chars_file": "use required_chars, the content of the file as one str",
    "control_symbols_file": f"use control_symbols, {LINES}",
    "user_defined_symbols_file": f"use user_defined_symbols, {LINES}",
    "source": "give a dict of names and files as the first argument",
    "target": "use targets, a dict of names and numbers",
    "weight": "use weights, a dict of names and numbers",
    "no_vocab": "leave it out; tok.save writes a list of pieces only with vocab=True",
    "json": "leave it out; tok.report has the figures",
    "quiet": "leave it out; train shows nothing without progress=True",
    "o": SAVE,
    "output": SAVE,
    "j": "use num_threads",
    "q": "leave it out; train shows nothing without progress=True",
}
NO = "no_"  # begins the name of a flag that the command turns off


def pointer(name: str, flags: Collection[str] = ()) -> str:
    """`: use ...` for an option of another library or of the command; an empty str for any other name.

    flags: options of `train` that the command turns off by `--no-...`.

    >>> pointer("unk_token"), pointer("no_lossless", ["lossless"]), pointer("vocab_size")
    (': use unk_piece', ': use lossless=False', '')
    """
    found = OTHER_LIBRARIES.get(name) or NATIVE_ONLY.get(name) or COMMAND_ONLY.get(name)
    if found is None and name.startswith(NO) and name.removeprefix(NO) in flags:
        found = f"use {name.removeprefix(NO)}=False"
    return f": {found}" if found else ""


def old_option(name: str, value: Any) -> str:
    """What to do instead of giving an option of the older version this value."""
    default, advice = OLD_OPTIONS[name]
    return "leave it out, which means the same" if type(value) is type(default) and value == default else advice


def check_old(options: Mapping[str, Any]) -> None:
    """Raise OptionError for an option of the older version that contradicts the new one."""
    for old, new, value in (
        ("use_all_vocab", "vocab_size", ALL), ("auto_character_coverage", "character_coverage", AUTO),
    ):  # fmt: skip
        if options.get(old) is False and options.get(new) is not None and options[new] == value:
            raise OptionError(f"{old}=False and {new}={value!r} contradict each other: leave out {old}")
    if options.get("shuffle_input_sentence") is True and "seed" in options and options["seed"] is None:
        raise OptionError("shuffle_input_sentence=True and seed=None contradict each other: leave out one of them")


def as_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a public call with the names and values of the fields of the specs."""
    check_old(options)
    found = dict(options)
    if isinstance(found.get("vocab_size"), str) and found["vocab_size"] == ALL:
        del found["vocab_size"]
        found["use_all_vocab"] = True
    if isinstance(found.get("character_coverage"), str) and found["character_coverage"] == AUTO:
        del found["character_coverage"]
        found["auto_character_coverage"] = True
    if as_flag(found.pop("keep_newlines", False), "keep_newlines") and found.get("separator", "\n") in ("\n", b"\n"):
        found["separator"] = None
    if "seed" in found and found["seed"] is None:
        del found["seed"]
        found["shuffle_input_sentence"] = False
    return found


def as_options(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A change of fields of the specs, as the options of a public call.

    >>> as_options({"auto_character_coverage": True, "required_chars": ""})
    {'required_chars': '', 'character_coverage': 'auto'}
    """
    found = dict(fields)
    return found | {"character_coverage": AUTO} if found.pop("auto_character_coverage", False) else found


def by_name(n_positional: int, usual: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator of public calls: their options become fields, and one that was given without its name is explained.

    n_positional: how many arguments need no name; a class, the first of a class method, counts. usual: how the call is
    written, for messages.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> T:
            if len(args) > n_positional:
                raise unnamed(args[n_positional], usual)
            for name in options.keys() & OLD_OPTIONS.keys():
                text = f"the option {name} is gone after this version: {old_option(name, options[name])}"
                warnings.warn(text, DeprecationWarning, stacklevel=2)
            return function(*args, **as_fields(options))

        return call

    return decorated


def unnamed(value: Any, usual: str) -> ArgumentTypeError:
    """The error for an option that was given without its name."""
    name, shown = "", f"{value!r:.40}"
    if isinstance(value, int) and not isinstance(value, bool):
        name = "vocab_size"
    elif isinstance(value, str) and value in TRAINED_TYPES:
        name = "model_type"
    hint = f": write {name}={shown}" if name else ""
    return ArgumentTypeError(f"an option needs its name, as in {usual}, but {shown} was given without one{hint}")
