"""Read folders of transformers made at random: each is refused, or gives the ids of transformers.

    python tools/fuzz/folders.py PYTHON [--seed N] [--folders N] [--texts N] [--keep FOLDER]

PYTHON has transformers 4. The measure is its slow class for a model file, and its fast class for a list of pieces. With
transformers 5, only folders of lists of pieces are compared, since it builds the other classes anew. A folder has a
small model of some type, a class, and settings drawn at random: added tokens with all flags, roles,
special_tokens_map.json, added_tokens.json. A difference that meets no reported condition is shown, its folder is kept,
and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import tokenizers

import spm_lite
from spm_lite.formats.hugging_face.folder_classes import PAIRS, READ
from spm_lite.formats.proof.conditions import Condition, Findings
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Settings

sys.path.insert(0, str(Path(__file__).parent))
import pipelines

ASK = Path(__file__).parents[2] / "tests" / "oracle" / "ids_in_transformers.py"
FILES = {
    "Llama": "tokenizer.model", "Gemma": "tokenizer.model", "DebertaV2": "spm.model", "RemBert": "sentencepiece.model",
    "Marian": "source.spm",
    **dict.fromkeys(("Pegasus", "T5", "MT5", "Udop", "Reformer", "BigBird"), "spiece.model"),
}  # fmt: skip
LISTS = {"Bert": "wordpiece", "Electra": "wordpiece", **dict.fromkeys(PAIRS, "byte_bpe")}
ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
NAMES = [
    "<x>",
    "<|end|>",
    "cat",
    "the ",
    " sat",
    "東京",
    "a b",
    "[MASK]",
    "<mask>",
    "</s>",
    "<pad>",
    "<extra_id_3>",
    "É",
]
ALLOW = ("config",)


def models(draw: random.Random) -> dict[str, list[spm_lite.Tokenizer]]:
    """Some models of each type; those of SentencePiece with the special pieces in several orders."""
    found: dict[str, list[spm_lite.Tokenizer]] = {"sentencepiece": [], "wordpiece": []}
    for i in range(12):
        ids = draw.choice([{}, {}, {}, {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}, {"bos_id": -1}])
        options: dict[str, Any] = {
            "byte_fallback": draw.random() < 0.3,
            "normalization": draw.choice(["nmt_nfkc", "identity"]),
        }
        options["control_symbols"] = draw.choice([[], [], ["<sep>"]])
        found["sentencepiece"].append(
            spm_lite.train(
                pipelines.corpus(draw), vocab_size=350, model_type=("unigram", "bpe")[i % 2], lossless=False,
                remove_extra_whitespaces=draw.random() < 0.7, hard_vocab_limit=False, **ids, **options,
            )
        )  # fmt: skip
    for lossless in (True, "strict"):
        found["sentencepiece"].append(
            spm_lite.train(pipelines.corpus(draw), vocab_size=420, lossless=lossless, hard_vocab_limit=False)
        )
    for name in ("bert_cased", "bert_uncased"):
        found["wordpiece"].append(
            spm_lite.train(
                pipelines.corpus(draw),
                vocab_size=300,
                model_type="wordpiece",
                normalization=name,
                hard_vocab_limit=False,
            )
        )
    return found


def token(draw: random.Random, size: int) -> dict[str, Any]:
    flags = {flag: draw.random() < 0.3 for flag in ("single_word", "lstrip", "rstrip", "normalized")}
    return {"content": draw.choice(NAMES), **flags, "special": draw.random() < 0.8}


def settings(draw: random.Random, own_class: str, size: int) -> dict[str, dict[str, Any]]:
    """The files of settings of a folder. size: ids that are taken."""
    config: dict[str, Any] = {"tokenizer_class": own_class + "Tokenizer"}
    special: dict[str, Any] = {}
    added: dict[str, Any] = {}
    if own_class in LISTS:
        config["do_lower_case"] = draw.random() < 0.5
    for role in ROLES:
        place = draw.choice([None, None, None, config, special])
        if (
            place is not None
            and (own_class in READ or draw.random() < 0.3)
            and role in READ.get(own_class, READ["T5"]).roles
        ):
            text = draw.choice([READ.get(own_class, READ["T5"]).roles[role], draw.choice(NAMES)])
            flags = {flag: draw.random() < 0.3 for flag in ("lstrip", "rstrip", "normalized")}
            place[f"{role}_token"] = draw.choice([text, {"content": text, "single_word": False, **flags}])
            if place is config and isinstance(config[f"{role}_token"], dict):
                config[f"{role}_token"]["__type"] = "AddedToken"
    if draw.random() < 0.3:
        draw.choice([config, special])["additional_special_tokens"] = draw.sample(NAMES, 2)
    way = draw.randrange(4)
    texts = draw.sample(NAMES, draw.randint(1, 3))
    if way == 1:
        config["added_tokens_decoder"] = {
            str(size + i): token(draw, size) | {"content": text} for i, text in enumerate(texts)
        }
    elif way == 2:
        added = {text: size + i for i, text in enumerate(texts)}
    if own_class in ("Llama", "T5", "Udop") and draw.random() < 0.3:
        config["legacy"] = False
    if own_class in ("T5", "MT5") and draw.random() < 0.5:
        config["extra_ids"] = draw.choice([0, 5, 100])
    if own_class == "Pegasus":
        config["offset"] = draw.choice([103, 0, 7])
        if draw.random() < 0.5:
            config["mask_token_sent"] = None
    if own_class == "PLBart":
        config["language_codes"] = draw.choice(["base", "multi"])
    return {"tokenizer_config.json": config, "special_tokens_map.json": special, "added_tokens.json": added}


def make_folder(draw: random.Random, place: Path, bases: dict[str, list[spm_lite.Tokenizer]]) -> str:
    """Fill a folder, and give the name of its class."""
    own_class = draw.choice([*READ, *READ, *LISTS])
    kind = LISTS.get(own_class, "sentencepiece")
    tok = draw.choice(bases["sentencepiece" if kind == "byte_bpe" else kind])
    size = len(tok)
    if kind == "sentencepiece":
        name = FILES.get(own_class, "sentencepiece.bpe.model")
        tok.save(str(place / name))
        if READ[own_class].has_list:
            texts = [tok.id_to_piece(i) for i in range(len(tok))]
            texts += [text for text in ("<pad>", "<s>", "</s>", "<unk>", "qqzq", ">>fra<<", "ж") if text not in texts]
            draw.shuffle(texts)
            if draw.random() < 0.2:
                del texts[draw.randrange(len(texts))]
            (place / "vocab.json").write_text(json.dumps({text: i for i, text in enumerate(texts)}), encoding="utf-8")
            tok.save(str(place / "target.spm"))
            size = len(texts)
        else:
            size += READ[own_class].offset
    elif kind == "wordpiece":
        tok.save(str(place / "vocab.txt"), format="vocab.txt")
    else:
        pair = tokenizers.ByteLevelBPETokenizer()
        special = draw.choice([[], ["<|endoftext|>"], ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]])
        pair.train_from_iterator(pipelines.corpus(draw), vocab_size=400, show_progress=False, special_tokens=special)
        pair.save_model(str(place))
        size = pair.get_vocab_size()
    for name, content in settings(draw, own_class, size).items():
        if content or name == "tokenizer_config.json":
            (place / name).write_text(json.dumps(content), encoding="utf-8")
    return own_class


def first_difference(
    tok: spm_lite.Tokenizer, tests: list[Condition], texts: list[str], answer: dict[str, Any]
) -> tuple[str | None, int]:
    """What is wrong with our reading of a folder, if anything; and how many texts were compared."""
    compared = 0
    for i, text in answer["tokens"].items():
        if tok.piece_to_id(text) != int(i):
            return f"the added token {text!r} has the id {tok.piece_to_id(text)} here, {i} there", 0
    for text, there in zip(texts, answer["ids"], strict=True):
        if not isinstance(there, str) and all(test.is_met(text) for test in tests):  # a str: it raises an error
            compared += 1
            own = tok.encode(text, allow_special="all")
            if own != there:
                return f"{text!r}: {own} here, {there} there", compared
    return None, compared


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="a Python with transformers 4, sentencepiece and protobuf")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folders", type=int, default=500)
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--keep", type=Path, default=Path("folders"), help="where folders with a difference go")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    bases = models(draw)
    found: Counter[str] = Counter()
    jobs, read = [], []
    with tempfile.TemporaryDirectory() as root:
        for number in range(arguments.folders):
            place = Path(root, str(number))
            place.mkdir()
            own_class = make_folder(draw, place, bases)
            taken = Settings(findings=Findings(ALLOW))
            try:
                entry, source = loading.opened(place)
                tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, taken)
            except spm_lite.SpmLiteError as error:
                found["refused"] += 1
                found[f"refused: {str(error).split(': ', 1)[-1][:60]}"] += 0
                continue
            names = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) in ("control", "unknown")]
            texts = pipelines.texts_of(draw, draw.sample(names, min(len(names), 8)), arguments.texts)
            texts += ["".join(draw.choice(texts)[:15] + draw.choice(names) for _ in range(3)) for _ in range(50)]
            jobs.append({"folder": str(place), "texts": texts, "slow": own_class not in LISTS})
            read.append((own_class, place, tok, taken.findings.conditions, texts))
        ran = subprocess.run(
            [arguments.python, str(ASK)], input=json.dumps(jobs), stdout=subprocess.PIPE, text=True, check=True
        )
        answers = json.loads(ran.stdout)
        is_old = answers["version"].startswith("4.")
        for (own_class, place, tok, conditions, texts), answer in zip(read, answers["answers"], strict=True):
            if not is_old and own_class in READ:
                continue
            tests = [one for one in conditions if not is_old or one.name != "class"]
            if "error" in answer:
                found["not loaded by transformers"] += 1
                continue
            found["read"] += 1
            wrong, compared = first_difference(tok, tests, texts, answer)
            found["texts compared"] += compared
            if wrong is not None:
                found["wrong"] += 1
                kept = arguments.keep / f"{arguments.seed}-{place.name}"
                shutil.copytree(place, kept, dirs_exist_ok=True)
                print(f"{kept} ({own_class}): {wrong:.300}", flush=True)
    print(", ".join(f"{name}: {count:,}" for name, count in sorted(found.items()) if count))
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
