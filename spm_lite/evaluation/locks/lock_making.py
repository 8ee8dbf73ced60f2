"""The public `lock`: a tokenizer to the digests of what it is and of what it makes of texts.

A lock also holds what our own conversions change: there the other ids, pieces and settings are expected.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from spm_lite._version import __version__
from spm_lite.errors import ModelError, OptionError
from spm_lite.evaluation.locks.lock_data import FORMAT, in_base_64, parts_as_json
from spm_lite.evaluation.locks.lock_digests import bytes_of, digest, joined_bytes, pack
from spm_lite.evaluation.locks.lock_file import Lock
from spm_lite.evaluation.locks.lock_rows import (
    HARD,
    IDS,
    SPECIAL,
    Digests,
    Row,
    key_of,
    own_side,
    rows_of,
)
from spm_lite.evaluation.locks.lock_texts import CORPUS, piece_blocks
from spm_lite.evaluation.locks.model_parts import Parts, differing_parts, names_of, parts_of
from spm_lite.formats.proof.conditions import Condition, Findings
from spm_lite.formats.proof.conversion import texts_of_caller

if TYPE_CHECKING:
    from typing import BinaryIO

    from spm_lite.tokenizer.tokenizer import Tokenizer

CONVERSIONS = ("tokenizer.json", "gguf")  # formats whose files are expected to differ where the conversion does
MOST_EXPECTED = 500  # rows of a conversion that may differ; with more, it is not an expected one


def lock(
    tokenizer: Tokenizer | str | PathLike[str] | bytes | BinaryIO,
    texts: str | PathLike[str] | Iterable[str | bytes] = (),
) -> Lock:
    """Lock the ids of a tokenizer: keep digests of what it makes of hard texts, so that any change is found later.

    The texts are a corpus that comes with spm_lite, each character of Unicode, strings of the pieces of the model, and
    yours. A lock also holds digests of the pieces, the merges or scores, the special tokens and the settings, which
    tell why ids differ. It holds none of your texts.

    Args:
        tokenizer: a Tokenizer, or what `Tokenizer.load` takes.
        texts: texts of your own, or the name of a file or folder of them; each line is a text.
    Returns:
        A Lock. `lock.save(path)` writes it, and `lock.check(other)` compares.
    Raises:
        ModelError: the file is no tokenizer.
        FileError: a file cannot be read.
        TextError: a text is not UTF-8.

    >>> import spm_lite
    >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    >>> lock = spm_lite.lock(tok, ["the cat"])
    >>> lock.check(tok).same
    True
    """
    from spm_lite.tokenizer.tokenizer import Tokenizer

    tok = tokenizer if isinstance(tokenizer, Tokenizer) else Tokenizer.load(tokenizer)
    given = list(texts_of_caller(texts, "texts"))
    parts = parts_of(tok)
    digests, hard = Digests(), list[Row]()
    strings = list(piece_blocks(tok, len(tok)))
    for row in rows_of(own_side(tok), tok, names_of(parts), strings, given):
        for mode in row.found:
            digests.add(key_of(row.suite, mode), row.item(mode))
        if row.suite == HARD:
            hard.append(row)
    plain, special = ([row.found[mode][0] for row in hard] for mode in (IDS, SPECIAL))
    data = {
        "spm_lite_lock": FORMAT,
        "made_by": {"spm_lite": __version__, "unicode": unicodedata.unidata_version},
        "model": {"size": len(tok), "model_digest": digest(tok.to_bytes()).hex()},
        "conditions": list(tok.info.conditions),
        "parts": parts_as_json(parts),
        "corpus": CORPUS,
        "texts": {"n": len(given), "digest": digest(joined_bytes(map(bytes_of, given))).hex()},
        "rows": {
            key: {"each": in_base_64(digests.shorts[key]), "all": digests.whole(key).hex()} for key in digests.shorts
        },
        "ids": pack(plain),
        "special_ids": pack([i, *ids] for i, ids in enumerate(special) if ids != plain[i]),
        "conversions": {
            name: found for name in CONVERSIONS if (found := expected(tok, name, parts, digests, given, strings))
        },
    }  # fmt: skip
    return Lock(data)


def expected(
    tok: Tokenizer, name: str, parts: Parts, digests: Digests, texts: list[str], strings: list[list[str]]
) -> dict[str, Any] | None:  # fmt: skip
    """What a file of a format that our conversion writes changes; None: the model cannot be written in this format.

    The result has the conditions of the conversion, the digests of rows that differ, and the parts that do.
    """
    from spm_lite.tokenizer.format_table import Settings, format_named

    make = format_named(name).make
    assert make is not None
    try:
        outgoing = make(tok, Findings(), Settings())
        other = outgoing.make_own()
        outgoing.compare_prompts(tok, other)
    except (OptionError, ModelError):
        return None
    conditions, theirs = outgoing.findings.conditions, parts_of(other, parts.pieces.n, parts.weights.n)
    if (theirs.pieces, theirs.kinds) != (parts.pieces, parts.kinds):
        strings = list(piece_blocks(other, len(tok)))
    rows: dict[str, dict[str, Any]] = {}
    n_rows = 0
    seen = Digests()
    for row in rows_of(own_side(other), other, names_of(parts), strings, texts):
        for mode in row.found:
            key = key_of(row.suite, mode)
            short = seen.add(key, row.item(mode))
            if short != digests.shorts[key][row.number * len(short) : (row.number + 1) * len(short)]:
                rows.setdefault(key, {})[str(row.number)] = [short.hex(), condition_of(row, mode, conditions)]
                n_rows += 1
    if n_rows > MOST_EXPECTED:
        return None
    return {
        "conditions": [condition.sentence for condition in conditions],
        "rows": rows,
        "parts": differing_parts(parts, theirs),
    }


def condition_of(row: Row, mode: str, conditions: list[Condition]) -> int:
    """The number of the condition that explains a row that differs; -1: none does."""
    for number, condition in enumerate(conditions):
        if condition.name == "prompts" and mode == SPECIAL:
            return number
        if any(not condition.is_met(text) for text in row.texts):
            return number
    return -1
