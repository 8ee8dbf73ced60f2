"""What to write instead of flags and tools of sentencepiece, and of options of other libraries.

Flags that differ only in their spelling are understood (`parsing.respelled`). Errors of the library are put in words of
the command line: an option is named as it is typed, if the command has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from spm_lite.kinds import type_meant

OTHER_NAMES = {  # parameters whose option has another name
    "texts": "--text",
    "weights": "--weight",
    "format": "--output-format",
    "vocab_size": "--sizes",
    "denormalization": "--denormalization-rule-tsv",
    "special_tokens": "--special-token",
    "program": "--with",
}
OTHER_SETTINGS = {("lossless", "'strict'"): "--strict-lossless"}
AS_IT_IS = re.compile(r", or read the file as it is with (input_format='text'|--input-format text)")
QUOTED = r"""(?<!\w)b?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""  # as `repr` shows a text
VALUE = rf"{QUOTED}|[^\s:;,)]*[^\s:;,).]"  # without the period that ends a sentence
SETTING = rf"(?<![-\w.])([a-z_]+)=({VALUE})"
COMPOUND = r"(?<![-\w/.])([a-z]+(?:_[a-z]+)+)(?![\w=(]|[/.]\w)"  # a name of several words
NAMED = re.compile(rf"{SETTING}|{COMPOUND}|{QUOTED}")
FIRST = re.compile(r"(\A)(?!(?:text|texts|model|format) )([a-z_]+)(?= (?:is|are|has|'))")
ADVISED = re.compile(r"(\b(?:[Pp]ass|[Ll]eave out) )([a-z_]+)(?![\w=(])")
BOTH = re.compile(r"(?<![\w.])[a-z_]+=\S*\s+\((--[^)]*)\)")  # a setting in Python, and as it is typed
RULES = re.compile(r"(contradicts |because of |and |, )((?:de)?normalization)(?= \(| and |[,.:]|$)")


def with_flags(message: str, flags: Collection[str], names: Mapping[str, str] | None = None) -> str:
    """Rewrite what the message of an error says to give as it is typed: `seed=5` becomes `--seed 5`.

    Quoted text stays. So do `--seed=5`, which messages of sentencepiece have, and most names of one word without a
    value. flags: the options of the command. names: parameter -> the one of its options that was typed.

    >>> with_flags("reference='en' is for parallel texts: pass parallel", ["--reference", "--parallel"])
    '--reference en is for parallel texts: pass --parallel'
    >>> with_flags("there is no column 'text'. Name it with column='NAME'", ["--column"])
    "there is no column 'text'. Name it with --column NAME"
    """
    if "--as-text" in flags:
        message = AS_IT_IS.sub(", or read the file as it is with --as-text", message)
    elif "--input-format" not in flags:
        message = AS_IT_IS.sub("", message)

    def typed(found: re.Match[str]) -> str:
        name, value, alone = found.groups()
        if name:
            return setting(name, value, flags) or found[0]
        return flag_of(alone, flags, names) or found[0] if alone else found[0]

    message = NAMED.sub(typed, message)
    for pattern in (FIRST, ADVISED, RULES):
        message = pattern.sub(lambda found: found[1] + (flag_of(found[2], flags, names) or found[2]), message)
    return message


def without_settings(text: str) -> str:
    """A text that names settings both ways, with the one that is typed.

    >>> without_settings("give some as texts= (--text en=en.txt)")
    'give some as --text en=en.txt'
    """
    return BOTH.sub(r"\1", text)


def as_typed(message: str, command: list[str]) -> str:
    """The message of an error, with the options of the command. Advice to train has the options of `train`."""
    from spm_lite.cli.command_names import COMMANDS, module_of

    flags = [flag for name in command if name in COMMANDS for flag in module_of(name).make_parser().flags]
    message = with_flags(message, flags)
    if (place := re.search(r"\b[Tt]rain (it )?with [a-z]", message)) is None:
        return message
    advice = with_flags(message[place.start() :], module_of("train").make_parser().flags)  # for another command
    return message[: place.start()] + advice


def flag_of(name: str, flags: Collection[str], names: Mapping[str, str] | None = None) -> str:
    """The option of a parameter of the library; an empty str if the command has none."""
    candidates = ((names or {}).get(name, ""), f"--{name.replace('_', '-')}", OTHER_NAMES.get(name, ""))
    return next((flag for flag in candidates if flag in flags), "")


def setting(name: str, value: str, flags: Collection[str]) -> str:
    """A parameter and its value as they are typed; an empty str if the command has no option for it."""
    if (name, value) in OTHER_SETTINGS:
        return OTHER_SETTINGS[name, value]
    flag = flag_of(f"no_{name}" if value == "False" else name, flags)
    if not flag or value in ("True", "False"):
        return flag
    word = re.fullmatch(r"'([\w.]+)'", value)  # needs no quotes in a shell
    return f"{flag} {word[1] if word else value}"


MEANINGS = {  # option -> names that people try for it; an option counts where the command has it
    "--model": "tokenizer model_file model_path tokenizer_file tokenizer_path model_name",
    "--output": "out output_file outfile out_file output_path save dest",
    "--model-prefix": "out output output_file output_dir output_prefix prefix name save save_path model_name",
    "--model-type": "type algorithm algo method kind trainer tokenizer_type",
    "--vocab-size": "size n_vocab num_pieces n_pieces vocabulary_size vocab vocabulary num_tokens s",
    "--sizes": "size vocab_sizes s vocabulary_sizes",
    "--num-threads": "threads jobs workers num_workers n_threads nthreads n_jobs cpus processes num_proc",
    "--column": "field key text_column text_field text_key column_name content_key jsonl_key",
    "--bos": "add_bos add_bos_token prepend_bos",
    "--eos": "add_eos add_eos_token append_eos",
    "--json": "as_json to_json",
    "--quiet": "silent no_progress",
    "--separator": "sep line_separator end_of_text",
    "--encoding": "charset input_encoding",
    "--delimiter": "csv_delimiter field_separator",
    "--color": "colour colors colours",
    "--limit": "max_length max_tokens",
    "--examples": "num_examples n_examples show",
    "--text": "texts held_out eval corpus data",
    "--normalization": "normalizer norm normalize",
    "--rules": "normalization normalization_rule form",
    "--min-count": "min_frequency min_freq",
    "--user-defined-symbols": "user_symbols keep_tokens",
    "--to": "format output_format target_format",
    "--from": "input_format source_format",
    "--overwrite": "force yes f",
    "--n-new": "num_pieces n_pieces vocab_size size new_pieces",
    "--runs": "repeat repeats iterations",
    "--with": "backend library",
}
SWITCHES = {"--bos", "--eos", "--json", "--quiet", "--overwrite"}
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
    "verbose": "leave it out; there is no more to tell",
    "v": "leave it out; there is no more to tell",
    "debug": "leave it out; SPM_LITE_TRACEBACK=1 before the command shows where an error comes from",
}
FILES = {"input", "i", "file", "files", "f", "input_file", "input_files", "infile", "data", "corpus", "dataset"}
NO_OUTPUT = {"o", "output", "out", "output_file", "save"}  # of a command that writes to standard output alone
SEVERAL_MODELS = ("audit", "compare", "play")
SKIPPED = {"skip_errors", "ignore_errors", "skip_bad_lines", "skip_invalid"}
IDS_OR_PIECES = {
    **dict.fromkeys(("pieces", "tokens", "as_pieces", "as_tokens"), "write --output-format piece"),
    **dict.fromkeys(("ids", "as_ids"), "leave it out; ids are written"),
}
FLAGS = {  # command -> name, with underscores and perhaps a value -> what to write; VALUE: what was typed
    "train": {
        "random_seed": "write --seed VALUE",
        "show_progress": "leave it out; a terminal shows the progress",
        "vocabulary_output_piece_score": "leave it out; M.vocab has the scores, and --no-vocab writes no M.vocab",
        "use_sparse_pruning": PRUNING,
        "post_l1_debias": PRUNING,
        "seed_piece_length_power": "leave it out; --seed-source chooses what to start from",
        "min_freq_alpha": "leave it out; --vocab-size alone decides which pieces are kept",
    },
    "encode": {
        **IDS_OR_PIECES,
        **{f"output_format={name}": text for name, text in IDS_OR_PIECES.items()},
        "output_format=json": "write --json",
        "output_format=text": "leave it out; text is what 'decode' writes",
        "add_special_tokens": "write --bos, --eos or both; neither is added unless it is given",
        "no_special_tokens": "leave it out; none is added without --bos or --eos",
        "out_type": "write --output-format piece for pieces; ids are written without it",
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
        "model_prefix": "write --save VALUE",
    },
    "count": {
        name: f"leave it out; 'count' adds no special token, and 'encode' has --{name}" for name in ("bos", "eos")
    },
    "decode": {
        "output_format": "leave it out; text is written",
        "pieces": "write --input-format piece",
        "tokens": "write --input-format piece",
        "input_format=pieces": "write --input-format piece",
        "input_format=tokens": "write --input-format piece",
        "skip_special_tokens": "leave it out; 'decode' writes no special token",
    },
    "vocab": {
        "model_prefix": "the model is named without an option: write VALUE",
        "output_format": "leave it out; --json gives JSON",
        "output_format=json": "write --json",
    },
}


def what_to_write(command: str, name: str, value: str, flags: Collection[str] = ()) -> str:
    """`: write ...` for an option that `command` does not have under this name; an empty str for an unknown one.

    name: as typed, perhaps with a value that the option does not take. value: what was typed for it. flags: the options
    of the command.

    >>> what_to_write("encode", "--extra_options", "bos:eos")
    ': write --bos --eos'
    >>> what_to_write("train", "--model", "bbpe", ["--model-type", "--model-prefix"])
    ': write --model-type byte_bpe for the kind of model; --model-prefix names the files to write'
    """
    plain = name.lstrip("-").replace("-", "_").lower()
    if plain == "input":
        text = input_files(command, value)
    elif plain == "extra_options" and command in ("encode", "decode"):
        text = extra_options(command, value)
    elif plain in ("m", "model") and "--model-type" in flags:
        text = model_of_training(value, flags)
    elif plain.startswith("model_type="):
        meant = type_meant(plain.partition("=")[2])
        text = f"write --model-type {meant}" if meant else ""
    else:
        text = FLAGS.get(command, {}).get(plain) or ALL_COMMANDS.get(plain, "")
    if not text and "--model-type" in flags:
        text = other_training_option(command, plain)
    text = text or by_meaning(command, plain, value, flags)
    return f": {text.replace('VALUE', quoted(value)) if value else text}" if text else ""


def by_meaning(command: str, plain: str, value: str, flags: Collection[str]) -> str:
    """What to write for an option that the command has under another name, or needs none for."""
    flag = next((flag for flag, names in MEANINGS.items() if flag in flags and plain in names.split()), "")
    if flag:
        return f"write {flag}{' VALUE' if value and flag not in SWITCHES else ''}"
    if plain in SKIPPED and "--on-error" in flags:
        return "write --on-error skip"
    if plain in ("m", "model", "tokenizer") and command in SEVERAL_MODELS:
        return "models are named without an option: write VALUE"
    if plain in ("text", "t", "texts") and command in ("show", "explain"):
        return "texts are named without an option: write VALUE"
    if plain in FILES:
        return input_files(command, value)
    if plain in NO_OUTPUT and "--save" in flags:
        return "write --save VALUE"
    if plain in NO_OUTPUT and flags and "--output" not in flags:
        return "leave it out and send standard output to the file: > VALUE"
    return ""


def model_of_training(value: str, flags: Collection[str]) -> str:
    """What to write for --model where a model is made: its kind, or its name, the likelier one first."""
    name = value.removesuffix(".model") or "VALUE"
    prefix = "--model-prefix" if "--model-prefix" in flags else "--save"
    if meant := type_meant(value):
        return f"write --model-type {meant} for the kind of model; {prefix} names the files to write"
    return f"write {prefix} {name} to name the files to write; --model-type is the kind of model, such as bpe"


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


def other_training_option(command: str, name: str) -> str:
    """What to write for an option of another library's training, as it is typed."""
    from spm_lite.cli.command_names import module_of
    from spm_lite.training.options.other_names import FIRST_ARGUMENT, NATIVE_ONLY, OTHER_LIBRARIES

    found = OTHER_LIBRARIES.get(name) or NATIVE_ONLY.get(name, "")
    if found == FIRST_ARGUMENT:
        return input_files("train", "")
    return with_flags(found, module_of(command).make_parser().flags)
