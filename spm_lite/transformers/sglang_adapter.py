"""SGLang: `SGLANG_PLUGINS=spm_lite` serves with our engine in the tokenizer, and looks up the texts of a step.

SGLang's own classes do their work: each tokenizer that it loads is accelerated, and of its detokenizer one method is
replaced, the one that decodes many short lists of ids. Facts from SGLang 0.5.23: `sglang/srt/plugins/` and
`sglang/srt/managers/detokenizer_manager.py`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError
from spm_lite.transformers.backend import Backend
from spm_lite.transformers.fixed_texts import fixed_texts
from spm_lite.transformers.patching import accelerated_or_logged

if TYPE_CHECKING:
    from collections.abc import Callable

    from spm_lite.transformers.fixed_texts import FixedTexts

NAME = "spm_lite"
TESTED = "0.5.23"  # of SGLang
LOADERS = (
    "sglang.srt.utils.hf_transformers.tokenizer.get_tokenizer",
    "sglang.srt.utils.hf_transformers.common.get_tokenizer_from_processor",
)
DECODES_ROWS = "sglang.srt.managers.detokenizer_manager.DetokenizerManager._grouped_batch_decode"
OWN_MODULES = "transformers.tokenization_utils"  # how the names of modules with transformers' own `decode` begin


def loaded(tokenizer: Any, *inputs: Any, **options: Any) -> Any:
    """What SGLang's loaders return from now on: the tokenizer with our engine inside. inputs, options: of the call."""
    name = getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__
    return accelerated_or_logged(tokenizer, str(name))


def decode_rows(
    original: Callable[..., list[str]], manager: Any, ids_list: list[list[int]], skip_list: list[bool],
    space_list: list[bool],
) -> list[str]:  # fmt: skip
    """What `_grouped_batch_decode` of SGLang's detokenizer returns: the text of each list of ids.

    Args:
        original: the method itself, for the lists whose text depends on more than their ids one by one.
        manager: its `self`.
        ids_list: the lists.
        skip_list: for each, whether special tokens are left out.
        space_list: for each, whether spaces come between special tokens; fast tokenizers of transformers ignore it.
    Returns:
        A str for each list.
    """
    both = tables(manager.tokenizer)
    if both is None:
        return original(manager, ids_list, skip_list, space_list)
    found = [both[skips].joined(ids) for ids, skips in zip(ids_list, skip_list, strict=True)]
    rest = [i for i, text in enumerate(found) if text is None]
    if rest:
        texts = original(manager, *([column[i] for i in rest] for column in (ids_list, skip_list, space_list)))
        for i, text in zip(rest, texts, strict=True):
            found[i] = text
    return found  # type: ignore[return-value]


def tables(tokenizer: Any) -> tuple[FixedTexts, FixedTexts] | None:
    """The fixed texts with special tokens, and without them; None: `decode` does more than the backend."""
    backend = getattr(tokenizer, "_tokenizer", None)
    if not isinstance(backend, Backend) or "decode" in vars(backend):
        return None
    if tokenizer.clean_up_tokenization_spaces or not decodes_plainly(type(tokenizer)):
        return None
    snapshot = backend._current()
    return fixed_texts(snapshot, False), fixed_texts(snapshot, True)


def decodes_plainly(kind: Any) -> bool:
    """Whether a class of tokenizers decodes as transformers' base classes do."""
    methods = [getattr(kind, name) for name in ("batch_decode", "decode", "_decode")]
    return all(method.__module__.startswith(OWN_MODULES) for method in methods)


def register() -> None:
    """Tell SGLang what to change in this process. It takes effect when SGLang applies the hooks of its plugins.

    Raises:
        OptionError: SGLang is missing, or has no hooks of this shape.
    """
    try:
        from sglang.srt.plugins.hook_registry import HookRegistry, HookType
    except ImportError as error:
        raise OptionError(
            f"SGLang cannot be told to use spm_lite ({error}): it is tested with sglang {TESTED}"
        ) from error
    import spm_lite.transformers.own_class  # noqa: F401  so that folders of SpmLiteTokenizer are found too

    for loader in LOADERS:
        HookRegistry.register(loader, loaded, HookType.AFTER)
    HookRegistry.register(DECODES_ROWS, decode_rows, HookType.AROUND)


def plugin() -> None:
    """The entry point `sglang.srt.plugins`: `register` if SGLANG_PLUGINS names spm_lite, else nothing."""
    if NAME in (part.strip() for part in os.environ.get("SGLANG_PLUGINS", "").split(",")):
        register()
