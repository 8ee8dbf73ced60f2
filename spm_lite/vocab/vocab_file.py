"""The `.vocab` file: line i is piece i, TAB, its score, and there is no header.

What no line can hold is written with the escapes of `text_lines`; sentencepiece writes it as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError
from spm_lite.files.open_files import AnyPath, read_bytes
from spm_lite.files.plain_text import kind_of
from spm_lite.files.text_lines import escape_word, split_lines, unescape

if TYPE_CHECKING:
    from spm_lite.vocab.vocab import Vocab

SCORE = re.compile(rb"-?(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|inf)")
BREAKS = re.compile("[\t-\r\x1c-\x1e\x85\u2028\u2029]")  # TAB, and where `str.splitlines` ends a line


def vocab_lines(vocab: Vocab) -> Iterator[bytes]:
    """Yield the lines of a `.vocab` file, LF included: piece, TAB, score with six digits (`-1.27081`, `-0`)."""
    for piece_id in range(len(vocab)):
        yield b"%s\t%s\n" % (escape_word(vocab.text(piece_id)), short_score(vocab, piece_id))


def unescaped_lines(vocab: Vocab, with_scores: bool = True) -> Iterator[bytes]:
    """Yield the lines as sentencepiece writes them: a piece with a line end takes two of them."""
    for piece_id in range(len(vocab)):
        score = b"\t" + short_score(vocab, piece_id) if with_scores else b""
        yield vocab.text(piece_id) + score + b"\n"


def short_score(vocab: Vocab, piece_id: int) -> bytes:
    """Return the score of a piece with six digits."""
    return format(vocab.score(piece_id), "g").encode()


def breaking_pieces(vocab: Vocab) -> list[int]:
    """Return the ids of the pieces that hold a line end or a TAB, at which readers of `unescaped_lines` go wrong."""
    texts = (vocab.text(piece_id).decode("utf-8", "surrogateescape") for piece_id in range(len(vocab)))
    return [piece_id for piece_id, text in enumerate(texts) if BREAKS.search(text)]


def read_vocab(path: AnyPath) -> list[tuple[str, float]]:
    r"""Return the pieces and scores of a `.vocab` file, in the order of their ids.

    A piece is a str as `Tokenizer.id_to_piece` gives it. Scores have six digits here, and are exact in the model.

    Args:
        path: the file that `Tokenizer.save(..., vocab=True)` or `spm-lite train` wrote. A BOM, line ends CR LF and
            a missing last line end do no harm.
    Returns:
        A list of pairs: item i is the string and the score of the piece i.
    Raises:
        ModelError: a line is not a piece, a TAB and a score; the message names it.
        FileError: the file cannot be read.

    >>> import spm_lite
    >>> tok = spm_lite.train(["a\\tb", "a\\n"] * 9, vocab_size=265, model_type="bpe")
    >>> tok.save("tabs.model", vocab=True)
    >>> [piece for piece, score in spm_lite.read_vocab("tabs.vocab")] == [tok.id_to_piece(i) for i in range(265)]
    True
    """
    name, data = os.fsdecode(path), read_bytes(path)
    kind, remedy = kind_of(data)
    if kind and "model" not in kind:  # that of a model is named below
        raise ModelError(f"{name} is {kind}, not a list of pieces: {remedy}")
    if not data:
        raise ModelError(f"{name} is empty: write the list again with Tokenizer.load(MODEL).save(MODEL, vocab=True)")
    return [read_line(line, number, name) for number, line in enumerate(split_lines(data), 1)]


def read_line(line: bytes, number: int, name: str) -> tuple[str, float]:
    """Return the piece and the score of a line. Raises ModelError."""
    piece, tab, score = line.rpartition(b"\t")
    if not tab or not piece or not SCORE.fullmatch(score):
        raise ModelError(
            f"{name}, line {number}: {line[:60].decode('utf-8', 'backslashreplace')!r} is not a piece, TAB and its "
            "score. A file of sentencepiece has such lines where a piece holds a line end, and a model file has no "
            "lines at all: write the list again with Tokenizer.load(MODEL).save(MODEL, vocab=True)"
        )
    return unescape(piece).decode("utf-8", "surrogateescape"), float(score)
