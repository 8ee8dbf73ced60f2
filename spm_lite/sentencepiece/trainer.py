"""SentencePieceTrainer: sentencepiece's options, corpus and files, on the training of spm_lite."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Literal, overload

from spm_lite.arguments import usable_cpus
from spm_lite.files.corpus import FILES, TEXTS, open_source
from spm_lite.files.paired_files import write_with_companion
from spm_lite.files.read_options import RAW
from spm_lite.kinds import MODEL_TYPE_NAMES
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.call_arguments import MissingFileRuntimeError, OptionRuntimeError, as_runtime_errors
from spm_lite.sentencepiece.logged_training import LoggedTraining, TrainingLog, spec_text
from spm_lite.sentencepiece.standalone_normalizer import parse
from spm_lite.sentencepiece.trainer_components import Components, take_components
from spm_lite.sentencepiece.trainer_flags import (
    TrainingRequest,
    complete_denormalizer,
    complete_normalizer,
    read_options,
    split_flags,
)
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.training.options.checks import LARGEST, Options, check_fields, check_range, check_specs
from spm_lite.vocab import messages
from spm_lite.vocab.model_file import read_model
from spm_lite.vocab.model_writer import join_model
from spm_lite.vocab.spec_messages import spec_from_message
from spm_lite.vocab.vocab_file import breaking_pieces, unescaped_lines

FORMATS = ("text", "tsv")  # of the input, as the original names them


class SentencePieceTrainer:
    """Trains models. `train` and `Train` are the same function.

    >>> import io
    >>> model = io.BytesIO()
    >>> SentencePieceTrainer.train(
    ...     sentence_iterator=iter(["ab ab abc"] * 9), model_writer=model, model_type="bpe", vocab_size=9
    ... )
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    @overload
    @staticmethod
    def train(arg: str, logstream: Any = None, **kwargs: Any) -> Literal[True]: ...
    @overload
    @staticmethod
    def train(arg: None = None, logstream: Any = None, **kwargs: Any) -> None: ...
    @staticmethod
    def train(arg: Any = None, logstream: Any = None, **kwargs: Any) -> Literal[True] | None:
        """Train a model and write `<model_prefix>.model` and `.vocab`, or pass the model to a writer.

        Args:
            arg: all options as one string of `--name=value`, separated by single spaces. Keyword arguments are then
                ignored.
            logstream: a file that gets the lines of the log.
            kwargs: the options by name. Some take an object: sentence_iterator (or sentence_reader) instead of `input`,
                model_writer instead of `model_prefix`, pretokenizer with allow_inconsistent_pretokenization, and
                normalizer instead of all rules.
        Returns:
            True if the options are one string, else None.
        Raises:
            OptionError: a value cannot be parsed.
            RuntimeError: the options contradict each other, a file cannot be used, or the text does not allow it.
        """
        log = TrainingLog(logstream)
        is_text = isinstance(arg, str)
        options: dict[str, Any] = dict(split_flags(arg)) if is_text else kwargs
        try:
            train_model(options, Components() if is_text else take_components(options), log)
        finally:
            log.close()
        return True if is_text else None

    Train = train


def train_model(options: dict[str, Any], components: Components, log: TrainingLog) -> None:
    """Run one training: parse and check the options, learn the pieces, write the model."""
    request = read_options(options)
    if request.min_log_level is not None:
        settings.set_min_log_level(request.min_log_level)
    for name in request.deprecated:
        log.warning(f"--{name} is deprecated and ignored.")
    for warning in request.odd:
        log.warning(warning)
    check_ways(request, components)
    if components.normalizer_spec is not None:
        request.normalizer = parse("NormalizerSpec", components.normalizer_spec, "the spec of the normalizer")
    complete_normalizer(request.normalizer)
    if request.denormalizer.normalization_rule_tsv:
        complete_denormalizer(request.denormalizer)
    with as_runtime_errors():
        run = LoggedTraining(
            checked_options(request),
            n_threads(request),
            reference_rules=True,
            pretokenizer=components.pretokenizer,
            n_lanes=request.trainer.num_threads,
            seed_file=request.trainer.seed_sentencepieces_file,
        )
        run.log = log
        log.info(f"Starts training with : \n{spec_text(request)}")
        sentences = components.sentences
        reading = RAW._replace(input_format="tsv") if request.trainer.input_format == "tsv" else RAW
        kind, given = (TEXTS, sentences) if sentences else (FILES, paths_of(request))
        source = open_source(given, reading, kind)
        run.check(is_small=True)
        pieces = run.learn(source, settings.random_seed() or 0)
        for note in run.counting.corpus.notes.texts:
            log.warning(note)
        data = model_bytes(pieces, request)
        if components.writer is None:
            save(data, request, log)
    if components.writer is not None:
        components.writer.write(data)


def check_ways(request: TrainingRequest, components: Components) -> None:
    """Raise an error unless there is one source and one target, a known input format, and the folder of the target."""
    trainer = request.trainer
    if bool(trainer.input) == (components.sentences is not None):
        raise OptionRuntimeError(
            "INTERNAL: SentenceIterator and trainer_spec.input() must be exclusive. Give input, the names of text "
            "files, or sentence_iterator, an iterator of texts"
        )
    if bool(trainer.model_prefix) == (components.writer is not None):
        raise OptionRuntimeError(
            "INTERNAL: ModelProto and trainer_spec.model_prefix() must be exclusive. Give model_prefix, how the files "
            "begin that are written, or model_writer, an object that can write"
        )
    if trainer.input_format not in ("", *FORMATS):
        raise OptionRuntimeError(
            f"INTERNAL: Supported formats are 'text' and 'tsv'. input_format is {trainer.input_format!r:.80}"
        )
    folder = Path(trainer.model_prefix).parent
    if trainer.model_prefix and not folder.is_dir():
        raise MissingFileRuntimeError(
            f'NOT_FOUND: "{trainer.model_prefix}.model": No such file or directory: make the folder {str(folder)!r}'
        )


def checked_options(request: TrainingRequest) -> Options:
    """Convert the specs to options of the engine. Raises OptionError."""
    model_type = MODEL_TYPE_NAMES[request.trainer.model_type]
    spec = spec_from_message(TrainerSpec, request.trainer, model_type=model_type, lossless=False)
    ids = {name: max(getattr(spec, name), -1) for name in ("unk_id", "bos_id", "eos_id", "pad_id")}
    spec = dataclasses.replace(
        spec,
        **ids,  # any negative id means none
        input_sentence_size=min(spec.input_sentence_size, LARGEST),
        seed_sentencepiece_size=max(spec.seed_sentencepiece_size, 0),
    )
    for name in ("control_symbols", "user_defined_symbols"):
        if "" in getattr(spec, name):
            raise OptionRuntimeError(f"INTERNAL: {name} holds an empty text: leave it out, with the comma before it")
    check_fields(spec)
    check_range("num_threads", request.trainer.num_threads)
    check_seed_file(request.trainer.seed_sentencepieces_file, spec)
    normalizer = spec_from_message(NormalizerSpec, request.normalizer)
    if not normalizer.escape_whitespaces:
        raise OptionRuntimeError("INTERNAL: escape_whitespaces=False: it must be true for every model type")
    denormalizer = spec_from_message(NormalizerSpec, request.denormalizer) if has_denormalizer(request) else None
    return check_specs(spec, normalizer, denormalizer, False)


def check_seed_file(path: str, spec: TrainerSpec) -> None:
    """Raise OptionRuntimeError for a seed file with a model type other than Unigram."""
    if path and spec.model_type != "unigram":
        raise OptionRuntimeError(
            f"INTERNAL: seed_sentencepieces_file is only supported for UNIGRAM model. It is {path!r:.200}, and "
            f"model_type is {spec.model_type!r}"
        )


def has_denormalizer(request: TrainingRequest) -> bool:
    """Whether denormalization rules were given."""
    return bool(request.denormalizer.normalization_rule_tsv)


def n_threads(request: TrainingRequest) -> int:
    """The number of threads: as given, but at most the usable CPUs."""
    return max(1, min(int(request.trainer.num_threads), usable_cpus()))


def paths_of(request: TrainingRequest) -> list[Path]:
    """The files to read; a name is never a pattern here. Raises MissingFileRuntimeError."""
    paths = [Path(name) for name in request.trainer.input]
    for path, name in zip(paths, request.trainer.input, strict=True):
        if not path.exists():
            raise MissingFileRuntimeError(f'NOT_FOUND: "{name:.200}": No such file or directory')
    return paths


def model_bytes(pieces: list[tuple[str, float, int]], request: TrainingRequest) -> bytes:
    """Serialize the model: the pieces, and specs that hold only the options that were given."""
    model = messages.message_class("ModelProto")()
    model.trainer_spec.CopyFrom(request.trainer)
    model.normalizer_spec.CopyFrom(request.normalizer)
    if has_denormalizer(request):
        model.denormalizer_spec.CopyFrom(request.denormalizer)
    spec = model.trainer_spec
    if not spec.hard_vocab_limit or spec.use_all_vocab or spec.model_type == spec.CHAR:
        spec.vocab_size = len(pieces)
    return join_model(pieces, model)


def save(data: bytes, request: TrainingRequest, log: TrainingLog) -> None:
    """Write the model and the vocabulary file, both or none. Raises FileError."""
    prefix = request.trainer.model_prefix
    log.info(f"Saving model: {prefix}.model")
    vocab = read_model(data, f"{prefix}.model").vocab
    lines = b"".join(unescaped_lines(vocab, request.trainer.vocabulary_output_piece_score))
    log.info(f"Saving vocabs: {prefix}.vocab")
    write_with_companion(f"{prefix}.model", data, f"{prefix}.vocab", lines)
    breaking = breaking_pieces(vocab)
    if breaking:
        log.warning(
            f"{prefix}.vocab: its lines do not match the pieces. sentencepiece's format writes line ends and TABs as "
            f"they are; pieces that hold one: {len(breaking)}. The first is piece {breaking[0]}, "
            f"{vocab.text(breaking[0]).decode('utf-8', 'replace')!r:.60}. Take the pieces from the model, or list them "
            f"with 'spm-lite vocab {prefix}.model'"
        )
