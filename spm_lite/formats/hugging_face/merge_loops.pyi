from collections.abc import Iterable
from typing import Any

from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.vocab.merge_list import MergeList

_Entries = list[tuple[Any, float, int]]

def merged_pieces(pairs: list[Any], known: RankTable, is_spelled: bool) -> tuple[list[int], list[int]] | None: ...
def are_all_splits(n: int, known: RankTable, order: Iterable[int] | None = ...) -> bool: ...
def ranks_by_index(order: list[int], n: int) -> list[int]: ...
def scored(texts: list[Any], kinds: list[int], ranks: list[int]) -> _Entries: ...
def scored_bytes(
    texts: list[str], pieces: list[bytes | None], ranks: list[int], unknown: str | None, symbols: set[bytes]
) -> _Entries: ...
def listed_merges(
    pairs: list[Any],
    ids: dict[str, int],
    n_prefix: int = 0,
    fuse_unknown: bool = False,
    whole_pieces: bool = False,
    continuing_prefix: bytes = b"",
    word_suffix: bytes = b"",
) -> MergeList: ...
def ranked_entries(texts: list[Any], kinds: list[int], merges: MergeList) -> _Entries: ...
