"""Calls of sentencepiece 0.2.1 that 0.2.3 dropped, as a part of SentencePieceProcessor."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_iterable
from spm_lite.errors import OptionError
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.call_arguments import (
    OptionRuntimeError,
    StateError,
    Text,
    as_float,
    as_int,
    as_runtime_errors,
    check_texts,
    checked_text,
    piece_bytes,
)
from spm_lite.sentencepiece.processing.additions import (
    NO_FLAGS,
    check_flags,
    parse_extra_options,
    with_normalizer,
    with_vocabulary,
)
from spm_lite.sentencepiece.processing.processor_encoding import TextEncoder
from spm_lite.sentencepiece.returns import LISTS, ReturnType, resolve, shown_nbest

if TYPE_CHECKING:
    from spm_lite.lattice.reference_paths import ReferencePaths
    from spm_lite.tokenizer.tokenizer import Tokenizer

MAX_SAMPLES = 2**31 - 2  # without replacement one more is drawn, to find the threshold
NORMALIZER_FLAGS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")


class OlderCalls(TextEncoder):
    """Calls that change the loaded model, and calls about the distribution over segmentations."""

    def SetEncodeExtraOptions(self, extra_option: str) -> bool:
        """Set the options applied to every encoding: bos, eos, reverse, unk, unk_piece, joined by ":"; "" for none."""
        self._encode_options = parse_extra_options(extra_option, self._loaded())
        return True

    def SetDecodeExtraOptions(self, extra_option: str) -> bool:
        """Set the options applied to every sequence before it is decoded; named as for SetEncodeExtraOptions."""
        self._decode_options = parse_extra_options(extra_option, self._loaded())
        return True

    def SetVocabulary(self, valid_vocab: Iterable[Text]) -> bool:
        """Use only these pieces and single characters. Unigram and BPE models only."""
        from spm_lite.tokenizer.restriction import has  # here, since it takes long to import

        wanted = "a list of pieces, such as ['\u2581the']"
        pieces = list(as_iterable(valid_vocab, "the vocabulary", wanted, in_order=False))
        check_texts(pieces)
        allowed = {piece_bytes(piece) for piece in pieces}
        vocab = self._subwords()._file.vocab
        if not any(has(vocab, piece) for piece in allowed):
            settings.log(
                settings.LEVELS[1],
                f"the vocabulary of {len(pieces)} names has no piece of the model: only single characters remain",
            )
        return self._restrict(allowed)

    def LoadVocabulary(self, filename: str | bytes | os.PathLike[Any], threshold: int) -> bool:
        """SetVocabulary with the pieces of a file of lines `piece TAB count` whose count is at least `threshold`.

        sentencepiece takes negative scores for counts, and a file without any piece of the model for a restriction to
        single characters. Here both are a RuntimeError.
        """
        from spm_lite.tokenizer.restriction import pieces_of_file

        least = as_int(threshold, "threshold")
        with as_runtime_errors():
            allowed = pieces_of_file(filename, least, self._subwords()._file.vocab)
        return self._restrict(allowed)

    def ResetVocabulary(self) -> bool:
        """Use all pieces again, including pieces that were UNUSED in the file."""
        self._set_model(with_vocabulary(self._loaded(), None))
        return True

    def OverrideNormalizerSpec(self, **kwargs: Any) -> bool:
        """Set add_dummy_prefix, remove_extra_whitespaces or escape_whitespaces of the loaded model."""
        from spm_lite.sentencepiece.trainer_flags import read_bool

        fields = []
        for name, value in kwargs.items():
            if name not in NORMALIZER_FLAGS:
                raise OptionRuntimeError(
                    f'NOT_FOUND: unknown field name "{name}" in NormalizerSpec. There are {", ".join(NORMALIZER_FLAGS)}'
                )
            fields.append((name, read_bool(str(value), name)))
        self._set_model(with_normalizer(self._loaded(), fields))
        return True

    def CalculateEntropy(
        self,
        input: Text | list[Any],
        alpha: float = 1.0,
        num_threads: int | None = None,
    ) -> Any:
        """The entropy of the distribution over segmentations at `alpha`, in nats; a list of texts gives a list."""
        rate = as_float(alpha, "alpha")
        paths, _ = self._scored("CalculateEntropy")
        with as_runtime_errors():
            if not isinstance(input, list):
                return paths.entropy(checked_text(input), rate)
            check_texts(input)
            return [paths.entropy(text, rate) for text in input]

    def SampleEncodeAndScore(
        self,
        input: Text | list[Any],
        out_type: ReturnType | None = None,
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        num_samples: int | None = None,
        alpha: float | None = None,
        wor: bool | None = None,
        include_best: bool | None = None,
        return_type: ReturnType | None = None,
    ) -> Any:
        """Drawn segmentations with their log-probabilities: a list of (result, score), or one n-best message.

        Args:
            input, add_bos, add_eos, reverse, emit_unk_piece, return_type, out_type: as in `Encode`.
            num_samples: how many of each text; None: 1.
            alpha: the smoothing, 0: all segmentations alike; None: 1.
            wor: True draws without replacement; scores are then log inclusion probabilities.
            include_best: True puts the best segmentation first; only together with `wor`.
        Returns:
            A list of pairs (result, score), or one n-best message; a list of these for a list of texts.
        Raises:
            RuntimeError: no model is loaded, the model is not Unigram, or an argument is out of range.
        """
        kind = resolve(return_type, out_type, self._return_type)
        if kind == "offset_mapping":
            raise OptionError(f"unknown return_type={kind}: samples have no offset mapping; 'proto' has offsets")
        flags = self._flags(add_bos, add_eos, reverse, emit_unk_piece)
        n = as_int(1 if num_samples is None else num_samples, "num_samples")
        rate = as_float(1.0 if alpha is None else alpha, "alpha")
        if not 0 < n <= MAX_SAMPLES:
            raise OptionRuntimeError(f"num_examples must be positive. num_samples is {n}: must be 1..{MAX_SAMPLES}")
        if include_best and not wor:
            raise OptionRuntimeError('When include_best is True, We must specify "wor = True".')
        paths, tok = self._scored("SampleEncodeAndScore")
        if flags != NO_FLAGS:
            check_flags(flags, tok, kind)

        def drawn(text: Text) -> Any:
            with as_runtime_errors():
                found = paths.sample_scored(text, n, rate, bool(wor), bool(include_best), settings.thread_random())
            results = [(self._edited(result, tok), score) for result, score in found]
            if kind not in LISTS:
                return shown_nbest(results, kind)
            return [(self._shown(result, kind, flags, tok), score) for result, score in results]

        if not isinstance(input, list):
            return drawn(checked_text(input))
        check_texts(input)
        return [drawn(text) for text in input]

    def _scored(self, call: str) -> tuple[ReferencePaths, Tokenizer]:
        """The lattice calls of a Unigram model, and the model. Raises StateError for other models."""
        tok = self._loaded()
        if tok.model_type != "unigram":
            raise StateError(f"{call} is not available for the current model, whose type is {tok.model_type}")
        return self._paths(tok), tok

    def _subwords(self) -> Tokenizer:
        """The model. Raises StateError for a type that has no subwords."""
        tok = self._loaded()
        if tok.model_type not in ("unigram", "bpe"):
            raise StateError(f"Vocabulary constraint is only enabled in subword units, not in a {tok.model_type} model")
        return tok

    def _restrict(self, pieces: set[bytes]) -> bool:
        self._set_model(with_vocabulary(self._subwords(), pieces))
        return True

    # The lower-case names of sentencepiece.
    set_encode_extra_options = SetEncodeExtraOptions
    set_decode_extra_options = SetDecodeExtraOptions
    set_vocabulary = SetVocabulary
    load_vocabulary = LoadVocabulary
    reset_vocabulary = ResetVocabulary
    override_normalizer_spec = OverrideNormalizerSpec
    calculate_entropy = CalculateEntropy
    sample_encode_and_score = SampleEncodeAndScore
