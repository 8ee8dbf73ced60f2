"""Model output -> pieces with ids, places and surfaces; as plainly as possible."""

from __future__ import annotations

from oracle.segmentation import Pieces, Tokens, unknown_id

Span = tuple[bytes, int, int, int, "bytes | None"]


def postprocess(
    pieces: Pieces, byte_fallback: bool, tokens: Tokens, raw: bytes, align: list[int] | None = None
) -> list[Span]:
    """(piece, id, begin, end, surface) of each piece. align None: the normalized text is the raw one."""
    unk = unknown_id(pieces)
    ids = {text: i for i, (text, _, _) in enumerate(pieces)}
    spans: list[Span] = []
    was_unknown = False
    c = 0
    for text, i in tokens:
        begin = c if align is None else align[c]
        c += len(text)
        end = c if align is None else align[c]
        unknown = i == unk
        if unknown and byte_fallback:
            names = [b"<0x%02X>" % byte for byte in text]
            spans += [(name, ids[name], begin, begin, None) for name in names[:-1]]
            spans.append((names[-1], ids[names[-1]], begin, end, raw[begin:end]))
        elif unknown and was_unknown:
            piece, _, first, _, surface = spans.pop()
            spans.append((piece + text, i, first, end, surface + raw[begin:end]))
        else:
            spans.append((text, i, begin, end, raw[begin:end]))
        was_unknown = unknown
    return spans
