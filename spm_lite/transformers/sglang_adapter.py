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
        original: the method itself, for tokenizers of other kinds.
        manager: its `self`.
        ids_list: the lists.
        skip_list: for each, whether special tokens are left out.
        space_list: for each, whether spaces come between special tokens; fast tokenizers of transformers ignore it.
    Returns:
        A str for each list.
    """
    backend = plain_backend(manager.tokenizer)
    if backend is None:
        return original(manager, ids_list, skip_list, space_list)
    snapshot = backend._current()
    tables = fixed_texts(snapshot, False), fixed_texts(snapshot, True)
    found = []
    for ids, skips in zip(ids_list, skip_list, strict=True):
        text = tables[skips].joined(ids)
        found.append(backend.decode(ids, skips) if text is None else text)
    return found


def plain_backend(tokenizer: Any) -> Backend | None:
    """The backend of an accelerated tokenizer; None: there is none, or the tokenizer's `decode` does more than its."""
    backend = getattr(tokenizer, "_tokenizer", None)
    if not isinstance(backend, Backend) or "decode" in vars(backend):
        return None
    is_plain = not tokenizer.clean_up_tokenization_spaces and decodes_plainly(type(tokenizer))
    return backend if is_plain else None


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
