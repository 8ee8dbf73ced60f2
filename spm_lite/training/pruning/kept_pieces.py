"""Which pieces of a model must stay when it is pruned, each with the reason."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.corpus import open_source
from spm_lite.files.documents import CorpusFigures, read_documents, texts_of
from spm_lite.formats.hugging_face.chat_templates import STRING, TAG, open_template
from spm_lite.kinds import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.near_names import near_names
from spm_lite.training.extension.new_texts import SHARED, checked_script, script_of
from spm_lite.training.run import has_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.files.read_options import Reading
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.vocab import Vocab

SPECIAL, BYTES, SPELLS, LIMIT = "special", "byte", "character", "lowest score"
NAMED, SCRIPT, IN_TEXT, IN_TEMPLATE, USED = "keep", "script", "keep_texts", "keep_chat_template", "source"
PART, ROOM = "part", "room"  # of a piece that stays; the vocabulary had room for it
TYPES = (CONTROL, UNKNOWN, USER_DEFINED, BYTE)


class Wishes(NamedTuple):
    """What the caller wants to keep, as given."""

    keep: list[Any]
    scripts: Any
    keep_texts: Any
    keep_chat_template: Any


def always_kept(vocab: Vocab, is_unigram: bool) -> dict[int, str]:
    """The ids that no pruning removes: special pieces, bytes, the space, and the lowest score of a Unigram model.

    An unknown character is measured by that score, so without it texts with such characters would change. Runs of
    spaces of BPE stay, too: they often have equal scores, and other programs merge some of them in another order.
    """
    found = {}
    for i in range(len(vocab)):
        kind = vocab.type(i)
        if kind in TYPES or vocab.is_added(i):
            found[i] = BYTES if kind == BYTE else SPECIAL
        elif vocab.is_bytes and len(vocab.text(i)) == 1:
            found[i] = BYTES
        elif not vocab.is_bytes and (vocab.text(i) == SPACE.encode() or (not is_unigram and is_run(vocab.text(i)))):
            found[i] = SPELLS
    if is_unigram:
        exact: list[float] = [*memoryview(vocab.exact_scores).cast("d")]
        scores = exact or [vocab.score(i) if vocab.type(i) == NORMAL else 0.0 for i in range(len(vocab))]
        found.setdefault(min(range(len(scores)), key=scores.__getitem__), LIMIT)
    return found


def is_run(text: bytes) -> bool:
    """Whether a piece is spaces alone."""
    return bool(text) and not text.replace(SPACE.encode(), b"")


def asked_for(tok: Tokenizer, wishes: Wishes, reading: Reading, num_threads: Any) -> dict[int, str]:
    """The ids that the caller wants to keep. Raises OptionError for a name that is no piece or script."""
    found = dict.fromkeys(named_ids(tok, wishes.keep), NAMED)
    if wishes.keep_texts is not None:
        counts = counted_tokens(tok, wishes.keep_texts, reading, num_threads)
        if not counts.any():
            raise OptionError("keep_texts has no text: give the texts whose pieces stay, or leave it out")
        found |= dict.fromkeys((i for i in counts.nonzero()[0].tolist() if i not in found), IN_TEXT)
    if wishes.keep_chat_template is not None:
        parts = template_texts(open_template(wishes.keep_chat_template)[0])
        ids = {i for text in parts for i in tok.encode(text)}
        found |= dict.fromkeys((i for i in sorted(ids) if i not in found), IN_TEMPLATE)
    if wishes.scripts is not None:
        names = [wishes.scripts] if isinstance(wishes.scripts, str) else wishes.scripts
        names = as_iterable(names, "scripts", "names, as ['Latin']", False)
        wanted = {checked_script(name, "scripts", "Latin") for name in names}
        if not wanted:
            raise OptionError("scripts is empty: name at least one, such as 'Latin'", remedies=[{"scripts": "Latin"}])
        found |= dict.fromkeys((i for i in ids_of_scripts(tok._file.vocab, wanted) if i not in found), SCRIPT)
    return found


def named_ids(tok: Tokenizer, keep: list[Any]) -> list[int]:
    """The ids of pieces to keep, in the order given. Raises OptionError for a text that is no piece."""
    ids, vocab = [], tok._file.vocab
    for piece in keep:
        if not isinstance(piece, (str, bytes)):
            raise ArgumentTypeError(
                f"keep holds {type(piece).__name__} {piece!r:.40}: id_to_piece gives the piece of an id"
            )
        found = vocab.find_id(as_piece(piece))
        if found < 0 or vocab.text(found) != as_piece(piece):
            near = near_names(str(piece), tok.get_vocab()) if isinstance(piece, str) else []
            hint = f": did you mean {near[0]!r}?" if near else ": in pieces, \u2581 stands for a space"
            raise OptionError(f"keep holds {piece!r:.60}, which is no piece of the model{hint}")
        ids.append(found)
    return ids


def template_texts(template: str) -> Iterator[str]:
    """What a chat template may write: its text, and the strings in its tags."""
    for found in TAG.finditer(template):
        for one, other in STRING.findall(found[0]):
            yield (one or other).replace("\\n", "\n").replace("\\t", "\t")
    yield from TAG.sub("\0", template).split("\0")


def ids_of_scripts(vocab: Vocab, wanted: set[str]) -> Iterator[int]:
    """The ids of normal pieces that have no letter of another script."""
    allowed = wanted | {*SHARED}
    for i in range(len(vocab)):
        if vocab.type(i) != NORMAL:
            continue
        try:
            text = vocab.text(i).decode()
        except UnicodeDecodeError:  # bytes within a character
            continue
        if all(script_of(character) in allowed for character in text):
            yield i


def counted_tokens(tok: Tokenizer, source: Any, reading: Reading, num_threads: Any) -> NDArray[np.int64]:
    """How often each id is a token of the texts of a source, or of several by name."""
    import numpy as np

    counts = np.zeros(tok.vocab_size, np.int64)
    for one in source.values() if has_names(source) else [source]:
        with closing(read_documents(open_source(one, reading), CorpusFigures())) as parts:
            for part in parts:
                ids = tok.encode_batch(texts_of(part.documents), num_threads=num_threads).ids  # type: ignore[arg-type]
                counts += np.bincount(ids[ids >= 0], minlength=len(counts))
    return counts


def characters_of_text(vocab: Vocab, counts: NDArray[np.int64]) -> set[int]:
    """The ids of the characters of a text, from the pieces that are its tokens."""
    texts = (vocab.text(i).decode("utf-8", "ignore") for i in counts.nonzero()[0].tolist() if vocab.type(i) == NORMAL)
    found = {vocab.find_id(character.encode()) for character in {one for text in texts for one in text}}
    return {i for i in found if i >= 0 and vocab.type(i) in (NORMAL, UNUSED)}
