"""spm_train: text files to `<model_prefix>.model` and `<model_prefix>.vocab`, by the drop-in's trainer."""

from __future__ import annotations

import sys
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.files.open_files import read_bytes
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.call_arguments import as_runtime_errors
from spm_lite.sentencepiece.logged_training import TrainingLog
from spm_lite.sentencepiece.programs.flags import UINT32, UINT64, Arguments, Flag
from spm_lite.sentencepiece.programs.program import Program, required, run_program
from spm_lite.sentencepiece.trainer import train_model
from spm_lite.sentencepiece.trainer_components import Components
from spm_lite.sentencepiece.trainer_flags import DEPRECATED, split_record

RECORDED = (  # options of the training; the model records each of them
    Flag("input", "", "comma-separated names of text files; required"),
    Flag("input_format", "", "text, or tsv: each line is a text, TAB and how often it counts"),
    Flag("model_prefix", "", "the files written are this with .model and .vocab; required"),
    Flag("model_type", "unigram", "unigram, bpe, word or char"),
    Flag("vocab_size", 8000, "number of pieces"),
    Flag("character_coverage", 0.9995, "share of the text's characters that become pieces"),
    Flag("input_sentence_size", 0, "use at most so many lines; 0: all", UINT64),
    Flag("shuffle_input_sentence", True, "choose these lines at random, not from the beginning"),
    Flag("seed_sentencepiece_size", 1_000_000, "unigram: number of pieces to start from"),
    Flag("seed_sentencepieces_file", "", "unigram: the pieces to start from, lines of piece TAB count"),
    Flag("shrinking_factor", 0.75, "unigram: share of the pieces kept in each round"),
    Flag("num_threads", 16, "number of threads; unigram sums depend on it"),
    Flag("num_sub_iterations", 2, "unigram: EM iterations in each round"),
    Flag("max_sentencepiece_length", 16, "characters of the longest piece"),
    Flag("max_sentence_length", 4192, "leave out longer lines, in bytes"),
    Flag("split_by_unicode_script", True, "no piece has characters of two scripts"),
    Flag("split_by_number", True, "no piece has digits and other characters"),
    Flag("split_by_whitespace", True, "no piece goes beyond a space"),
    Flag("split_digits", False, "each digit is a piece"),
    Flag("pretokenization_delimiter", "", "no piece goes beyond this text, which is removed"),
    Flag("treat_whitespace_as_suffix", False, "a space belongs to the word before it"),
    Flag("allow_whitespace_only_pieces", False, "several spaces may be a piece"),
    Flag("control_symbols", "", "comma-separated pieces that no text gives"),
    Flag("user_defined_symbols", "", "comma-separated pieces kept whole wherever the text has them"),
    Flag("required_chars", "", "characters that become pieces in any case"),
    Flag("byte_fallback", False, "write characters without a piece as bytes"),
    Flag("auto_character_coverage", False, "bpe: choose the characters by the bytes they save"),
    Flag("vocabulary_output_piece_score", True, "write the scores to the .vocab file"),
    Flag("hard_vocab_limit", True, "fail if the text does not give vocab_size pieces"),
    Flag("use_all_vocab", False, "word, char: keep all pieces"),
    Flag("normalization_rule_name", "nmt_nfkc", "nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity and others"),
    Flag("normalization_rule_tsv", "", "a table of normalization rules"),
    Flag("denormalization_rule_tsv", "", "a table of rules for decoded text"),
    Flag("add_dummy_prefix", True, "put a space before each text"),
    Flag("remove_extra_whitespaces", True, "remove spaces at both ends and all but one between words"),
    Flag("unk_id", 0, "id of the piece for unknown text"),
    Flag("bos_id", 1, "id of the piece for the beginning of a text; -1: none"),
    Flag("eos_id", 2, "id of the piece for the end of a text; -1: none"),
    Flag("pad_id", -1, "id of the piece for padding; -1: none"),
    Flag("unk_piece", "<unk>", "name of the piece for unknown text"),
    Flag("bos_piece", "<s>", "name of the piece for the beginning of a text"),
    Flag("eos_piece", "</s>", "name of the piece for the end of a text"),
    Flag("pad_piece", "<pad>", "name of the piece for padding"),
    Flag("unk_surface", " \u2047 ", "what the piece for unknown text is decoded to"),
)
OTHERS = (
    Flag("control_symbols_file", "", "a file of further control_symbols, one per line"),
    Flag("user_defined_symbols_file", "", "a file of further user_defined_symbols, one per line"),
    Flag("required_chars_file", "", "a file that replaces required_chars; its lines are joined"),
    Flag("random_seed", UINT32[1], "seed for the choice of lines", UINT32),
)
EXPERIMENTS = (  # of sentencepiece 0.2.3
    Flag("use_sparse_pruning", False, "not supported"),
    Flag("post_l1_debias", True, "of use_sparse_pruning: not supported"),
    Flag("seed_piece_length_power", 1.0, "not supported"),
    Flag("min_freq_alpha", 0.0, "not supported"),
)
SWITCHES = ("train_extremely_large_corpus", "enable_differential_privacy")
RETIRED = tuple(Flag(name, False if name in SWITCHES else "", "ignored") for name in DEPRECATED)


def work(arguments: Arguments) -> None:
    """Train a model and write its two files."""
    values = arguments.values
    required(arguments, "input", "model_prefix")
    for flag in EXPERIMENTS:
        if values[flag.name] != flag.default:
            raise OptionError(
                f"--{flag.name}={values[flag.name]}: this experiment of sentencepiece 0.2.3 is not supported: leave it "
                "out; spm-lite train has other ways of pruning, --prune"
            )
    settings.set_random_generator_seed(values["random_seed"])
    log = TrainingLog()
    for name in arguments.files:
        log.warning(f"{name} is not read: files are named by --input")
    train_model(training_options(values), Components(), log)


def training_options(values: dict[str, Any]) -> dict[str, Any]:
    """The options of the drop-in's trainer from the values of all flags."""
    options = {flag.name: values[flag.name] for flag in RECORDED}
    for name in ("control_symbols", "user_defined_symbols"):
        symbols = list(split_record(options[name]))
        options[name] = symbols + lines_of(values[f"{name}_file"])
    if values["required_chars_file"]:
        options["required_chars"] = "".join(lines_of(values["required_chars_file"]))
    if not options["denormalization_rule_tsv"]:
        del options["denormalization_rule_tsv"]
    options |= {flag.name: values[flag.name] for flag in RETIRED if values[flag.name] != flag.default}
    options["minloglevel"] = max(values["minloglevel"], 2 if values["quiet"] else 0)
    return options


def lines_of(path: str) -> list[str]:
    """The lines of a file as they are, CR included; none without a file. Raises FileError, or OptionError."""
    if not path:
        return []
    with as_runtime_errors():
        data = read_bytes(path)
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise OptionError(f"{path}: byte {error.start} is not UTF-8") from None
    return lines if lines[-1] else lines[:-1]


PROGRAM = Program("spm_train", "Train a model on text files.", (*RECORDED, *OTHERS, *EXPERIMENTS, *RETIRED), work)


def main(argv: list[str] | None = None) -> int:
    """Run spm_train; return its exit code."""
    return run_program(PROGRAM, argv)


if __name__ == "__main__":
    sys.exit(main())
