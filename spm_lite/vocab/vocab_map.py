"""VocabMap: which id of a new vocabulary stands for which ids of an old one, for the embeddings of a model."""

from __future__ import annotations

import json

from spm_lite._typing import TYPE_CHECKING, NamedTuple, final
from spm_lite.arguments import as_int
from spm_lite.errors import ModelError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

GONE = -1
FORMAT = "spm_lite.vocab_map"
VERSION = 1
POLICIES = ("mean", "first", "overlap")


class Rows(NamedTuple):
    """How the rows of a new embedding matrix are made of old ones: a sparse matrix (CSR) in numpy arrays.

    Row i is the sum of `weights[k] * old[ids[k]]` over k in `range(indptr[i], indptr[i + 1])`.

    Attributes:
        ids: int64, old ids.
        weights: float32; those of a row have the sum 1.
        indptr: int64, one more than there are rows. A row of padding has no ids.
    """

    ids: NDArray[np.int64]
    weights: NDArray[np.float32]
    indptr: NDArray[np.int64]


class GrownPiece(NamedTuple):
    """A piece that the old vocabulary lacks.

    Attributes:
        piece: its text, as `id_to_piece` gives it.
        old_ids: its old encoding, without the space that a model puts before a text.
        sizes: bytes of the text that each of these ids stands for.
        why: "character", "merge" (of BPE) or "piece" (of Unigram). `spm-lite edit add` has "user-defined piece" and
            "control piece".
    """

    piece: str
    old_ids: tuple[int, ...]
    sizes: tuple[int, ...]
    why: str


@final
class VocabMap:
    """The way from the ids of an old vocabulary to those of a new one, and back.

    Attributes:
        new_ids: for each old id the new one; -1: the piece is gone.
        n_new: the number of new ids.
        grown: new id -> `GrownPiece`, for each piece that the old vocabulary lacks.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ("grown", "n_new", "new_ids")

    def __init__(self, new_ids: Iterable[int], n_new: int, grown: Mapping[int, GrownPiece]) -> None:
        """A map of these parts. Raises ModelError if they contradict each other."""
        self.new_ids, self.n_new, self.grown = tuple(new_ids), n_new, dict(grown)
        kept = [i for i in self.new_ids if i != GONE]
        found = {*kept, *self.grown}
        # Sizes first: a damaged `n_new` may be more numbers than there is memory for.
        if len(kept) + len(self.grown) != n_new or len(found) != n_new or found != {*range(n_new)}:
            raise ModelError(
                f"the map is damaged: {len(kept)} kept and {len(self.grown)} new pieces are not {n_new} different ids. "
                "Make it again"
            )
        for new_id, one in self.grown.items():
            is_whole = 0 < len(one.old_ids) == len(one.sizes) and min(one.sizes) > 0
            if not is_whole or min(one.old_ids) < 0 or max(one.old_ids) >= len(self.new_ids):
                raise ModelError(
                    f"the map is damaged: new id {new_id} comes from {one.old_ids!r:.60}, which must be some of the "
                    f"{len(self.new_ids)} old ids, each with a size above 0. Make it again"
                )

    @property
    def n_old(self) -> int:
        """The number of old ids."""
        return len(self.new_ids)

    def old_ids(self, new_id: int) -> tuple[int, ...]:
        """The old ids that a new id stands for: the same piece, or the old encoding of a new piece.

        Args:
            new_id: an id of the new vocabulary.
        Returns:
            A tuple of one or more ids.
        Raises:
            IdError: an id outside the new vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> more = tok.extend(["the cats"] * 9, 1)
        >>> more.map.old_ids(272) == tuple(tok.encode("the")), more.map.old_ids(9)
        (True, (9,))
        """
        from spm_lite.arguments import as_id

        return self._sources()[as_id(new_id, self.n_new)][0]

    def _sources(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """For each new id, the old ids and their sizes."""
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())] * self.n_new
        for old_id, new_id in enumerate(self.new_ids):
            if new_id != GONE:
                found[new_id] = (old_id,), (1,)
        for new_id, one in self.grown.items():
            found[new_id] = one.old_ids, one.sizes
        return found

    def rows(self, policy: str = "mean", *, pad_to_multiple_of: int = 1) -> Rows:
        """How each row of the new embedding matrix is made of old rows. Rows of kept pieces stay as they are.

        Args:
            policy: of a new piece: "mean" of the rows of its old ids; the "first" of them; or "overlap", their mean
                weighted by the bytes that each stands for.
            pad_to_multiple_of: rows without ids are added up to a multiple of this number.
        Returns:
            Rows: `ids`, `weights` and `indptr`.
        Raises:
            OptionError: another policy, or a number below 1.
        Source: the format is CSR of scipy.sparse.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> rows = tok.extend(["the cats"] * 9, 1).map.rows(pad_to_multiple_of=8)
        >>> len(rows.indptr) - 1, rows.ids[:3].tolist(), rows.weights[-2:].tolist()
        (280, [0, 1, 2], [0.5, 0.5])
        """
        import numpy as np

        if policy not in POLICIES:
            raise OptionError(
                f"policy={policy!r:.40}: must be one of {', '.join(POLICIES)}", remedies=[{"policy": "mean"}]
            )
        multiple = as_int(pad_to_multiple_of, "pad_to_multiple_of")
        if multiple < 1:
            raise OptionError(f"pad_to_multiple_of={multiple}: must be 1 or more", remedies=[{"pad_to_multiple_of": 1}])
        ids: list[int] = []
        weights: list[float] = []
        ends = [0]
        for old_ids, sizes in self._sources():
            n = 1 if policy == "first" else len(old_ids)
            total = sum(sizes)
            ids += old_ids[:n]
            weights += [size / total for size in sizes] if policy == "overlap" else [1 / n] * n
            ends.append(len(ids))
        ends += [len(ids)] * (-self.n_new % multiple)
        return Rows(np.array(ids, np.int64), np.array(weights, np.float32), np.array(ends, np.int64))

    def to_json(self) -> str:
        """The map as JSON, which `from_json` reads. `id_remap.json` is a usual name for its file.

        Returns:
            A str.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> map = tok.extend(["the cats"] * 9, 1).map
        >>> spm_lite.VocabMap.from_json(map.to_json()) == map
        True
        """
        grown = {
            str(new_id): {"piece": one.piece, "old_ids": one.old_ids, "sizes": one.sizes, "why": one.why}
            for new_id, one in self.grown.items()
        }
        head = {"format": FORMAT, "version": VERSION, "n_new": self.n_new}
        return json.dumps({**head, "new_ids": self.new_ids, "grown": grown}, ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> VocabMap:
        """Read a map that `to_json` wrote.

        Args:
            text: the JSON.
        Returns:
            A VocabMap.
        Raises:
            ModelError: it is no such JSON, or contradicts itself.

        >>> import spm_lite
        >>> spm_lite.VocabMap.from_json('{"format": "other"}')
        Traceback (most recent call last):
        spm_lite.ModelError: the JSON is no map of a vocabulary: its format is 'other', not 'spm_lite.vocab_map'
        """
        from spm_lite.files.saved_values import COUNT, TEXT, check, parse, whole

        try:
            value = parse(text)
        except (ValueError, TypeError) as error:
            raise ModelError(f"the map is no JSON: {error}. Give the text that to_json returned") from None
        found = value.get("format") if isinstance(value, dict) else type(value).__name__
        if found != FORMAT:
            raise ModelError(f"the JSON is no map of a vocabulary: its format is {found!r:.60}, not {FORMAT!r}")
        version = value.get("version")
        if type(version) is not int or version != VERSION:
            raise ModelError(f"the map has version {version!r:.20}; this program reads {VERSION}. Install a newer one")
        piece = {"piece": TEXT, "old_ids": [COUNT], "sizes": [whole(1)], "why": TEXT}
        try:
            check(value, {"n_new": COUNT, "new_ids": [whole(GONE)], "grown": {"*": piece}}, "the map")
            grown = {
                as_id(new_id): GrownPiece(one["piece"], tuple(one["old_ids"]), tuple(one["sizes"]), one["why"])
                for new_id, one in value["grown"].items()
            }
        except ValueError as error:
            raise ModelError(f"the map is damaged: {error}. Make it again") from None
        return cls(value["new_ids"], value["n_new"], grown)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VocabMap):
            return NotImplemented
        mine, theirs = (self.new_ids, self.n_new, self.grown), (other.new_ids, other.n_new, other.grown)
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        n_gone = self.new_ids.count(GONE)
        return f"<VocabMap: {self.n_old:,} old ids, {n_gone:,} gone, {len(self.grown):,} new>"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return VocabMap.from_json, (self.to_json(),)


def as_id(key: str) -> int:
    """The id that is the key of an object. Raises ValueError for a key that `to_json` does not write."""
    found = int(key) if key.isascii() and key.isdigit() and len(key) < 20 else GONE
    if str(found) != key:
        raise ValueError(f"the map.grown has the key {key!r:.40}, not an id")
    return found


Rows.__module__ = GrownPiece.__module__ = "spm_lite"  # where users find them; a pickle names this place
