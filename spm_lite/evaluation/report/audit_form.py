"""The form of the data of an audit: what its reports read, and which names must be the same in several places.

Figures that no report reads are not looked at, so an audit of another version may have more of them, or fewer.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from spm_lite.evaluation.figures.mixture import MIXTURE, with_mixture
from spm_lite.evaluation.report.summaries import TONES
from spm_lite.files.saved_values import COUNT, FLAG, NUMBER, TEXT, Kind, Maybe, check, whole

SHARE = Maybe(NUMBER)  # null: it could not be computed
LIST = Kind("a list", lambda value: type(value) is list)
INTERVAL = Maybe(
    Kind(
        "a list of two numbers, the lower one first",
        lambda value: (
            type(value) is list and len(value) == 2 and {*map(type, value)} <= {int, float} and value[0] <= value[1]
        ),
    )
)
RATES = {f"{unit}_per_token": SHARE for unit in ("bytes", "characters")}
FIGURES = {
    **RATES, "bytes_per_token_spelled": SHARE, "tokens_spelled?": Maybe(COUNT), "tokens?": Maybe(COUNT),
    "unknown": {"character_share": SHARE, "token_share": SHARE}, "fertility": {"unit": Maybe(TEXT), "value": SHARE},
    "roundtrip?": Maybe({"rate": SHARE}), "byte_fallback?": Maybe({"character_share": SHARE}),
    "letter_words?": Maybe({"split_rate": SHARE}), "single_token_words?": Maybe({"rate": SHARE}),
    "superwords?": Maybe({"token_share": SHARE}), "vocabulary?": Maybe({"share_used": SHARE}),
    "renyi?": Maybe({"efficiency": SHARE}), "tokens_by_script?": Maybe({"*": COUNT}),
    "length?": Maybe({f"{name}?": SHARE for name in ("p5", "p25", "p50", "p75", "p95", "p99", "max")}),
    "rank_frequency?": Maybe([(whole(1, 2**53), whole(1, 2**53))]),
}  # fmt: skip
ORDER = {"bits_per_byte_spelled": SHARE}
DIFFERENCE = Maybe({"difference": SHARE, "ci95": INTERVAL})
PREDICTION = {
    "models": {"*": {"unknown_character_share": SHARE, "fill?": SHARE, "n1?": ORDER, "n2?": ORDER, "n3?": ORDER}},
    "pairs": {"*": {"tokens": {"log_ratio": SHARE, "se": SHARE}, "n2?": DIFFERENCE, "n3?": DIFFERENCE}},
}
SPREAD = {
    "gini": SHARE, "tax_max": SHARE, "tax_median": SHARE, "worst": Maybe(TEXT), "best": Maybe(TEXT), "languages": COUNT,
    "max_mean?": SHARE, "tokens?": Maybe(COUNT), "gini_ci95?": INTERVAL, "tax_max_ci95?": INTERVAL,
    "max_mean_ci95?": INTERVAL,
}  # fmt: skip
LANGUAGE = {
    "premium": SHARE, "premium_spelled": SHARE, "premium_se": SHARE, "byte_premium": SHARE, "premium_ci95?": INTERVAL,
    "premium_spelled_ci95?": INTERVAL,
}  # fmt: skip
PARITY = {"reference": TEXT, "all": SPREAD, "all_spelled": SPREAD, "represented": SPREAD, "languages": {"*": LANGUAGE}}
PIECES = {
    "bytes?": {
        "never?": Maybe(LIST),
        "cut_characters?": Maybe(
            {"count": COUNT, "joined": COUNT, "share": SHARE, "joined_share": SHARE, "first": [TEXT]}
        ),
    },
    "duplicates?": {"*": {"surplus": COUNT, "pieces": COUNT}},
    "junk?": {"*": {"count": COUNT, "first": LIST, "pieces?": [TEXT]}},
    "reach": {"unreachable?": [{"piece?": TEXT, "reason?": TEXT, "instead?": LIST, "instead_pieces?": [TEXT]}]},
    "superwords?": Maybe(COUNT),
    "tables?": {"scripts?": Maybe({"*": COUNT})},
}  # fmt: skip
INDENTED = {"extra_tokens": whole(-(2**53), 2**53), "kept": Maybe(FLAG)}
PROBES = {
    "number_kind": Maybe(TEXT),
    "operators": Maybe({"tested": COUNT, "single": COUNT, "unknown": LIST}),
    "indentation": {"4": INDENTED, "8": INDENTED, "16": INDENTED},
    "identifiers?": {"*": Maybe({"rate": SHARE})},
}
SIGNS = whole(0, 2)  # kinds of tokens, as `pieces_of` gives them
FORM = {
    "format": COUNT,
    "spm_lite": TEXT,
    "tokenizers": {"*": {"type": Maybe(TEXT), "size": Maybe(COUNT)}},
    "texts": {"*": {"texts": COUNT, "bytes": COUNT, "documents": COUNT, "sha256": TEXT, "notes": [TEXT]}},
    "corpus": {"*": {"*": FIGURES}},
    "ngram": {"*": PREDICTION},
    "parity": {"*": PARITY},
    "vocabulary": {"*": PIECES},
    "residue": {"*": {"*": {"never_final": COUNT, "residue": COUNT}}},
    "stability": {"*": {"*": {"*": Maybe({"removed": NUMBER, "added": NUMBER})}}},
    "probes": {"*": PROBES},
    "cost": {
        "tokenizers": {"*": {"models": {"*": {"share": SHARE}}}},
        "texts": {"*": {"*": {"*": {"against_first": SHARE}}}},
    },
    "verdicts": [
        {
            "text": TEXT, "a": TEXT, "b": TEXT, "figure": TEXT, "verdict": TEXT, "winner": Maybe(TEXT), "who": [TEXT],
            "relative": SHARE, "ci95": INTERVAL, "p_holm": SHARE, "words": TEXT,
        }
    ],
    "faults": [
        {
            "severity": Kind(f"one of {', '.join(TONES)}", lambda value: type(value) is str and value in TONES),
            "tokenizer": Maybe(TEXT), "what": TEXT, "count": NUMBER, "words": TEXT,
        }
    ],
    "worst?": {"*": [{"number": COUNT, "text": TEXT, "pieces": {"*": [(COUNT, COUNT, SIGNS)]}}]},
    f"{MIXTURE}?": {"corpus": {"*": FIGURES}, "ngram": PREDICTION, "shares": {"*": NUMBER}},
}  # fmt: skip


def check_audit(data: Any) -> None:
    """Raise ValueError for data that is not of an audit, naming the place."""
    check(data, FORM, "the audit")
    tokenizers, texts = data["tokenizers"], data["texts"]
    if not tokenizers:
        raise ValueError("the audit is of no tokenizer")
    sections = {f"corpus.{text}": of_text for text, of_text in data["corpus"].items()}
    sections |= {f"ngram.{text}.models": one["models"] for text, one in data["ngram"].items()}
    sections |= {"parity": data["parity"]} if data["parity"] else {}
    sections["cost.tokenizers"] = data["cost"]["tokenizers"]
    for text, sizes in data["cost"]["texts"].items():
        sections |= {f"cost.texts.{text}.{size}": costs for size, costs in sizes.items()}
    if MIXTURE in data:
        sections["mixture.corpus"] = data[MIXTURE]["corpus"]
        if predicts_mixture(data):
            sections["mixture.ngram.models"] = data[MIXTURE]["ngram"]["models"]
        check_names(data[MIXTURE]["shares"], texts, "mixture.shares")
    for place, names in sections.items():
        check_names(names, tokenizers, place)
        if len(names) < len(tokenizers):
            raise ValueError(f"{place} has no {next(name for name in tokenizers if name not in names)!r:.60}")
    check_texts(data, {*texts, MIXTURE} if MIXTURE in data else {*texts})
    for section in ("vocabulary", "stability", "probes"):
        check_names(data[section], tokenizers, section)
    for one in data["faults"]:
        check_names([one["tokenizer"]] if one["tokenizer"] is not None else [], tokenizers, "faults")
        if set(one) != {"severity", "tokenizer", "what", "count", "examples", "words"}:
            raise ValueError(f"a fault has the keys {', '.join(one)}")


def check_texts(data: Mapping[str, Any], texts: set[str]) -> None:
    """Raise ValueError if a part of an audit is of texts or pairs that another part has not."""
    tokenizers = data["tokenizers"]
    for section in ("corpus", "ngram", "residue"):
        check_names(data[section], data["corpus"] if section != "corpus" else texts, section)
    check_names(data["cost"]["texts"], texts & {*data["corpus"], MIXTURE}, "cost.texts")
    costs = [{*one["models"]} for one in data["cost"]["tokenizers"].values()]
    if any(sizes != costs[0] for sizes in costs):
        raise ValueError("cost.tokenizers are not of the same models")
    for text, found in data["residue"].items():
        check_names(found, tokenizers, f"residue.{text}")
    pairs, judged = set(), ({*data["ngram"]} | ({MIXTURE} if predicts_mixture(data) else set())) & texts
    for one in data["verdicts"]:
        check_names([one["a"], one["b"], *one["who"]], tokenizers, "verdicts")
        check_names([one["winner"]] if one["winner"] is not None else [], (one["a"], one["b"]), "verdicts")
        check_names([one["text"]], judged, "verdicts")
        if one["winner"] is not None and one["relative"] is None:
            raise ValueError("verdicts: a winner has no lead")
        models = with_mixture(data, "ngram")[one["text"]]["models"]
        if one["verdict"] == "too little text" and None in (models[name].get("fill") for name in (one["a"], one["b"])):
            raise ValueError("verdicts: text is too little, and nothing says how little")
        pairs.add(f"{one['a']} - {one['b']}")
    for text, one in [*data["ngram"].items(), *([(MIXTURE, data[MIXTURE]["ngram"])] if MIXTURE in data else [])]:
        check_names(one["pairs"], pairs, f"ngram.{text}.pairs")
        orders = [{"n1", "n2", "n3"} & model.keys() for model in one["models"].values()]
        if any(known != orders[0] for known in orders):
            raise ValueError(f"ngram.{text}.models are not of the same orders")
    languages = [figures["languages"] for figures in data["parity"].values()]
    for one in languages:
        check_names(one, data["corpus"], "parity.languages")
        if {*one} != {*languages[0]}:
            raise ValueError("parity: the tokenizers have different languages")


def predicts_mixture(data: Mapping[str, Any]) -> bool:
    """Whether there are models of the mixture: none if a text is too short for one, or no model was asked for."""
    return MIXTURE in data and bool(data[MIXTURE]["ngram"]["models"])


def check_names(names: Iterable[str], known: Container[str], place: str) -> None:
    """Raise ValueError for a name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise ValueError(f"{place} names {name!r:.60}, which the audit has not")
