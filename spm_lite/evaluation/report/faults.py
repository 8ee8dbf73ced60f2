"""Faults: what is wrong with tokenizers and texts, found in the figures of an audit, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spm_lite.evaluation.prediction.verdicts import LEAST_FILL, LOST, LOST_TOKENS
from spm_lite.kinds import BYTE_LEVEL
from spm_lite.printable import visible

BYTES_SHARE = 0.05  # of the characters: more are a fault
CR_SHARE = 0.5  # of the texts
EXAMPLES = 2  # unreachable pieces that are named
SEVERITIES = ("loss", "fault", "warning")
UNWANTED = ("normalizer", "nfc", "nfkc")  # kinds of duplicates that are faults


def find_faults(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The faults in the figures of an audit, worst first; see `to_dict` for their fields."""
    found = [
        *lost_text(data),
        *changed_texts(data),
        *unreachable_pieces(data),
        *spelled_text(data),
        *twins(data),
        *line_ends(data),
        *little_text(data),
    ]
    return sorted(found, key=lambda fault: SEVERITIES.index(fault["severity"]))


def fault(severity: str, tokenizer: str | None, what: str, count: float, examples: Any, words: str) -> dict[str, Any]:
    """A fault. severity: of SEVERITIES. tokenizer: None: it is one of a text."""
    return {
        "severity": severity,
        "tokenizer": tokenizer,
        "what": what,
        "count": count,
        "examples": examples,
        "words": words,
    }


def figures_of(data: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(text, tokenizer, figures) of all."""
    for text, tokenizers in data["corpus"].items():
        for tokenizer, figures in tokenizers.items():
            yield text, tokenizer, figures


def loses(figures: Mapping[str, Any]) -> bool:
    """Whether corpus figures say that text is lost; where unknown characters are not known, by unknown tokens."""
    unknown = figures["unknown"]
    if unknown["character_share"] is None:
        return (unknown["token_share"] or 0) > LOST_TOKENS
    return bool(unknown["character_share"] > LOST)


def lost_text(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts of which a tokenizer does not know more than 1 % of the characters, the greatest loss first."""
    lost = [(text, name, figures) for text, name, figures in figures_of(data) if loses(figures)]
    for text, name, figures in sorted(lost, key=lambda item: -(item[2]["unknown"]["character_share"] or 1)):
        unknown = figures["unknown"]
        share = unknown["character_share"]
        some = " ".join(visible(char) for char, _ in unknown["top"][:5])
        # A tokenizer that does not tell the places of its tokens has no share of the characters.
        lost, kind = (unknown["token_share"], "tokens") if share is None else (share, "characters")
        words = f"{name} loses {text}: {percent(lost)} of its {kind} are unknown"
        examples = [char for char, _ in unknown["top"]]
        yield fault("loss", name, "loses text", share or 1.0, examples, words + (f" ({some} ...)" if some else ""))


def changed_texts(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts that decoding does not give back."""
    for text, name, figures in figures_of(data):
        roundtrip = figures["roundtrip"]
        if roundtrip is None or roundtrip["same"] == figures["texts"]:
            continue
        n = figures["texts"] - roundtrip["same"]
        reasons = ", ".join(f"{reason}" for reason in roundtrip.get("reasons", {}))
        words = f"{name} changes {n:,} of {figures['texts']:,} texts of {text}" + (f": {reasons}" if reasons else "")
        yield fault("fault", name, "changes text", n, roundtrip.get("examples", []), words)


def unreachable_pieces(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Pieces that no text can give."""
    for name, figures in data["vocabulary"].items():
        pieces = figures["reach"].get("unreachable") or []
        if not pieces:
            continue
        some = ", ".join(piece_words(piece) for piece in pieces[:EXAMPLES])
        kind = "piece" if len(pieces) == 1 else "pieces"
        words = f"{name} has {len(pieces)} {kind} that no text can give: {some}"
        yield fault("fault", name, "unreachable", len(pieces), pieces[:EXAMPLES], words)


def piece_words(piece: Mapping[str, Any]) -> str:
    """A piece with the reason why it does not come."""
    reasons = {
        "whitespace": "spaces become {becomes}",
        "normalizer": "becomes {becomes}",
        "user_defined": "a user-defined piece is matched first",
        "merges": "the merges lead to {instead}",
        "outscored": "{instead} is more likely",
    }
    shown = {name: visible(value) if isinstance(value, str) else value for name, value in piece.items()}
    shown["instead"] = visible(" ".join(piece.get("instead_pieces", ())))
    return f"{shown['piece']} ({reasons[piece['reason']].format(**shown)})"


def spelled_text(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts of which more than 5 % of the characters are spelled as bytes, by models whose pieces are no bytes."""
    for text, name, figures in figures_of(data):
        if data["tokenizers"][name]["type"] in BYTE_LEVEL:
            continue
        share = figures["byte_fallback"]["character_share"]
        if share is not None and share > BYTES_SHARE:
            words = f"{name} spells {percent(share)} of the characters of {text} as bytes"
            yield fault("fault", name, "byte fallback", share, [], words)


def twins(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Pieces that are the same after normalization."""
    for name, figures in data["vocabulary"].items():
        for kind in UNWANTED:
            surplus = figures.get("duplicates", {}).get(kind, {}).get("surplus", 0)
            if surplus:
                how = "the model's normalization" if kind == "normalizer" else kind.upper()
                pieces = "piece is" if surplus == 1 else "pieces are"
                words = f"{name}: {surplus:,} {pieces} the same as another after {how}"
                yield fault("warning", name, f"duplicates.{kind}", surplus, [], words)


def line_ends(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts of which most end in a carriage return."""
    for text, about in data["texts"].items():
        n = about["carriage_returns"]
        if n > CR_SHARE * about["texts"]:
            words = f"{n:,} of {about['texts']:,} texts of {text} end in a carriage return, which is text"
            yield fault("warning", None, "carriage returns", n, [], words)


def little_text(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts too short for the vocabularies."""
    for text, figures in data["ngram"].items():
        short = []
        for name, model in figures["models"].items():
            if model.get("fill") is not None and model["fill"] < LEAST_FILL:
                short.append(name)
        if short:
            words = f"{text} is too short to judge bits per byte of {', '.join(short)}: give more text"
            yield fault("warning", None, "too little text", len(short), short, words)


def percent(share: float) -> str:
    """A share for people.

    >>> percent(0.9446), percent(0.00012)
    ('94.5 %', '0.012 %')
    """
    return f"{100 * share:.3g} %"
