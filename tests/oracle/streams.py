"""What a stream must return: decoded whole, and cut before the first stop string, as plainly as possible."""

from __future__ import annotations

from typing import AnyStr


def first_stop(text: AnyStr, stops: list[AnyStr]) -> tuple[int, AnyStr] | None:
    """(begin, string) of the stop string that begins first, of several the longest; None: the text holds none."""
    found = [(text.find(stop), -len(stop), stop) for stop in stops if stop in text]
    return (min(found)[0], min(found)[2]) if found else None


def cut(text: AnyStr, stops: list[AnyStr]) -> AnyStr:
    """The text before the first stop string: the reference definition."""
    found = first_stop(text, stops)
    return text if found is None else text[: found[0]]


def certain(text: AnyStr, stops: list[AnyStr]) -> tuple[AnyStr, AnyStr | None]:
    """(what may be given of a text that goes on, the stop string that ends it or None)."""
    begins = [i for i in range(len(text)) if any(stop.startswith(text[i:]) for stop in stops)]
    held = min(begins, default=len(text))
    found = first_stop(text, stops)
    if found is not None and found[0] <= held:
        return text[: found[0]], found[1]
    return text[:held], None


def given(parts: list[AnyStr], stops: list[AnyStr]) -> tuple[list[AnyStr], AnyStr | None]:
    """(what is given after each part of a text, the stop string that ends it or None)."""
    empty = parts[0][:0] if parts else None
    text, done, stopped, texts = empty, empty, None, []
    for part in parts:
        before = done
        if stopped is None:
            text += part
            done, stopped = certain(text, stops)
        texts.append(done[len(before) :])
    return texts, stopped
