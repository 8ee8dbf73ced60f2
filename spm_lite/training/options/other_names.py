"""Options of other libraries and of the command, and what `train` has instead."""

from __future__ import annotations

from collections.abc import Collection

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
    "n_sub_iterations": "use num_sub_iterations",
    "n_threads": "use num_threads",
    "num_workers": "use num_threads",
    "num_merges": "use vocab_size; it counts all pieces, not merges",
    "n_vocab": "use vocab_size",
    "num_symbols": "use vocab_size; it counts all pieces, not merges",
    "continuing_subword_prefix": SPACES,
    "end_of_word_suffix": f"{SPACES}, or at its end with treat_whitespace_as_suffix",
}

NATIVE_ONLY = {  # options of sentencepiece, and options that the drop-in's trainer has no counterpart for
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
    "source": "use sources, a dict of names and files",
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
