"""What a model becomes in the files of BERT, tiktoken, GPT-2 and transformers, and how these programs read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.formats.byte_level import byte_level_model, entries_of_merges, model_of_ranks, ranked_pieces
from spm_lite.formats.gpt2_files import MERGES, VOCAB, gpt2_files, merge_pairs, read_gpt2, read_vocab_json
from spm_lite.formats.hugging_face.chat_templates import check_template
from spm_lite.formats.hugging_face.components import TOKENIZER, spelled
from spm_lite.formats.hugging_face.folder import folder_files, special_roles
from spm_lite.formats.hugging_face.read_tokenizer import model_of_json
from spm_lite.formats.hugging_face.read_vocabulary import read_added
from spm_lite.formats.hugging_face.write_special_pieces import add_normalized, add_spelled, wanted_template
from spm_lite.formats.hugging_face.write_tokenizer import json_text, tokenizer_parts
from spm_lite.formats.json_file import parse
from spm_lite.formats.proof.conditions import NEAR_TIES, REFUSALS, Findings
from spm_lite.formats.proof.conversion import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import Partner, module_named, of_bert, of_gpt2, of_tiktoken, of_tokenizers
from spm_lite.formats.ranks.rank_file import check_reachable, rank_lines, read_ranks
from spm_lite.formats.special_tokens import names_after
from spm_lite.formats.split_patterns import as_pattern, pattern_for
from spm_lite.formats.text_splits import tiktoken_pattern
from spm_lite.formats.vocab_txt import SPECIAL, bert_model, read_vocab_txt, vocab_txt
from spm_lite.normalize.rules.named_rules import charsmap_of

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile

VOCAB_TXT = "vocab.txt"


def to_vocab_list(tok: Any, findings: Findings) -> Outgoing:
    """The vocab.txt of a model. Raises OptionError for a model that it cannot express."""
    data = vocab_txt(tok)
    pieces = read_vocab_txt(data, VOCAB_TXT)
    lowercase = tok._file.settings.normalizer.precompiled_charsmap == charsmap_of("bert_uncased")
    ids = {text: i for i, text in enumerate(pieces)}
    special = {i: text for text, i in ids.items() if text in SPECIAL}
    add_spelled(tok._file, special, True, tok.normalize, findings)
    add_cleanup(tok._file, findings)

    def own() -> Any:
        return type(tok)._from_bytes(bert_model(pieces, lowercase, {}, VOCAB_TXT), VOCAB_TXT)

    return Outgoing(VOCAB_TXT, {FILE: data}, findings, lambda: of_bert(ids, lowercase, special.values()), own)


def add_cleanup(file: ModelFile, findings: Findings) -> None:
    """Report that decoded text is not cleaned up by what reads a file without that setting."""
    if file.vocab.word_rules is not None and file.vocab.word_rules.cleanup:
        findings.add(
            "cleanup",
            "decoded text keeps spaces before . ? ! , and short forms, which the model takes off; ids are the same",
            lambda text: True,
        )


TIKTOKEN, GPT2 = "tiktoken", "gpt2"


def to_rank_file(tok: Any, findings: Findings) -> Outgoing:
    """The rank file of a model. Raises OptionError for a model that it cannot express."""
    pieces = ranked_pieces(tok._file, "a rank file of tiktoken")
    if tok._file.vocab.split_pattern is None and not tok._file.vocab.splits:
        check_reachable(list(pieces.values()), "the model")
    pattern = raw_pattern(tok, pieces.values(), "a rank file of tiktoken")
    data = rank_lines(pieces)
    ranks = {piece: rank for rank, piece in pieces.items()}

    def own() -> Any:
        again = read_ranks(data, TIKTOKEN)
        special = names_after(specials_of(tok, pieces), "special_tokens", again)
        return type(tok)._from_bytes(model_of_ranks(again, special, as_pattern(pattern, None), "", TIKTOKEN), TIKTOKEN)

    return Outgoing(TIKTOKEN, {FILE: data}, findings, lambda: of_tiktoken(ranks, pattern), own, pattern)


def to_gpt2_files(tok: Any, findings: Findings) -> Outgoing:
    """vocab.json and merges.txt of a model. Raises OptionError for a model that they cannot express."""
    pieces = ranked_pieces(tok._file, "GPT-2's files")
    pattern = raw_pattern(tok, pieces.values(), "GPT-2's files")
    special = specials_of(tok, pieces)
    vocab, merges = gpt2_files(pieces, special)
    splits = tok._file.vocab.splits
    in_tokenizers = splits[0][0] if splits else spelled(pattern)

    def own() -> Any:
        again, ranks = read_gpt2(vocab, merges, (VOCAB, MERGES), list(special))
        return type(tok)._from_bytes(byte_level_model(entries_of_merges(again, ranks), as_pattern(pattern, None)), GPT2)

    def partner() -> Any:
        return of_gpt2(read_vocab_json(vocab, VOCAB), merge_pairs(merges), in_tokenizers)

    return Outgoing(GPT2, {VOCAB: vocab, MERGES: merges}, findings, partner, own, pattern)


def raw_pattern(tok: Any, pieces: Iterable[bytes], what: str) -> str:
    """The split pattern of a model, or the raw one that cuts most and none of the pieces. what: the file."""
    splits = tok._file.vocab.splits
    if splits:
        return tiktoken_pattern(splits, what)
    found: str = tok._file.vocab.split_pattern or pattern_for(list(pieces))
    return found


def specials_of(tok: Any, pieces: dict[int, bytes]) -> dict[str, int]:
    """Special piece -> id: those that have no rank."""
    vocab = tok._file.vocab
    return {vocab.text(i).decode(): i for i in range(vocab.size) if i not in pieces and vocab.text(i)}


TRANSFORMERS = "transformers"


def to_json(
    tok: Any, findings: Findings, *, bos: bool | None = None, eos: bool | None = None, match_special: bool = True
) -> Outgoing:
    """The tokenizer.json of a model. The arguments are the same as of `json_of`."""
    parts = tokenizer_parts(
        tok, findings, bos=bos, eos=eos, match_special=match_special, lists_special=match_special
    )  # fmt: skip
    return outgoing(tok, TOKENIZER, json_text(parts), None, match_special, findings)


def to_folder(
    tok: Any,
    findings: Findings,
    *,
    bos: bool | None = None,
    eos: bool | None = None,
    match_special: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> Outgoing:
    """The folder of a model. settings: the chat template and others, as `folder_files` takes them."""
    wanted = {"chat_template": None, "model_max_length": None, "padding_side": None, **(settings or {})}
    text = json_text(tokenizer_parts(tok, findings, bos=bos, eos=eos, match_special=match_special))
    chats: list[str] = []
    if isinstance(wanted["chat_template"], str):
        check_template(tok._file, wanted["chat_template"], wanted_template(tok._file, bos, eos)[0], findings)
        chats = sample_chats(tok._file, wanted["chat_template"], findings)
    files = folder_files(tok._file, text, match_special=match_special, **wanted)
    return replace(outgoing(tok, TRANSFORMERS, text, files, match_special, findings), chats=chats)


def sample_chats(file: ModelFile, template: str, findings: Findings) -> list[str]:
    """What a template makes of some chats; a template that refuses them all is reported. [] without jinja2."""
    if module_named("jinja2") is None:
        return []
    from spm_lite.formats.hugging_face.chat_rendering import sample_texts  # here, since it needs jinja2

    texts, error = sample_texts(template, special_roles(file))
    if not texts:
        findings.add("chat template", f"no plain chat of user and assistant: {error}", lambda text: True)
    return texts


def outgoing(
    tok: Any, format: str, text: str, files: Mapping[str, bytes] | None, match_special: bool, findings: Findings
) -> Outgoing:
    """The files with the text of their tokenizer.json. files: None: that file alone."""
    data = text.encode()
    return Outgoing(
        format,
        {FILE: data} if files is None else files,
        findings,
        lambda: of_tokenizers(text, match_special),
        lambda: type(tok)._from_bytes(model_of_json(data, TOKENIZER, Findings(findings.allow)), TOKENIZER),
        finds_special=match_special,
    )


def incoming(tok: Any, data: bytes, read: Findings) -> tuple[Findings, Partner | None]:
    """What proves a tokenizer.json that was read: (conditions of reading and of such a model, the program).

    read: what reading found.
    """
    findings = Findings([name for name in REFUSALS if name != "other" or name in read.allow])
    tokenizer_parts(tok, findings)
    own = [condition for condition in read.conditions if condition.name != NEAR_TIES]  # now it can tell which texts
    told = {condition.name for condition in own}
    findings.conditions = [*own, *(one for one in findings.conditions if one.name not in told)]
    added = read_added(parse(data, "the file"))
    add_normalized(tok, [text for text in added.normalized if text in added.special], findings)
    findings.allow = read.allow
    return findings, of_tokenizers(data.decode())
