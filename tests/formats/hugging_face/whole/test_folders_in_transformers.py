"""Folders of transformers, read and written, with transformers 4 and 5 themselves.

SPM_LITE_TRANSFORMERS names the Pythons of environments that have them, with a colon between (on Windows a semicolon).
Without it, these tests are skipped. CONTRIBUTING says how to make the environments.
"""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from oracle import ids_in_transformers, partners

import spm_lite
from spm_lite.formats.hugging_face.folder import CHOSEN
from spm_lite.formats.hugging_face.folder_classes import READ
from spm_lite.formats.proof.conditions import Findings
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Settings

PYTHONS = [path for path in os.environ.get("SPM_LITE_TRANSFORMERS", "").split(os.pathsep) if path]
pytestmark = pytest.mark.skipif(not PYTHONS, reason="SPM_LITE_TRANSFORMERS names no Python with transformers")

FILES = {
    "Llama": "tokenizer.model", "Gemma": "tokenizer.model", "DebertaV2": "spm.model", "RemBert": "sentencepiece.model",
    "Marian": "source.spm",
    **dict.fromkeys(("Pegasus", "T5", "MT5", "Udop", "Reformer", "BigBird"), "spiece.model"),
}  # fmt: skip
PAD_FIRST = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}  # as T5 and Pegasus have it
TEXTS = [*partners.corpus(60), *map("".join, zip(partners.BITS, partners.WORDS * 3, partners.BITS[::-1], strict=False))]
TEXTS += [
    "",
    " ",
    "  a",
    "a  ",
    "\u2581a \u2581",
    "a\0b",
    "e\u0301 \ufb01",
    "\u6f22\u5b57",
    "👩‍👩‍👧",
    "a\u0085b",
    "<pad>",
]


def answers(python, jobs):
    """(version of transformers, its answers)."""
    ran = subprocess.run(
        [python, ids_in_transformers.__file__], input=json.dumps(jobs), stdout=subprocess.PIPE, text=True, check=True
    )
    found = json.loads(ran.stdout)
    return int(found["version"].split(".")[0]), found["answers"]


def prompts(names, seed=1):
    """Texts of several turns, with special pieces between them."""
    rng = random.Random(seed)
    turn = lambda: rng.choice(names) + rng.choice(["", " ", "\n"]) + rng.choice(TEXTS)  # noqa: E731
    return ["".join(turn() for _ in range(rng.randint(1, 4))) for _ in range(80)]


def special(tok):
    return [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) in ("control", "unknown")]


def class_folder(place, name, model_type):
    """A folder with a small model, read: (Tokenizer, conditions)."""
    place.mkdir()
    ids = PAD_FIRST if name in ("T5", "MT5", "Pegasus") else {}
    tok = spm_lite.train(
        partners.corpus(), model_type=model_type, vocab_size=400, lossless=False, byte_fallback=name == "Llama",
        hard_vocab_limit=False, normalization="nmt_nfkc", remove_extra_whitespaces=True, **ids,
    )  # fmt: skip
    tok.save(place / FILES.get(name, "sentencepiece.bpe.model"))
    if READ[name].has_list:
        pieces = [tok.id_to_piece(i) for i in range(len(tok))]
        listed = [*pieces[::-1], *(text for text in ("<pad>", "<s>", "</s>", "<unk>", ">>fr<<") if text not in pieces)]
        (place / "vocab.json").write_text(json.dumps({text: i for i, text in enumerate(listed)}), encoding="utf-8")
        tok.save(place / "target.spm")
    (place / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": f"{name}Tokenizer"}), encoding="utf-8")
    settings = Settings(findings=Findings())
    entry, source = loading.opened(place)
    return loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings), settings.findings.conditions


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_folders_of_classes_that_are_read(tmp_path, python, model_type):
    read = {name: class_folder(tmp_path / name, name, model_type) for name in READ}
    texts = {name: [*TEXTS, *prompts(special(tok))] for name, (tok, _) in read.items()}
    jobs = [{"folder": str(tmp_path / name), "texts": texts[name], "slow": True} for name in READ]
    number, found = answers(python, jobs)
    for (name, (tok, conditions)), answer in zip(read.items(), found, strict=True):
        assert any(test.name == "class" for test in conditions)
        if number > 4:  # it builds the classes anew, as that condition says
            continue
        assert "error" not in answer, (name, answer)
        for i, text in answer["tokens"].items():
            assert (name, tok.id_to_piece(int(i))) == (name, text)
        tests = [test for test in conditions if test.name != "class"]
        met = [i for i, text in enumerate(texts[name]) if all(test.is_met(text) for test in tests)]
        assert len(met) > 50
        for i in met:
            text = texts[name][i]
            assert (name, text, tok.encode(text, allow_special="all")) == (name, text, answer["ids"][i])


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", ["Bert", "GPT2", "Roberta", "Qwen2"])
def test_folders_of_lists_of_pieces(tmp_path, python, name):
    if name == "Bert":
        partners.trained("wordpiece", normalization="bert_uncased").save(tmp_path / "vocab.txt", format="vocab.txt")
    else:
        tokenizers = pytest.importorskip("tokenizers")
        pair = tokenizers.ByteLevelBPETokenizer()
        pair.train_from_iterator(partners.corpus(), vocab_size=330, show_progress=False)
        pair.save_model(str(tmp_path))
    config = {"tokenizer_class": f"{name}Tokenizer", "do_lower_case": True, "additional_special_tokens": ["<|user|>"]}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    settings = Settings(findings=Findings())
    entry, source = loading.opened(tmp_path)
    tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    texts = [*TEXTS, *prompts(special(tok))]
    (answer,) = answers(python, [{"folder": str(tmp_path), "texts": texts, "slow": name != "Bert"}])[1]
    assert "error" not in answer, answer
    met = [i for i, text in enumerate(texts) if all(test.is_met(text) for test in settings.findings.conditions)]
    assert len(met) > 50
    for i in met:
        assert (texts[i], tok.encode(texts[i], allow_special="all")) == (texts[i], answer["ids"][i])


def clip_files(place):
    """The two files of a CLIP: merges of single bytes, of which the last of a word ends with </w>."""
    from spm_lite.formats.gpt2_files import SPELLING

    signs = [*SPELLING.values()]
    merges = ["t h", "th e</w>", "a t</w>", "c at</w>", "i n", "in g</w>", "Ã ¤"]
    made = [line.replace(" ", "") for line in merges]
    pieces = [*signs, *(sign + "</w>" for sign in signs), *made, "<|startoftext|>", "<|endoftext|>"]
    (place / "vocab.json").write_text(json.dumps({text: i for i, text in enumerate(pieces)}), encoding="utf-8")
    (place / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(
    "name", ["CLIP", "GPT2", "CodeGen", "Roberta", "Longformer", "Bart", "LED", "Deberta", "Blenderbot"]
)
def test_folders_of_classes_that_change_texts_first(tmp_path, python, name):
    config = {"tokenizer_class": f"{name}Tokenizer"}
    if name == "CLIP":
        clip_files(tmp_path)
    else:
        config["add_prefix_space"] = True
        pair = pytest.importorskip("tokenizers").ByteLevelBPETokenizer()
        pair.train_from_iterator(partners.corpus(), vocab_size=330, show_progress=False)
        pair.save_model(str(tmp_path))
    size = len(json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8")))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    config["added_tokens_decoder"] = {str(size): {"content": "new", **flags}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    settings = Settings(findings=Findings())
    entry, source = loading.opened(tmp_path)
    tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    texts = [*TEXTS, *prompts([*special(tok), "new"])]
    (answer,) = answers(python, [{"folder": str(tmp_path), "texts": texts}])[1]
    assert "error" not in answer, answer
    for i, text in answer["tokens"].items():
        assert tok.id_to_piece(int(i)) == text
    met = [i for i, text in enumerate(texts) if all(test.is_met(text) for test in settings.findings.conditions)]
    assert len(met) > 50
    for i in met:
        assert (texts[i], tok.encode(texts[i], allow_special="all")) == (texts[i], answer["ids"][i])


WRITTEN = {
    "unigram": {"normalization": "nmt_nfkc", "lossless": False},
    "bpe": {"lossless": "strict"},
    "char": {"lossless": False, "byte_fallback": False},
    "byte_bpe": {},
    "wordpiece": {"normalization": "bert_uncased"},
}


@pytest.mark.parametrize("python", PYTHONS)
def test_folders_that_are_written(tmp_path, python):
    jobs, made = [], []
    for model_type, options in WRITTEN.items():
        symbols = ["<|user|>", "<|assistant|>"]
        tok = spm_lite.train(
            partners.corpus(), model_type=model_type, vocab_size=330, hard_vocab_limit=False, control_symbols=symbols,
            **options,
        )  # fmt: skip
        conversion = tok.to_hf(tmp_path / model_type, allow=["metaspace", "unused", "stranded", "denormalizer"])
        texts = [*TEXTS, *prompts(symbols)]
        jobs.append({"folder": str(tmp_path / model_type), "texts": texts})
        made.append((tok, conversion, texts))
    for job, answer, (tok, conversion, texts) in zip(jobs, answers(python, jobs)[1], made, strict=True):
        assert "error" not in answer, (job["folder"], answer)
        tests = [test for test in conversion._tests if test.name != "special"]
        names = special(tok)
        met = [i for i, text in enumerate(texts) if all(test.is_met(text) for test in tests)]
        assert len(met) > 50
        for i in met:
            assert (texts[i], tok.encode(texts[i], allow_special=names)) == (texts[i], answer["ids"][i])


TEMPLATE = (
    "{%- for message in messages -%}"
    "<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{{ '\\n' if message['role'] == 'user' }}"
    "{%- endfor -%}<|assistant|>"
)
MARKERS = ["<|user|>", "<|assistant|>", "<|system|>", "<|end|>"]
OPTIONS = {
    "unigram": [{}, {"normalization": "nmt_nfkc", "lossless": False, "remove_extra_whitespaces": True}],
    "bpe": [{}, {"lossless": "strict"}, {"add_dummy_prefix": False, "lossless": False}],
    "char": [{}, {"lossless": False, "byte_fallback": False}],
    "byte_bpe": [{}],
    "wordpiece": [{"normalization": "bert_uncased"}, {"normalization": "bert_cased"}],
}


def chats(seed, n=50):
    """Conversations of several turns."""
    rng = random.Random(seed)
    texts = [
        "where is the cat?",
        " on the mat ",
        "  two  spaces  ",
        "\nthe cat\n",
        "",
        "1+1",
        "\u00c9 \ufb01 e\u0301",
        *TEXTS[:40],
    ]
    found = []
    for _ in range(n):
        roles = ["system"] * rng.randint(0, 1) + ["user", "assistant"] * rng.randint(1, 4)
        found.append([{"role": role, "content": rng.choice(texts)} for role in roles])
    return found


def segments(chat):
    """The prompt of a chat as TEMPLATE makes it."""
    found = []
    for message in chat:
        found += [
            spm_lite.Control(f"<|{message['role']}|>"),
            spm_lite.Text(message["content"]),
            spm_lite.Control("<|end|>"),
        ]
        found += [spm_lite.Text("\n")] * (message["role"] == "user")
    return [*found, spm_lite.Control("<|assistant|>")]


@pytest.mark.parametrize("python", PYTHONS)
def test_chats(tmp_path, python):
    jobs, made = [], []
    for model_type, variants in OPTIONS.items():
        for number, options in enumerate(variants):
            tok = spm_lite.train(
                partners.corpus(), model_type=model_type, vocab_size=340, hard_vocab_limit=False,
                control_symbols=MARKERS, **options,
            )  # fmt: skip
            place = tmp_path / f"{model_type}-{number}"
            conversion = tok.to_hf(
                place, chat_template=TEMPLATE, allow=["metaspace", "unused", "stranded", "denormalizer"]
            )
            jobs.append({"folder": str(place), "texts": [], "chats": chats(number)})
            made.append((tok, conversion))
    for job, answer, (tok, conversion) in zip(jobs, answers(python, jobs)[1], made, strict=True):
        assert "error" not in answer, (job["folder"], answer)
        assert not any("no marker of the chat template" in sentence for sentence in conversion.conditions)
        tests = [test for test in conversion._tests if test.name != "special"]
        met = [i for i, (text, _) in enumerate(answer["prompts"]) if all(test.is_met(text) for test in tests)]
        assert len(met) > 20, (job["folder"], conversion.conditions)
        for i in met:
            text, ids = answer["prompts"][i]
            where = (Path(job["folder"]).name, text)
            assert (*where, tok.encode(text, allow_special="all")) == (*where, ids)
            assert (*where, tok.encode_segments(segments(job["chats"][i]))) == (*where, ids)


@pytest.mark.parametrize("python", PYTHONS)
def test_a_model_type_that_chooses_another_class(tmp_path, python):
    tok, jobs = partners.trained("bpe"), []
    for kind in (*CHOSEN, "qwen3", "llama", "hyperclovax"):
        place = tmp_path / kind
        place.mkdir()
        (place / "config.json").write_text(json.dumps({"model_type": kind}), encoding="utf-8")
        conversion = tok.to_hf(place, allow="metaspace")
        assert any(kind in sentence for sentence in conversion.conditions) == (kind in CHOSEN)
        job = {"folder": str(place), "texts": TEXTS}
        jobs += [job, job | {"class": "PreTrainedTokenizerFast"}]
    number, found = answers(python, jobs)
    for job, auto, named in zip(jobs[::2], found[::2], found[1::2], strict=True):
        kind = Path(job["folder"]).name
        assert named["class"] in ("PreTrainedTokenizerFast", "TokenizersBackend")
        if number > 4 and kind in CHOSEN:
            assert auto["class"] == CHOSEN[kind] and auto["ids"] != named["ids"]
        elif "error" not in auto:  # transformers 4 does not know some model types
            assert auto["ids"] == named["ids"]
