"""Write the golden vectors: small models of every method, and the ids that they must give for ever.

    python tools/generate/golden.py

Run it only with a new format version, or for a new method. tests/whole/test_golden.py fails when a stored model gives
other ids or text than are stored here, or when the same training gives another model.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import zlib
from typing import Any

from tables import ROOT

import spm_lite

FILE = ROOT / "tests" / "golden.json"
CORPUS = [
    "The mill turns the wheel, and the wheel turns the mill.",
    "Die Mühle dreht das Rad; das Rad dreht die Mühle 1234 mal.",
    "水車は水を回し、水は水車を回す。",
    "มาทำงานกันเถอะ เราทำงานทุกวัน",
    "عجلة الماء تدور والماء يدور",
    "def turn(n):\n    return [wheel for wheel in range(n)]",
]
TEXTS = [
    "", " ", "  two  spaces ", "The mill", "unseen Wörter: ß, ﬁ, ①", "水車と猫", "e\u0301 \u00a0\u3000\ufeff",
    "a\tb\r\nc\0",
    "👩\u200d💻 🇯🇵", "\u2581marks\u2581", "<s> </s> <unk>", "x" * 40, "ทำงาน عجلة", "1234567890",
]  # fmt: skip
BYTES = ["ff", "61e29681", "e38182e381", "f09f98"]  # hex
MODELS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "vocab_size": 420},
    "unigram nfkc": {"model_type": "unigram", "vocab_size": 200, "normalization": "nfkc_rules", "byte_fallback": False},
    "bpe": {"model_type": "bpe", "vocab_size": 440},
    "bpe suffix": {"model_type": "bpe", "vocab_size": 440, "treat_whitespace_as_suffix": True, "split_digits": True},
    "byte_bpe": {"model_type": "byte_bpe", "vocab_size": 400},
    "wordpiece": {"model_type": "wordpiece", "vocab_size": 300},
    "word": {"model_type": "word", "vocab_size": 400},
    "char": {"model_type": "char", "vocab_size": 400},
}


def entry(tok: spm_lite.Tokenizer) -> dict[str, Any]:
    """What is stored of a model."""
    data = tok.to_bytes()
    return {
        "model": base64.b64encode(zlib.compress(data, 9)).decode(),
        "sha256": hashlib.sha256(data).hexdigest(),
        "ids": [tok.encode(text) for text in TEXTS],
        "decoded": [tok.decode(tok.encode(text)) for text in TEXTS],
        "ids of bytes": [tok.encode(bytes.fromhex(text)) for text in BYTES],
    }


def main() -> int:
    models = {
        name: entry(spm_lite.train(CORPUS * 4, hard_vocab_limit=False, num_threads=1, **options))
        for name, options in MODELS.items()
    }
    models["bytes"] = entry(spm_lite.byte_tokenizer())
    content = {"corpus": CORPUS, "texts": TEXTS, "bytes": BYTES, "options": MODELS, "models": models}
    FILE.write_text(json.dumps(content).replace('"sha256"', '\n"sha256"') + "\n", encoding="utf-8")
    print(f"{FILE}: {len(models)} models, {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
