"""What the settings of a folder of transformers say about ids, where it holds no tokenizer.json.

The class decides there: some classes give other ids than their model file, or add tokens to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.read_specials import has_piece
from spm_lite.formats.json_file import parse
from spm_lite.formats.proof.conditions import Findings, examples
from spm_lite.vocab.vocab import Vocab

# These classes give other ids than the model file. The names stand without their ending Tokenizer or TokenizerFast.
OTHER_IDS = {
    "Marian": "takes its ids from vocab.json", "XLMRoberta": "moves ids by one", "Camembert": "moves ids by four",
    "Pegasus": "moves ids by its offset", "BigBirdPegasus": "moves ids by its offset",
    "M2M100": "takes its ids from vocab.json", "Speech2Text": "takes its ids from vocab.json",
    "Nllb": "moves ids by one, and adds languages", "MBart": "moves ids by one, and adds languages",
    "MBart50": "moves ids by one, and adds languages", "XGLM": "moves ids by one, and adds tokens",
    "Barthez": "moves ids", "Bartpho": "takes its ids from another list", "PLBart": "moves ids, and adds languages",
    "XLMProphetNet": "moves ids", "LayoutXLM": "moves ids by one", "SeamlessM4T": "moves ids, and adds languages",
    "DebertaV2": "reads punctuation in its own way",
}  # fmt: skip
SAME_IDS = {
    "", "Llama", "CodeLlama", "Gemma", "T5", "MT5", "Albert", "XLNet", "BigBird", "RemBert", "Reformer", "FNet",
    "PreTrained", "Tokenizers", "TokenizersBackend", "Siglip", "Ernie", "GPTSw3", "Mistral", "Udop",
}  # fmt: skip
ADVICE = (
    "Load it in transformers, which writes its tokenizer.json by save_pretrained, and load that. Or load the model "
    "file itself for the ids of sentencepiece"
)


def check_class(place: str, config: dict[str, Any], findings: Findings) -> None:
    """Raise ModelError for a folder with a model file whose class gives other ids; OptionError for an unknown class."""
    name = str(config.get("tokenizer_class") or "").removesuffix("Fast").removesuffix("Tokenizer")
    if name in OTHER_IDS:
        raise ModelError(f"{place}: the class {name}Tokenizer {OTHER_IDS[name]}. {ADVICE}")
    if (Path(place) / "vocab.json").is_file():
        raise ModelError(f"{place} holds vocab.json beside a model file, which may decide the ids. {ADVICE}")
    if name not in SAME_IDS:
        findings.demand(
            "config", f"{place}: the class {name}Tokenizer is not known, and a class may change ids. {ADVICE}"
        )


def added_texts(place: str, config: dict[str, Any]) -> list[str]:
    """The texts of tokens that a folder adds to its file, by added_tokens.json, its settings, or its class."""
    found: list[str] = []
    path = Path(place) / "added_tokens.json"
    if path.is_file():
        found += map(str, parse(path.read_bytes(), str(path)))
    decoder = config.get("added_tokens_decoder")
    for token in decoder.values() if isinstance(decoder, dict) else ():
        text = token.get("content") if isinstance(token, dict) else token
        found += [text] if isinstance(text, str) else []
    if str(config.get("tokenizer_class")).removesuffix("Fast") in ("T5Tokenizer", "MT5Tokenizer"):
        extra = config.get("extra_ids", 100)
        found += [f"<extra_id_{i}>" for i in range(extra if isinstance(extra, int) else 0)]
    return list(dict.fromkeys(found))


def check_added(place: str, config: dict[str, Any], vocab: Vocab, findings: Findings) -> None:
    """Raise OptionError for tokens that a folder adds to its file, unless they are allowed."""
    texts = added_texts(place, config)
    missing = [text for text in texts if not has_piece(vocab, text.encode("utf-8", "surrogatepass"))]
    if missing:
        findings.demand(
            "config",
            f"{place} adds {examples(missing)} to the tokens of its file; transformers gives each a new id, and here "
            f"they are text. {ADVICE}",
        )
