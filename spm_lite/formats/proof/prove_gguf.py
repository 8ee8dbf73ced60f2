"""GGUF files of llama.cpp. Our reader compares; `tools/compare/llama_cpp.py` compares with llama.cpp itself."""

from __future__ import annotations

from typing import Any

from spm_lite.base.unicode.ranges import llama_cpp_ranges, ranges_of
from spm_lite.formats.gguf.reading import model_of_bytes
from spm_lite.formats.gguf.writing import vocabulary_file
from spm_lite.formats.hugging_face.near_ties import add_near_ties
from spm_lite.formats.hugging_face.write_normalizer import add_text_conditions
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.proof.conversion import FILE, Outgoing
from spm_lite.formats.proof.prove_files import add_cleanup
from spm_lite.kinds import CONTROL, SPACE, USER_DEFINED
from spm_lite.normalize.from_settings import rules_alone
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.vocab.split_pattern_names import O200K_PATTERN, TEKKEN_PATTERN, o200k_with

GGUF = "gguf"
SPACES = " \u2581"
LETTERS = r"[\p{L}&&[^a-z]]", r"[\p{L}&&[^A-Z]]"  # the sets of llama.cpp for capital and small letters
FORMS = {  # pattern -> what llama.cpp has in its place. Source: `llm_tokenizer_bpe`
    O200K_PATTERN: o200k_with(r"\p{N}{1,3}", "(?:'[sStTmMdD]|'[rR][eE]|'[vV][eE]|'[lL][lL])?", *LETTERS),
    TEKKEN_PATTERN: o200k_with(r"\p{N}", "", *LETTERS),
}
# What llama.cpp makes of pieces by their names, whatever their type. Source: `llama_vocab::impl::load`.
RENDERED = {"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"}  # found in each text, as if user-defined
CONTROLS = {  # never found in a text, as if control pieces
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<EOT>", "_<EOT>",
    "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>", "<|eom_id|>", "<|fim_prefix|>", "<fim-prefix>",
    "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>", "<|fim_suffix|>",
    "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>",
    "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>",
    "<|middle|>", "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]", "<|fim_repo|>", "<|repo_name|>",
    "<fim-repo>", "<REPO>", "<reponame>", "<|file_sep|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "</s>",
    "[EOS]", "<eos>", "<turn|>", "<|tool_response>", "[e~[",
}  # fmt: skip


def to_vocabulary_file(tok: Any, findings: Findings) -> Outgoing:
    """The file of a model, without tensors. Raises OptionError for a model that llama.cpp reads otherwise."""
    data = vocabulary_file(tok)
    add_conditions(tok, findings)
    return Outgoing(
        GGUF, {FILE: data}, findings, lambda: None, lambda: type(tok)._from_bytes(model_of_bytes(data, GGUF), GGUF),
        finds_special=True,
    )  # fmt: skip


def add_conditions(tok: Any, findings: Findings) -> None:
    """Report what a text must meet in llama.cpp."""
    file = tok._file
    spec = file.settings.normalizer
    add_names(tok, findings)
    add_prefix(spec, findings)
    if tok.model_type == "bpe":
        add_text_conditions(tok, findings)
    elif tok.model_type == "unigram":
        add_near_ties(tok, [(tok.id_to_piece(i), tok.score(i)) for i in range(len(tok))], findings)
        if spec.remove_extra_whitespaces:
            findings.add("U+2581", "no U+2581 in the text", lambda text: SPACE not in text)
        else:
            findings.add("spaces alone", "no text of spaces alone", lambda text: not text or bool(text.strip(SPACES)))
        add_symbols(tok, findings)
    elif tok.model_type == "wordpiece":
        add_words(tok, findings)
    elif tok.model_type == "byte_bpe":
        newer, what = characters(llama_cpp_ranges.NEWER), "letters, marks or digits"
        if file.vocab.splits:  # those of qwen3.5 and deepseek_v3
            newer, what = newer | characters(llama_cpp_ranges.NEWER_SIGNS), "characters"
        findings.add("newer", f"no {what} newer than Unicode 15, which llama.cpp has", newer.isdisjoint)
        if spec.has_rules:
            findings.add("normalized", "the text is in NFC", lambda text: tok.normalize(text) == text)
        symbols = file.vocab.texts_of_type(USER_DEFINED)
        add_overlaps(symbols, findings)
        if file.vocab.split_pattern in FORMS:
            add_form(file.vocab.split_pattern, symbols, findings)


def add_prefix(spec: Any, findings: Findings) -> None:
    """Report a model that puts no space before a text which begins with one, since llama.cpp always does.

    Where extra spaces are removed, one space is left in both.
    """
    if not spec.prefix_unless_space or spec.remove_extra_whitespaces:
        return
    rules = rules_alone(spec.precompiled_charsmap)
    findings.add(
        "prefix",
        "no space or U+2581 at the start of the text: llama.cpp puts another space there",
        lambda text: not rules.normalize(text.encode("utf-8", "replace")).startswith((b" ", SPACE.encode())),
    )


def add_form(pattern: str, symbols: list[bytes], findings: Findings) -> None:
    """Report that llama.cpp has another pattern. symbols: user-defined ones, between which a text is cut."""
    import re

    from spm_lite.base.patterns.pattern_compiler import compile_pattern

    own, other = compile_pattern(pattern), compile_pattern(FORMS[pattern])
    between = re.compile(b"|".join(map(re.escape, sorted(symbols, key=len, reverse=True))) or b"(?!)")

    def is_met(text: str) -> bool:
        parts = between.split(text.encode("utf-8", "surrogatepass"))
        return all(own.matches(part) == other.matches(part) for part in parts)

    findings.add(
        "pattern",
        "no combining marks, and no change of case beyond ASCII, where llama.cpp cuts the text otherwise",
        is_met,
    )


def add_names(tok: Any, findings: Findings) -> None:
    """Report the pieces that llama.cpp takes otherwise because of their names."""
    controls, others = (
        {text.decode("utf-8", "replace") for text in tok._file.vocab.texts_of_type(kind)}
        for kind in (CONTROL, USER_DEFINED)
    )
    names, call = controls | others, {"<|call|>", "<|calls|>"}
    rendered = RENDERED | ({"<|end|>"} if names & call and names & {"<|return|>", "<|flush|>"} else set())
    found = sorted(controls & rendered | others & CONTROLS - rendered)
    if found:
        findings.add(
            "names",
            f"no text that spells {examples(found)}: llama.cpp changes the type of such names",
            spells_none(found),
        )


def add_overlaps(symbols: list[bytes], findings: Findings) -> None:
    """Report symbols of which one may begin inside another that is not longer. llama.cpp finds the longest first."""
    texts = [symbol.decode("utf-8", "replace") for symbol in symbols]
    begun: dict[str, list[str]] = {}
    for text in texts:
        for size in range(1, len(text)):
            begun.setdefault(text[:size], []).append(text)
    shared = ((text, text[place:]) for text in texts for place in range(1, len(text)))
    both = [
        text + other[len(part) :]
        for text, part in shared
        for other in begun.get(part, ())
        if other != text and len(other.encode()) >= len(text.encode())
    ]
    if both:
        findings.add("symbols", f"no overlapping user-defined symbols, such as {examples(both)}", spells_none(both))


def add_words(tok: Any, findings: Findings) -> None:
    """Report what WordPiece models do otherwise in llama.cpp."""
    add_cleanup(tok._file, findings)
    lowers = tok._file.settings.normalizer.precompiled_charsmap == charsmap_of("bert_uncased")
    findings.add(
        "characters",
        "no characters that llama.cpp takes otherwise than BERT: U+2581, U+000B, U+000C, U+0085, newer punctuation"
        + (", syllables of Hangul, vowel signs of Indic scripts" if lowers else ""),
        characters(llama_cpp_ranges.UNCASED if lowers else llama_cpp_ranges.CASED).isdisjoint,
    )
    longest = tok._file.vocab.word_rules.max_word_length
    findings.add(
        "long words",
        f"no word of more than {longest} characters",
        lambda text: max(map(len, tok.normalize(text).split(SPACE)), default=0) <= longest,
    )


def characters(ranges: str) -> set[str]:
    """The characters of a table of ranges."""
    return {chr(code_point) for first, last in ranges_of(ranges) for code_point in range(first, last + 1)}


def add_symbols(tok: Any, findings: Findings) -> None:
    """Report user-defined symbols of a unigram model.

    llama.cpp cuts a text there, adds a space to what follows, and scores them otherwise. A text may share bytes with
    the beginning of a symbol. llama.cpp does not normalize these bytes, even if they are a part of a character.
    """
    file = tok._file
    symbols = file.vocab.texts_of_type(USER_DEFINED)
    if not symbols:
        return
    texts = [symbol.decode("utf-8", "replace") for symbol in symbols]
    is_free = spells_none({*texts, *(text.replace(" ", SPACE) for text in texts)})
    beginnings = {symbol[:size] for symbol in symbols for size in range(1, len(symbol) + 1)}
    longest = max(map(len, symbols))
    blob = file.settings.normalizer.precompiled_charsmap
    rules = rules_alone(blob)

    def is_apart(text: str) -> bool:
        for place in range(len(text)):
            shared = shared_bytes(text[place : place + longest].encode("utf-8", "surrogateescape"), beginnings)
            if not shared:
                continue
            try:
                begun = shared.decode()
            except UnicodeDecodeError:  # a part of a character
                return False
            rest = text[place + len(begun) : place + len(begun) + 1].encode("utf-8", "surrogateescape")
            if rules.normalize(shared + rest) != shared + rules.normalize(rest):
                return False
        return True

    findings.add(
        "symbols",
        f"no user-defined symbol, such as {examples(texts)}, and no characters that begin like one but are normalized",
        lambda text: is_free(text) and is_free(tok.normalize(text)) and is_apart(text),
    )


def shared_bytes(data: bytes, beginnings: set[bytes]) -> bytes:
    """The bytes at the start of a text that are the beginning of a symbol."""
    size = 0
    while size < len(data) and data[: size + 1] in beginnings:
        size += 1
    return data[:size]
