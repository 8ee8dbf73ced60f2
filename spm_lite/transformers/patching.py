"""`patch`: each `AutoTokenizer.from_pretrained` of a process gives a tokenizer with our engine inside.

`tokenizers.decoders.DecodeStream` then takes these tokenizers too, so that servers can decode with them.
"""

from __future__ import annotations

import functools
import logging
import threading
from typing import Any

from spm_lite.errors import ArgumentTypeError
from spm_lite.transformers.door import accelerated, checked, is_fast, transformers
from spm_lite.transformers.snapshot import SHARED

LOG = logging.getLogger("spm_lite.transformers")
NAME = "from_pretrained"
LOCK = threading.RLock()


class State:
    """What is in place of `AutoTokenizer.from_pretrained`.

    Attributes:
        original: the classmethod of transformers; None: nothing is patched.
        stream: the class `DecodeStream` of tokenizers.
        check: as of `accelerate`.
        named: the tokenizers about which the log has a line.
    """

    def __init__(self) -> None:
        self.original: Any = None
        self.stream: Any = None
        self.check: str | None = None
        self.named: set[str] = set()

    def renew_in_child(self) -> None:
        """Free the lock in a forked child, which has not the thread that may hold it."""
        LOCK._at_fork_reinit()  # type: ignore[attr-defined]


STATE = State()
SHARED.add(STATE)


def patch(*, check: str | None = None) -> None:
    """Accelerate each tokenizer that `AutoTokenizer.from_pretrained` of this process gives from now on.

    `tokenizers.decoders.DecodeStream` is replaced by a class that takes these tokenizers too.
    Where the original tokenizer has another library's class, or is not fast, the original is given. The log
    "spm_lite.transformers" names each tokenizer that is not accelerated, once. A second call changes `check` alone.

    Args:
        check: as of `accelerate`.

    >>> from spm_lite.transformers import patch, unpatch
    >>> patch()
    >>> unpatch()
    """
    kind = transformers().AutoTokenizer
    from tokenizers import decoders

    import spm_lite.transformers.own_class  # noqa: F401  so that folders of SpmLiteTokenizer are found too
    from spm_lite.transformers.decode_steps import DecodeSteps

    with LOCK:
        STATE.check = checked(check)
        if STATE.original is None:
            STATE.original = kind.__dict__[NAME]
            STATE.stream = decoders.DecodeStream
            setattr(kind, NAME, classmethod(wrapped(STATE.original.__func__)))
            decoders.DecodeStream = DecodeSteps  # type: ignore[assignment,misc]


def unpatch() -> None:
    """Undo `patch`. Tokenizers that were given stay as they are; a second call does nothing."""
    kind = transformers().AutoTokenizer
    from tokenizers import decoders

    with LOCK:
        if STATE.original is not None:
            setattr(kind, NAME, STATE.original)
            decoders.DecodeStream = STATE.stream  # type: ignore[misc]
            STATE.original = STATE.stream = None


def wrapped(function: Any) -> Any:
    """`from_pretrained` with our engine behind it."""

    @functools.wraps(function)
    def from_pretrained(cls: Any, *inputs: Any, **options: Any) -> Any:
        found = function(cls, *inputs, **options)
        if STATE.original is None:  # somebody kept the patched function
            return found
        name = str(inputs[0] if inputs else options.get("pretrained_model_name_or_path", ""))
        return accelerated_or_logged(found, name)

    return from_pretrained


def accelerated_or_logged(tokenizer: Any, name: str) -> Any:
    """A tokenizer that nobody else has, with our engine inside; or as it is, and the log says why."""
    if not is_fast(tokenizer):
        log_once(name, f"its class is {type(tokenizer).__name__}, which is not a fast tokenizer")
        return tokenizer
    try:
        made = accelerated(tokenizer, STATE.check, owns=True)
    except ArgumentTypeError as error:
        log_once(name, str(error))
        return tokenizer
    refusal = made._tokenizer.refusal
    if refusal:
        log_once(name, refusal)
    return made


def log_once(name: str, reason: str) -> None:
    """Say once why a tokenizer runs in the original."""
    with LOCK:
        is_new = name not in STATE.named
        STATE.named.add(name)
    if is_new:
        LOG.warning("%s is not accelerated: %s", name, reason)
