"""`accelerate`: a tokenizer of transformers whose texts our engine encodes; and what runs where in it."""

from __future__ import annotations

from copy import deepcopy
from types import ModuleType
from typing import Any

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.transformers.backend import Backend
from spm_lite.transformers.call_report import Report

CHECKS = ("always", "sample", None)
TESTED = "4.57.6 and 5.24.0"  # of transformers
OLDEST = (4, 57)
WRAPS_DECODE = "_wrap_decode_method_backend_tokenizer"  # of CLIP: it puts another `decode` in the backend's place


def transformers() -> ModuleType:
    """The package transformers. Raises OptionError if it is missing, or too old."""
    advice = f"spm_lite.transformers is tested with transformers {TESTED}: pip install 'spm_lite[transformers]'"
    try:
        import transformers as found
    except ImportError as error:
        raise OptionError(f"transformers cannot be imported ({error}). {advice}") from error
    version = tuple(int(part) for part in found.__version__.split(".")[:2] if part.isdigit())
    if version < OLDEST:
        raise OptionError(f"transformers {found.__version__} is too old. {advice}")
    return found  # type: ignore[no-any-return]


def is_fast(tokenizer: Any) -> bool:
    """Whether a tokenizer is one of transformers with a backend of tokenizers inside, or with ours."""
    if not isinstance(tokenizer, transformers().PreTrainedTokenizerFast):
        return False
    inner = getattr(tokenizer, "_tokenizer", None)
    return isinstance(inner, Backend) or type(inner).__module__.partition(".")[0] == "tokenizers"


def checked(check: Any) -> Any:
    """The value of the option `check`. Raises OptionError for another one."""
    if check not in CHECKS:
        raise OptionError(f"check={check!r:.40} is unknown. There are 'always', 'sample' and None")
    return check


def accelerate(tokenizer: Any, *, check: str | None = None) -> Any:
    """A tokenizer of the same class, with the same ids, whose texts our engine encodes.

    The result is a copy: its class, its settings and the files of `save_pretrained` are those of `tokenizer`. Whatever
    our engine does not give exactly, the original does; `accelerate.report(tokenizer)` says what runs where. Changes
    later on, such as `add_tokens`, count as in the original.

    Args:
        tokenizer: a `PreTrainedTokenizerFast` of transformers, which transformers 5 also calls `TokenizersBackend`.
        check: "always" compares the ids of each text with the original; "sample" those of the first 100 texts and of
            one in 256 after them; None compares nothing.
    Returns:
        The accelerated tokenizer; `tokenizer` itself if it is accelerated already.
    Raises:
        ArgumentTypeError: another object, such as a slow tokenizer; or one of which a part, or a
            method of the backend, is written in Python.
        AssertionError: later, from a call: `check` found other ids. The message has the text.
        OptionError: `check` is unknown, or transformers is missing or too old.
    """
    checked(check)
    if not is_fast(tokenizer):
        raise ArgumentTypeError(
            f"the tokenizer is {type(tokenizer).__module__}.{type(tokenizer).__name__}: accelerate takes a fast "
            "tokenizer of transformers, such as AutoTokenizer.from_pretrained(folder) gives"
        )
    if isinstance(tokenizer._tokenizer, Backend):
        return tokenizer
    return accelerated(tokenizer, check)


def accelerated(tokenizer: Any, check: str | None, owns: bool = False) -> Any:
    """The accelerated tokenizer. owns: nobody else has the tokenizer, so it may become part of the result."""
    original = tokenizer._tokenizer
    if isinstance(original, Backend):
        return tokenizer
    wrap = getattr(tokenizer, WRAPS_DECODE, None)
    others = sorted(vars(original)) if hasattr(original, "__dict__") else []
    if others and (wrap is None or others != ["decode"]):
        raise ArgumentTypeError(
            f"the backend of the tokenizer has methods of Python in place of its own: {', '.join(others)}. Accelerate "
            "it first, and set them afterwards"
        )
    found = tokenizer
    try:
        text = original.to_str()
    except Exception as error:  # of a component in Python, which has no JSON
        raise ArgumentTypeError(f"the tokenizer cannot be read: {error}") from error
    backend = Backend(text, check, original if owns and not others else None, original=original)
    if owns:
        tokenizer._tokenizer = backend
    else:
        found = object.__new__(type(tokenizer))
        found.__dict__.update(deepcopy(tokenizer.__dict__, {id(original): backend}))
    if others:
        getattr(found, WRAPS_DECODE)()
    return found


def report(tokenizer: Any) -> Report:
    """What runs in our engine and what in the original, and why, so far.

    Args:
        tokenizer: an accelerated one.
    Raises:
        ArgumentTypeError: another object.
    """
    backend = getattr(tokenizer, "_tokenizer", None)
    if not isinstance(backend, Backend):
        raise ArgumentTypeError(
            f"the tokenizer is {type(tokenizer).__name__}, which is not accelerated: pass what accelerate(...) returns"
        )
    return backend.report()


accelerate.report = report  # type: ignore[attr-defined]
