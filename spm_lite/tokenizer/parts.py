"""A loaded model: the parts that it is made of, and how they are made out of a model file."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_flag
from spm_lite.decode.decoder import Decoder
from spm_lite.encode.encoder import Encoder
from spm_lite.errors import OptionError
from spm_lite.kinds import USER_DEFINED
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.segment.segmenter import make_segmenter
from spm_lite.tokenizer.calls import SingleCalls

if TYPE_CHECKING:
    from typing import Any

    from spm_lite.lattice.distribution import Distribution
    from spm_lite.model.model_file import ModelFile
    from spm_lite.tokenizer.variants import Variants


class ModelParts(SingleCalls):
    """What the methods of a Tokenizer work with."""

    __slots__ = ("__weakref__", "_decoder", "_file", "_report", "_segmentations", "_variants")

    _file: ModelFile
    _decoder: Decoder
    _report: Any
    _segmentations: Distribution
    _variants: Variants

    @property
    def _distribution(self) -> Distribution:
        """Made when first asked for: a BPE model has to rank its pieces."""
        try:
            return self._segmentations
        except AttributeError:
            from spm_lite.lattice.distribution import Distribution

            object.__setattr__(self, "_segmentations", Distribution(self._encoder))
            return self._segmentations

    def _bos_eos(self, bos: bool, eos: bool) -> tuple[int, int]:
        """The ids to add, -1 for none."""
        if bos is False and eos is False:
            return -1, -1
        ids = self._file.special_ids
        bos, eos = as_flag(bos, "bos"), as_flag(eos, "eos")
        if bos and ids[1] < 0:
            raise OptionError("bos=True, but the model has no control piece that begins a text")
        if eos and ids[2] < 0:
            raise OptionError("eos=True, but the model has no control piece that ends a text")
        return (ids[1] if bos else -1), (ids[2] if eos else -1)


def make_encoder(file: ModelFile, cache_bytes: int) -> Encoder:
    """Normalizer and segmenter of a model. Raises ModelError if its rules are damaged."""
    vocab, spec = file.vocab, file.settings.normalizer
    charsmap = Charsmap(spec.precompiled_charsmap)
    compact = spec.escape_whitespaces and vocab.is_well_formed and charsmap.is_well_formed
    normalizer = Normalizer(
        charsmap,
        add_dummy_prefix=spec.add_dummy_prefix,
        remove_extra_whitespaces=spec.remove_extra_whitespaces,
        escape_whitespaces=spec.escape_whitespaces,
        whitespace_as_suffix=file.settings.treat_whitespace_as_suffix,
        compact=compact,
        lossless=file.lossless,
        protected=vocab.texts_of_type(USER_DEFINED),
    )
    return Encoder(normalizer, make_segmenter(vocab, file.model_type, compact), cache_bytes)


def make_decoder(file: ModelFile) -> Decoder:
    """The decoder of a model, with its denormalizer."""
    spec = file.settings.denormalizer
    denormalizer = None
    if spec is not None and spec.precompiled_charsmap:
        denormalizer = Normalizer(
            Charsmap(spec.precompiled_charsmap),
            add_dummy_prefix=spec.add_dummy_prefix,
            remove_extra_whitespaces=spec.remove_extra_whitespaces,
            escape_whitespaces=spec.escape_whitespaces,
            lossless=file.strict,
        )
    return Decoder(
        file.vocab,
        file.settings.normalizer.add_dummy_prefix,
        file.settings.normalizer.remove_extra_whitespaces,
        file.settings.unk_surface,
        denormalizer,
    )
