"""Mistakes that people make, in the shell and in Python: what each message says to write works.

The remedy is read out of the message as a person would read it, and followed. So no row says what is right.
"""

import ast
import re
import shlex
from pathlib import Path

import pytest

import spm_lite
from spm_lite.cli.main import main

LINES = [f"the quick brown fox {i} jumps over the lazy dog and hello world {i * 7}" for i in range(300)]
LARGE = ["vocab_size=300", "hard_vocab_limit=False"]

SHELL = """
train en.txt --vocab-size 300 --model bpe
train en.txt --vocab-size 300 --model new
train en.txt --vocab-size 300 --model-type bbpe
train en.txt --vocab-size 300 --model-type ByteLevel
train en.txt --vocab-size 300 --model-type byte_level
train en.txt --vocab-size 300 --model-type BPE
train en.txt --vocab-size 300 --model-type ulm
train en.txt --vocab-size 300 --model-type unigram_lm --no-hard-vocab-limit
train en.txt --vocab-size 300 --model-type wp --no-hard-vocab-limit
train en.txt --vocab-size 300 --model-type WordPiece --no-hard-vocab-limit
train en.txt --vocab-size 300 --model-type bep
train en.txt --vocab-size 300 --type bpe
train en.txt --vocab-size 300 --algorithm bpe
train en.txt --size 300
train en.txt --vocab-sise 300
train en.txt --vocab-size 300 --out other
train en.txt --vocab-size 300 --output other
train en.txt --vocab-size 300 --jobs 2
train en.txt --vocab-size 300 --n-threads 2
train --input en.txt --vocab-size 300
train enn.txt --vocab-size 300
train en.tx --vocab-size 300
train en.txt --vocab-size 300 --character-coverage 99.95
train en.txt --vocab-size 300 --min-frequency 2
train en.txt --vocab-size 300 --silent
train en.txt --vocab-size 300 --verbose
train x.jsonl --vocab-size 300 --no-hard-vocab-limit --field body
train x.jsonl --vocab-size 300 --no-hard-vocab-limit --text-column body
train nulls.jsonl --vocab-size 300 --no-hard-vocab-limit
train nulls.jsonl --vocab-size 300 --no-hard-vocab-limit --skip-errors
train en.txt --vocab-size 300 --normalization nfck
encode en.txt
encode en.txt m.model
encode m.modle en.txt
encode -m m.modle en.txt
encode m.model en.txtt
encode m.model en.txt --pieces
encode m.model en.txt --ids
encode m.model en.txt --output-format pieces
encode m.model en.txt --output-format tokens
encode m.model en.txt --output-format json
encode m.model en.txt --add-bos
encode m.model en.txt --add_eos
encode m.model en.txt --out ids.txt
encode m.model -i en.txt
encode m.model en.txt --workers 2
encode m.model en.txt --extra_options bos:eos
encode m.model en.txt --tokens
decode ids.txt m.model
decode m.model ids.txt --skip-special-tokens
decode m.model pieces.txt --pieces
decode m.model pieces.txt --input-format pieces
show hello m.model
show m.model --text hello
explain hello m.model
explain m.modle hello
explain m.model hello --svg e2.svg
count en.txt m.model
count m.model en.txt --as-json
compare m.model en.txt
audit m.model en.txt
audit -m m.model
inspect en.txt
vocab m.model b.model
sweep en.txt --sizes 300 320
sweep en.txt --sizes 0.3k 0.32k
sweep en.txt --sizes 300, 320
sweep en.txt --vocab-sizes 300,320
convert m.model
convert bytes.model tiktoken --overwrite
encode m en.txt
count t5-small en.txt
sweep en.txt --sizes 400 -o q
convert m.model out --force
convert m.model out --format transformers
normalize m.model en.txt --out n.txt
normalise m.model en.txt
tokenize m.model en.txt
why m.model hello
encode m.model en.txt --separater x
""".strip().splitlines()

PYTHON = """
tok.encode(text, add_bos=True)
tok.encode(text, add_special_tokens=False)
tok.encode(text, add_eos=True)
tok.encode(text, out_type=str)
tok.encode(text, allowed_special={'</s>'})
tok.encode(text, disallowed_special=())
tok.encode(text, truncation=True)
tok.encode(text, max_length=3)
tok.encode(text, enable_sampling=True)
tok.encode(text, nbest_size=3)
tok.encode(text, return_offsets_mapping=True)
tok.encode(text, alpha=0.5)
tok.encode(text, verbose=False)
tok.encode(text, is_split_into_words=True)
tok.count(text, add_special_tokens=True)
tok.pieces(text, add_special_tokens=True)
tok.encode_batch(texts, padding=True)
tok.encode_batch(texts, return_attention_mask=True)
tok.encode_batch(texts, padding_side='left')
tok.encode_lists(texts, truncation=True)
tok.encode_lists(texts, num_workers=2)
tok.encode_lists(texts, verbose=True)
tok.decode(ids, skip_special_tokens=True)
tok.decode(ids, clean_up_tokenization_spaces=True)
tok.decode_batch([ids], skip_special_tokens=True)
tok.nbest(text, nbest_size=3)
tok.nbest(text, k=3)
tok.sample(text, n=3)
tok.sample(text, alpah=0.5)
tok.truncate(text, max_length=3)
tok.truncate(text, max_tokens=3)
tok.chunks(text, 3, stride=1)
tok.chunks(text, chunk_size=5)
tok.spans(text, unti='byte')
tok.stream(skip_special_tokens=True)
tok.to_hf('folder', push_to_hub=True)
tok.save('x.json')
tok.save('m.tiktoken.model', pretty=True)
tok.tokenize(text)
tok.encode_as_ids(text)
tok.batch_decode([ids])
tok.token_to_id('▁the')
tok.get_vocab_size()
tok.get_piece_size()
tok.pad_token_id()
tok['▁the']
tok(texts)
tok.encode(texts)
tok.decode([ids])
tok.decode(tok.encode_batch(texts))
tok.decode_bytes(tok.encode_batch(texts))
tok.to_huggingface('folder')
tok.tokenize_batch(texts)
tok.detokenize_batch([ids])
tok.explain(text).to_png()
tok.explain(text).to_svg()
tok.encode_files('en.txt', 'ids.bin', n_threads=2)
spm_lite.load('m.modle')
spm_lite.load('m.model', use_fast=True)
spm_lite.load(model_file='m.model')
spm_lite.load('m.model', trust_remote_code=True)
spm_lite.load('m.model', revision='main')
spm_lite.Tokeniser
spm_lite.compare('m.model', 'b.model')
spm_lite.from_pretrained('m.model')
spm_lite.get_encoding('m.model')
spm_lite.from_hf('m.model')
spm_lite.SentencePieceProcessor(model='m.model')
spm_lite.SentencePieceProcessor(modle_file='m.model')
spm_lite.trian('en.txt')
spm_lite.train('en.txt', 300)
spm_lite.train('en.txt', vocab=300)
spm_lite.train('en.txt', vocabsize=300)
spm_lite.train('en.txt', vocab_size=300, model_type='bbpe')
spm_lite.train('en.txt', vocab_size=300, model_type='wp')
spm_lite.train('en.txt', vocab_size=300, model_type='ulm')
spm_lite.train('en.txt', vocab_size=300, model_type='bp')
spm_lite.train('en.txt', vocab_size=300, character_coverage=99.95)
spm_lite.train('en.txt', vocab_size=300, split_digits='yes')
spm_lite.train('en.txt', vocab_size=300, min_frequency=2)
spm_lite.train('en.txt', vocab_size=300, n_threads=2)
spm_lite.train('en.txt', vocab_size=300, show_progress=False)
spm_lite.train('en.txt', vocab_size=300, model_prefix='m')
spm_lite.train('en.txt', vocab_size=300, normalization='nfck')
spm_lite.train('en.txt', vocab_size=300, user_defined_symbols='<sep>')
spm_lite.train('en.txt', vocab_size='0.3k')
spm_lite.train('en.txt', vocab_size=9)
spm_lite.train('en.txt', vocab_size=99999)
spm_lite.convert('bytes.model', 'tiktoken')
spm_lite.audit(tok, paralel={'a': texts, 'b': texts}, orders=())
spm_lite.audit(tok, text=texts, orders=())
spm_lite.audit(tok, texts, order=())
spm_lite.evaluate(tok, text=texts)
spm_lite.sweep('en.txt', [400], heldout=texts)
spm_lite.sweep('en.txt', [400], text=texts)
spm_lite.load('m')
tok.to_hf('folder', max_length=512)
""".strip().splitlines()


@pytest.fixture
def place(tmp_path, monkeypatch, made):
    """The files of the mistakes, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.fixture(scope="module")
def made():
    """The content of the files by name."""
    text = "\n".join(LINES)
    unigram, bpe, byte_bpe = (spm_lite.train(LINES, vocab_size=400, model_type=kind, hard_vocab_limit=False)
                    for kind in ("unigram", "bpe", "byte_bpe"))  # fmt: skip
    files = {
        "en.txt": text,
        "x.jsonl": "\n".join(f'{{"body": "{line}"}}' for line in LINES),
        "nulls.jsonl": "\n".join([*(f'{{"text": "{line}"}}' for line in LINES), '{"text": null}']),
        "ids.txt": " ".join(map(str, unigram.encode(LINES[0]))) + "\n",
        "pieces.txt": " ".join(unigram.pieces(LINES[0])) + "\n",
    }
    return {name: data.encode() for name, data in files.items()} | {
        "m.vocab": b"", "m.model": unigram.to_bytes(), "b.model": bpe.to_bytes(), "bytes.model": byte_bpe.to_bytes(),
    }  # fmt: skip


def test_enough_mistakes():
    assert len(set(SHELL)) >= 60 and len(set(PYTHON)) >= 60


@pytest.mark.parametrize("typed", SHELL)
def test_in_the_shell(typed, place, capfd):
    words = shlex.split(typed)
    assert main(words) in (1, 2), "it is no mistake"
    for _ in range(2):  # a remedy may lead to the next message
        message = capfd.readouterr().err
        assert "unexpected" not in message and "=True" not in message, message
        words = followed(words, message.splitlines()[-1].partition("error: ")[2])
        code = main(words)
        if not code:
            break
    assert code == 0, (words, capfd.readouterr().err)


def followed(words, message):
    """The words of a command as its message says to write them."""
    message = re.sub(r" \(see '[^']*'\)$", "", message)
    if found := re.search(r"write '(spm-lite .*?)'(?=[,;]|$)", message):
        return shlex.split(found[1])[1:]
    if found := re.search(r"did you mean ([^?]+)\?", message):
        meant = found[1].split(" or ")[0]
        before = message.partition("did you mean")[0]
        named = re.findall(r"'([^']*)'", before) + re.findall(r"--?[\w-]+|[\w.]+", before)
        wrong = next(word for word in named if word in words)
        return [meant if word == wrong else word for word in words]
    if found := re.match(r"unknown command '(\w+)': write (\w+)", message):
        return [found[2], *words[1:]]
    if "and 'b.model' is named too: leave it out" in message:
        return [word for word in words if word != "b.model"]
    if found := re.match(r"unknown option (--?[\w-]+)", message):
        return replaced(words, found[1], message)
    if found := re.match(r"(--\S+): '.*' is not one of .*: write (--.*)", message):
        return [*without(words, found[1]), *found[2].split()]
    if found := re.search(r": write (--?\S+ \S+)$", message):
        option, value = found[1].split()
        rest = without(words, option)
        return [word for word in rest if word.strip(",") not in value.split(",")] + [option, value]
    if found := re.search(r"(?:write|: )\s?(--[\w-]+ [\w.'-]+)(?: for| leaves)", message):
        option, value = shlex.split(found[1])
        return [*without(words, option), option, value]
    raise AssertionError(f"no remedy is read in: {message}")


def replaced(words, wrong, message):
    """The words with an option replaced by what the message says, or left out."""
    place = next(i for i, word in enumerate(words) if word.partition("=")[0] == wrong)
    end = place + 1
    if end < len(words) and takes_value(words[end], message):
        end += 1
    if found := re.search(r"(?:write|use) (.*)", message):
        text = re.split(r" for the kind|; --|, the method| to name|, which|, or both", found[1])[0]
        typed = shlex.split(text)
        if len(typed) == 1 and typed[0].startswith("--") and end == place + 2:
            typed.append(words[end - 1])
        return words[:place] + typed + words[end:]
    assert "leave it out" in message, message
    return words[:place] + words[end:]


def takes_value(word, message):
    """Whether the word after a wrong option is its value: the message repeats it, or names an option that takes one."""
    return not word.startswith("-") and (word in message or not Path(word).exists())


def without(words, option):
    """The words without an option and its value."""
    if option not in words:
        return words
    place = words.index(option)
    return words[:place] + words[place + 2 :]


class Names(dict):
    """The names that messages use: of the package, of a tokenizer, and of what the mistakes are about."""

    def __missing__(self, name):
        for owner in (self["tok"], spm_lite):
            if hasattr(owner, name):
                return getattr(owner, name)
        raise KeyError(name)


@pytest.mark.parametrize("typed", PYTHON)
def test_in_python(typed, place):
    tok = spm_lite.load("m.model")
    text = "hello the quick fox"
    names = Names(
        tok=tok, spm_lite=spm_lite, text=text, texts=[text, "the"], ids=tok.encode(text), path="m.model", n=3, a="a",
        piece="▁the", folder="folder", piece_id=5, words=["a"], batch=[tok.encode(text)], data=b"", str=str,
    )  # fmt: skip
    with pytest.raises((spm_lite.SpmLiteError, TypeError, AttributeError)) as caught:
        eval(typed, {}, names)
    for _ in range(4):  # a remedy may lead to the next message
        typed = corrected(typed, caught.value)
        try:
            eval(typed, {}, names)
            return
        except (spm_lite.SpmLiteError, TypeError, AttributeError) as error:
            caught = type("Caught", (), {"value": error})
    raise AssertionError(typed) from caught.value


def corrected(typed, error):
    """The expression as the error says to write it: by its remedies, or by what the message names first."""
    message = str(error)
    tree = ast.parse(typed, mode="eval")
    call = tree.body
    wrong = re.search(r"(?:keyword argument|no option|the option) '(\w+)'", message)
    keywords = call.keywords if isinstance(call, ast.Call) else []
    if remedies := getattr(error, "remedies", ()):
        values = {keyword.arg: ast.unparse(keyword.value) for keyword in keywords} | {
            name: repr(value) for name, value in remedies[0].items()
        }
        return ast.unparse(ast.Call(call.func, call.args, [])).removesuffix(")") + (
            f", {', '.join(f'{name}={value}' for name, value in values.items())})"
        )
    if found := re.search(r"did you mean '?([^'?]+?)'?\?", message):
        return renamed(typed, message, found[1])
    if found := re.search(r"has no attribute '(\w+)': use (?!spm_lite|Tokenizer)(\w+(?:\(.*?\))?)(?!\w|\()", message):
        brackets = "()" * (typed.endswith("()") and "without brackets" not in message and "(" not in found[2])
        return f"{typed.partition('.' + found[1])[0]}.{found[2]}{brackets}"
    if found := re.search(r"all (?:of them|lists) to (\w+)", message):
        return re.sub(r"\.\w+\(", f".{found[1]}(", typed, count=1)
    if found := re.search(r"(?:such as|as in) (\w+=\d+)$", message):
        return f"{typed.removesuffix(')')}{'' if typed.endswith('()') else ', '}{found[1]})"
    if found := re.search(r"(?:use|write) (\w+=[\w\[\]'<>/]+)", message):
        if wrong is None:
            return re.sub(r", 300\)", f", {found[1]})", typed)
        given = next(keyword for keyword in keywords if keyword.arg == wrong[1])
        value = (
            found[1].replace("[names]", f"[*{ast.unparse(given.value)}]").replace("=n", f"={ast.unparse(given.value)}")
        )
        return typed.replace(f"{wrong[1]}={ast.unparse(given.value)}", value)
    if wrong and (found := re.search(rf"'{wrong[1]}': use (\w+)(?:[;,]|$)", message)):
        return typed.replace(f"{wrong[1]}=", f"{found[1]}=")
    if wrong and ("leave it out" in message or "no special id is added" in message):
        given = next(keyword for keyword in keywords if keyword.arg == wrong[1])
        return re.sub(r",? ?" + re.escape(f"{wrong[1]}={ast.unparse(given.value)}"), "", typed)
    calls = re.findall(
        r"(?:\w+\.)*\w+\((?:[^()]|\([^()]*\))*\)(?:\.\w+(?:\([^()]*\))?)*", message.partition(": ")[2] or message
    )
    assert calls, f"no remedy is read in: {message}"
    return calls[0].replace("=...", "=0.5" if "alpha" in calls[0] else "=2").replace("..., ", "")


def renamed(typed, message, meant):
    """The expression with the misspelled name of the message in its right form."""
    before = message.partition("did you mean")[0]
    wrong = [
        word for word in re.findall(r"'([\w.]+)'|: (\S+)$|([\w.]+)", before) for word in word if word and word in typed
    ]
    wrong = [word for word in wrong if word not in ("train", "spm_lite", "tok")] or re.findall(r"'([\w.]+)'", message)
    return re.sub(rf"(?<![\w]){re.escape(wrong[-1] if wrong[-1] in typed else wrong[0])}(?!\w)", meant, typed)
