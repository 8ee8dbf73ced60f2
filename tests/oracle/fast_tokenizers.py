"""Small fast tokenizers of transformers of each kind, made in memory with the package tokenizers."""

import pytest
from oracle.extras import is_installed

needs_transformers = pytest.mark.skipif(not is_installed("transformers"), reason="transformers is not installed")

LINES = [
    "The quick brown fox jumps over the lazy dog, doesn't it?",
    "naïve café, größer, Ωmega, 42 numbers and 3.14",
    "日本語のテキスト、漢字と仮名",
    "ภาษาไทย กำลังเรียน",
    "tabs\tand\nlines\r\n  two spaces  ",
    "emoji 👩‍👩‍👧 e\u0301 \u2581 ab",
]
TEXTS = [
    *LINES, "a\0b", "", " ", "  ", "a", "<s>", "<s> a</s>b <unk> <mask>x", "[CLS] hello [SEP]", "<extra> <extra>a",
    "word" * 60, "\u2581\u2581a", "\ufffd", "long " * 40, "e\u0301" * 12, "12345 6", "<0x41>A", "  <mask>  ",
]  # fmt: skip
KINDS = ["byte_bpe", "llama", "unigram", "t5", "wordpiece", "added"]


def make(kind):
    """A fast tokenizer of a kind of KINDS."""
    import tokenizers
    from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<unk>", "<s>", "</s>", "<pad>", "<mask>"]
    if kind in ("byte_bpe", "added"):
        tok = tokenizers.Tokenizer(models.BPE())
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tok.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=420, special_tokens=special[1:], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )  # fmt: skip
        tok.train_from_iterator(LINES * 9, trainer)
        tok.post_processor = processors.Sequence(
            [processors.ByteLevel(trim_offsets=False), template(tok, "<s> $A", "<s> $A </s> $B:1 </s>:1")]
        )
    elif kind == "llama":
        vocab = {name: i for i, name in enumerate([*special, *(f"<0x{i:02X}>" for i in range(256))])}
        signs = sorted({sign for line in LINES[:2] for sign in line if sign != " "})
        for piece in ["\u2581", *signs, "th", "he", "\u2581t", "in"]:
            vocab.setdefault(piece, len(vocab))
        merges = [("t", "h"), ("h", "e"), ("\u2581", "t"), ("i", "n")]
        tok = tokenizers.Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
        tok.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
        tok.decoder = decoders.Sequence(
            [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        tok.add_special_tokens([AddedToken(name, normalized=False) for name in special])
        tok.post_processor = template(tok, "<s> $A", "<s> $A <s>:1 $B:1")
    elif kind in ("unigram", "t5"):
        tok = tokenizers.Tokenizer(models.Unigram())
        if kind == "t5":
            tok.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(left=False, right=True)])
            tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
        else:
            tok.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
        tok.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=150, special_tokens=special, unk_token="<unk>", show_progress=False
        )
        tok.train_from_iterator(LINES * 9, trainer)
        tok.post_processor = template(tok, "$A </s>", "$A </s> $B </s>")
    else:
        special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
        tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tok.normalizer = normalizers.BertNormalizer()
        tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tok.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
        tok.train_from_iterator(LINES * 9, trainer)
        tok.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    found = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token=special[3], eos_token=special[2])
    if kind == "added":
        found.add_tokens([AddedToken("<extra>", lstrip=True), AddedToken("fox", single_word=True)])
        found.add_special_tokens({"mask_token": AddedToken("<mask>", lstrip=True, rstrip=True)})
    return found


def template(tok, single, pair):
    """A post-processor that puts special tokens around texts."""
    from tokenizers import processors

    names = ["<s>", "</s>"]
    return processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(name, tok.token_to_id(name)) for name in names]
    )
