"""Rank files of tiktoken, and the two files of GPT-2."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spm_lite.formats.byte_level import byte_level_model, entries_of_merges, model_of_ranks, ranked_pieces
from spm_lite.formats.gpt2_files import MERGES, VOCAB, gpt2_files, merge_pairs, read_gpt2, read_vocab_json
from spm_lite.formats.hugging_face.pattern_components import spelled
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.outgoing import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import of_gpt2, of_tiktoken
from spm_lite.formats.ranks.rank_file import check_reachable, rank_lines, read_ranks
from spm_lite.formats.special_tokens import names_after
from spm_lite.formats.split_patterns import pattern_for

TIKTOKEN, GPT2 = "tiktoken", "gpt2"


def to_rank_file(tok: Any, findings: Findings) -> Outgoing:
    """The rank file of a model. Raises OptionError for a model that it cannot express."""
    pieces = ranked_pieces(tok._file, "a rank file of tiktoken")
    if tok.split_pattern is None:
        check_reachable(list(pieces.values()), "the model")
    pattern = raw_pattern(tok, pieces.values())
    data = rank_lines(pieces)
    ranks = {piece: rank for rank, piece in pieces.items()}

    def own() -> Any:
        again = read_ranks(data, TIKTOKEN)
        special = names_after(specials_of(tok, pieces), "special_tokens", again)
        return type(tok)._from_bytes(model_of_ranks(again, special, pattern, None, TIKTOKEN), TIKTOKEN)

    return Outgoing(TIKTOKEN, {FILE: data}, findings, lambda: of_tiktoken(ranks, pattern), own, pattern)


def to_gpt2_files(tok: Any, findings: Findings) -> Outgoing:
    """vocab.json and merges.txt of a model. Raises OptionError for a model that they cannot express."""
    pieces = ranked_pieces(tok._file, "GPT-2's files")
    pattern = raw_pattern(tok, pieces.values())
    special = specials_of(tok, pieces)
    vocab, merges = gpt2_files(pieces, special)

    def own() -> Any:
        again, ranks = read_gpt2(vocab, merges, GPT2, list(special))
        return type(tok)._from_bytes(byte_level_model(entries_of_merges(again, ranks), pattern), GPT2)

    def partner() -> Any:
        return of_gpt2(read_vocab_json(vocab, VOCAB), merge_pairs(merges), spelled(pattern))

    return Outgoing(GPT2, {VOCAB: vocab, MERGES: merges}, findings, partner, own, pattern)


def raw_pattern(tok: Any, pieces: Iterable[bytes]) -> str:
    """The split pattern of a model, or the raw one that cuts most and none of the pieces."""
    found: str = tok.split_pattern or pattern_for(list(pieces))
    return found


def specials_of(tok: Any, pieces: dict[int, bytes]) -> dict[str, int]:
    """Special piece -> id: those that have no rank."""
    vocab = tok._file.vocab
    return {vocab.text(i).decode(): i for i in range(vocab.size) if i not in pieces}
