"""vLLM: `--tokenizer-mode spm_lite` serves a model with our engine in its tokenizer and in its detokenizer.

vLLM's own classes do their work, so that stop strings, log probabilities and chat templates are as with `hf`: the
tokenizer is accelerated, and `patch` gives vLLM's detokenizer a stream that takes it. Facts from vLLM 0.33.0:
`vllm/tokenizers/` and `vllm/v1/engine/detokenizer.py`.
"""

from __future__ import annotations

from typing import Any

from spm_lite.errors import OptionError
from spm_lite.transformers.patching import LOG, patch

MODE = "spm_lite"
TESTED = "0.33.0"  # of vLLM


class ServedTokenizer:
    """What vLLM loads a tokenizer by in the mode `spm_lite`: a class with `from_pretrained`."""

    @classmethod
    def from_pretrained(cls, path_or_repo_id: Any, *inputs: Any, **options: Any) -> Any:
        """The tokenizer of the mode `hf`, with our engine inside. `patch` holds in the process from here on.

        Args:
            path_or_repo_id: a folder, or a name on the Hub.
            inputs, options: as of vLLM's mode `hf`, such as `trust_remote_code`, `revision` and `download_dir`.
        Returns:
            An object of the class that the mode `hf` gives, which has all of vLLM's protocol `TokenizerLike`.
        """
        from vllm.tokenizers.hf import CachedHfTokenizer

        patch()
        options.setdefault("mistral_format", False)  # as vLLM does it in the mode `hf`
        return CachedHfTokenizer.from_pretrained(path_or_repo_id, *inputs, **options)


def register() -> None:
    """Tell vLLM the tokenizer mode `spm_lite`. Nothing else changes until a tokenizer is loaded in this mode.

    Raises:
        OptionError: vLLM is missing, or has no registry of this shape.
    """
    try:
        from vllm.renderers.registry import RENDERER_REGISTRY
        from vllm.tokenizers.registry import TokenizerRegistry
    except ImportError as error:
        raise OptionError(
            f"vLLM cannot be told the tokenizer mode {MODE!r} ({error}): it is tested with vllm {TESTED}"
        ) from error
    if MODE not in TokenizerRegistry.tokenizers:
        TokenizerRegistry.register(MODE, __name__, ServedTokenizer.__name__)
        RENDERER_REGISTRY.register(MODE, "vllm.renderers.hf", "HfRenderer")


def plugin() -> None:
    """The entry point `vllm.general_plugins`, called in each process of vLLM: `register`, which never stops vLLM."""
    try:
        register()
    except Exception as error:  # vLLM calls plugins unguarded, also those that its user does not ask for
        LOG.warning("%s", error)
