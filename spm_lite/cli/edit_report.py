"""The price of a change of a vocabulary, for people and programs: tokens, texts whose ids change, dead pieces, size."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from spm_lite.cli.tables import table, text_width, width_of_output, wrapped
from spm_lite.files.documents import CorpusFigures, read_documents, texts_of
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.vocab.vocab_map import GONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spm_lite.files.documents import Source
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.vocab_map import VocabMap

GAP = 3  # columns between two of a table
REASONS = ("id", "piece", "reason")
HEADERS = ("text", "texts", "changed", "tokens before", "after", "unknown before", "after")
WITHOUT_UNKNOWN = 5  # of these columns


def report_of(before: Tokenizer, after: Tokenizer, change: VocabMap, texts: Mapping[str, Source]) -> dict[str, Any]:
    """The figures of a change. texts: the files of each text by its name."""
    dead = LonePieces(after).dead()
    killed = {change.new_ids[i] for i in LonePieces(before).dead()}
    reasons = [one.why for one in change.grown.values()]
    return {
        "pieces_before": change.n_old,
        "pieces_after": change.n_new,
        "gone": change.new_ids.count(GONE),
        "unused": after.vocab_size - change.n_new,  # after all others: they fall into their parts
        "new": {why: reasons.count(why) for why in dict.fromkeys(reasons)},
        "dead_new": len(dead & change.grown.keys()),
        "dead_old": len(dead - killed - change.grown.keys()),
        "bytes_before": len(before.to_bytes()),
        "bytes_after": len(after.to_bytes()),
        "texts": {name: text_figures(before, after, change, source) for name, source in texts.items()},
    }


def text_figures(before: Tokenizer, after: Tokenizer, change: VocabMap, source: Source) -> dict[str, int]:
    """Figures of a text before and after a change: its parts, those with other ids than the map says, its tokens.

    A run of unknown characters is one unknown token, so a text of which the model knows little has few tokens.
    """
    import numpy as np

    new_ids = np.array([*change.new_ids, GONE])  # the last one is that of unknown text without an id
    names = ("texts", "changed", "tokens_before", "tokens_after", "unknown_before", "unknown_after")
    sums = dict.fromkeys(names, 0)
    with closing(read_documents(source, CorpusFigures())) as parts:
        for part in parts:
            texts: Any = texts_of(part.documents)
            old, new = before.encode_batch(texts), after.encode_batch(texts)
            sums["texts"] += len(old)
            sums["changed"] += sum(new_ids[a].tolist() != b.tolist() for a, b in zip(old, new, strict=True))
            for name, tok, batch in (("before", before, old), ("after", after, new)):
                sums[f"tokens_{name}"] += len(batch.ids)
                sums[f"unknown_{name}"] += int((batch.ids == tok.unk_id).sum())
    return sums


def shown(found: Mapping[str, Any], on_terminal: bool) -> str:
    """The figures as lines and a table."""
    changes = [f"gone: {found['gone']:,}"] if found["gone"] else []
    changes += [f"{found['unused']:,} unused pieces after the others"] if found["unused"] else []
    if found["new"]:
        changes.append("new: " + ", ".join(f"{n:,} {why}{'s' * (n != 1)}" for why, n in found["new"].items()))
    what = f" ({'; '.join(changes)})" if changes else ""
    lines = [
        f"pieces  {found['pieces_before']:,} -> {found['pieces_after']:,}{what}",
        f"dead    {found['dead_new']:,} of the new pieces, {found['dead_old']:,} more of the old ones",
        f"size    {found['bytes_before']:,} -> {found['bytes_after']:,} bytes",
    ]
    rows = [[name, *(f"{number:,}" for number in one.values())] for name, one in found["texts"].items()]
    has_unknown = any(one["unknown_before"] or one["unknown_after"] for one in found["texts"].values())
    n_shown = len(HEADERS) if has_unknown else WITHOUT_UNKNOWN
    curve = [
        f"{n:,} new pieces: {tokens:,} tokens of the held-out text" for n, tokens in found.get("curve", {}).items()
    ]
    width = width_of_output(on_terminal)
    text = "".join(wrapped(line, width, " " * 8) + "\n" for line in lines)
    if rows:
        text += "\n" + figures_of_texts([row[:n_shown] for row in rows], width)
    if "reasons" in found:
        reasons = [[new_id, piece, why] for new_id, (piece, why) in found["reasons"].items()]
        text += "\n" + table(REASONS, reasons, width, 3)
    curve = [wrapped(line, width, "  ") for line in curve]
    return text + "".join(f"{line}\n" for line in ["", *curve] if curve)


def figures_of_texts(rows: list[list[str]], width: int) -> str:
    """The figures of each text, as a table if it fits; a sentence each otherwise."""
    headers = HEADERS[: len(rows[0])]
    columns = [max(map(text_width, cells)) for cells in zip(headers, *rows, strict=True)]
    if sum(columns) + GAP * (len(columns) - 1) <= width:
        return table(headers, rows, width)
    sentences = []
    for name, n, changed, before, after, *unknown in rows:
        sentence = f"{name}: {n} texts, {changed} changed; {before} tokens before, {after} after"
        if unknown:
            sentence += f"; {unknown[0]} unknown before, {unknown[1]} after"
        sentences.append(wrapped(sentence, width, "  ") + "\n")
    return "".join(sentences)


def why_there(made: Any) -> dict[str, tuple[str, str]]:
    """New id -> (piece, why it is there). An extension tells that of its new pieces."""
    reasons = getattr(made, "reasons", None) or {i: one.why for i, one in made.map.grown.items()}
    return {str(i): (made.tokenizer.id_to_piece(i), why) for i, why in reasons.items()}
