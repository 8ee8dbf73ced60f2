"""Flags and tools of sentencepiece, and options of other libraries, that have another name here: what to write instead.

Flags that differ only in their spelling are understood (`respelling`).
"""

from __future__ import annotations

PROCESSOR = "spm_lite.SentencePieceProcessor(model_file='M')"
NO_SAMPLES = f"leave it out; in Python, {PROCESSOR}.sample_encode_as_ids(text, -1, 0.1) draws a segmentation"
QUIET = "leave it out, or write --quiet for nothing but errors"
PRUNING = "leave it out; --prune chooses how pieces are dropped"

TOOLS = {  # of sentencepiece -> what to write; the first word may be a command
    "spm_train": "write train, or run spm_train itself",
    "spm_encode": "write encode, or run spm_encode itself",
    "spm_decode": "write decode, or run spm_decode itself",
    "spm_normalize": "write normalize, or run spm_normalize itself",
    "spm_export_vocab": "write vocab",
    "export_vocab": "write vocab",
    "export-vocab": "write vocab",
}
OTHER_COMMANDS = {  # words that people try -> what to write
    "tokenize": "write encode for ids, or show for pieces",
    "why": "write explain",
    "steps": "write explain",
    "diff": "write compare",
    "evaluate": "write audit",
    "stats": "write audit",
    "info": "write inspect",
    "export": "write convert",
    "to-hf": "write convert, as in spm-lite convert m.model folder",
}

ALL_COMMANDS = {
    "minloglevel": QUIET,
    "stderrthreshold": QUIET,
    "logtostderr": "leave it out; messages go to standard error",
    "version": "write it alone, spm-lite --version",
    "threads": "write --num-threads VALUE",
    "jobs": "write --num-threads VALUE",
}
FLAGS = {  # command -> name, with underscores and perhaps a value -> what to write; VALUE: what was typed
    "train": {
        "random_seed": "write --seed VALUE",
        "show_progress": "leave it out; a terminal shows the progress",
        "vocabulary_output_piece_score": "leave it out; M.vocab has the scores, and --no-vocab writes no M.vocab",
        "use_sparse_pruning": PRUNING,
        "post_l1_debias": PRUNING,
        "seed_piece_length_power": "leave it out; --seed-source chooses what to start from",
        "output": "write --model-prefix VALUE",
        "output_prefix": "write --model-prefix VALUE",
        "model": "write --model-prefix VALUE",
        "min_freq_alpha": "leave it out; --vocab-size alone decides which pieces are kept",
    },
    "encode": {
        "nbest_size": NO_SAMPLES,
        "alpha": NO_SAMPLES,
        "random_seed": NO_SAMPLES,
        "output_format=sample_id": f"in Python, {PROCESSOR}.sample_encode_as_ids(text, -1, 0.1)",
        "output_format=sample_piece": f"in Python, {PROCESSOR}.sample_encode_as_pieces(text, -1, 0.1)",
        "output_format=nbest_id": f"in Python, {PROCESSOR}.nbest_encode_as_ids(text, 10)",
        "output_format=nbest_piece": f"in Python, {PROCESSOR}.nbest_encode_as_pieces(text, 10)",
        "output_format=proto": f"in Python, {PROCESSOR}.encode_as_serialized_proto(text)",
    },
    "sweep": {
        "vocab_size": "write --sizes VALUE",
        "checkpoint": "leave it out; sweep keeps no state on disk",
        "input_format": "leave it out; the ending of a file's name decides its format",
        "newline": "leave it out; CR LF ends a line, and a BOM is left out",
        "model_prefix": "write --save VALUE",
    },
    "decode": {"output_format": "leave it out; text is written"},
    "vocab": {
        "model_prefix": "the model is named without an option: write VALUE",
        "output_format": "leave it out; --json gives JSON",
        "output_format=json": "write --json",
    },
}


def what_to_write(command: str, name: str, value: str) -> str:
    """`: write ...` for an option that `command` does not have under this name; an empty str for an unknown one.

    name: as typed, perhaps with a value that the option does not take. value: what was typed for it.

    >>> what_to_write("encode", "--extra_options", "bos:eos")
    ': write --bos --eos'
    """
    plain = name.lstrip("-").replace("-", "_")
    if plain == "input":
        text = input_files(command, value)
    elif plain == "extra_options" and command in ("encode", "decode"):
        text = extra_options(command, value)
    else:
        text = FLAGS.get(command, {}).get(plain) or ALL_COMMANDS.get(plain, "")
    if not text and command == "train":
        text = other_training_option(plain)
    return f": {text.replace('VALUE', quoted(value)) if value else text}" if text else ""


def quoted(value: str) -> str:
    """A value as it is typed in a shell."""
    import shlex  # here, since no other start of a command needs it

    return shlex.quote(value)


def input_files(command: str, value: str) -> str:
    """What to write for --input."""
    files = value.split(",") if command == "train" else [value]
    typed = " ".join(quoted(file) for file in files if file)
    return f"files are named without an option: write {typed or 'their names alone'}"


def extra_options(command: str, value: str) -> str:
    """What to write for --extra_options."""
    parts = [part for part in value.split(":") if part]
    if not parts:
        return "leave it out"
    if command == "encode" and set(parts) <= {"bos", "eos"}:
        return f"write {' '.join(f'--{part}' for part in dict.fromkeys(parts))}"
    return f"leave it out; in Python, {PROCESSOR}.set_{command}_extra_options({value!r}) does it"


def other_training_option(name: str) -> str:
    """What to write for an option of another library's training, as it is typed."""
    from spm_lite.cli.command_names import module_of
    from spm_lite.cli.options.error_flags import with_flags
    from spm_lite.training.options.other_names import FIRST_ARGUMENT, NATIVE_ONLY, OTHER_LIBRARIES

    found = OTHER_LIBRARIES.get(name) or NATIVE_ONLY.get(name, "")
    if found == FIRST_ARGUMENT:
        return input_files("train", "")
    return with_flags(found, module_of("train").make_parser().flags)
