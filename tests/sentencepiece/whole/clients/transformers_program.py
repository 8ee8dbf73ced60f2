"""What transformers makes of model files, as JSON; under the name sentencepiece stands what argv says."""

import json
import sys
from pathlib import Path

if sys.argv[1] == "spm_lite":
    import spm_lite

    spm_lite.install_as_sentencepiece()

from transformers.convert_slow_tokenizer import SentencePieceExtractor
from transformers.models.bert_generation.tokenization_bert_generation import BertGenerationTokenizer
from transformers.models.llama.tokenization_llama import LlamaTokenizer
from transformers.models.t5.tokenization_t5 import T5Tokenizer
from transformers.utils import is_sentencepiece_available

TEXTS = ["Hello world", "", " two  spaces ", "日本語 ไทย 😀👩‍👩‍👧", "<s> x </s>", "\u2581 a\tb\n", "naïve é"]


def slow(path):
    """A tokenizer that calls sentencepiece for each text."""
    tokenizer = BertGenerationTokenizer(vocab_file=str(path))
    for text in TEXTS:
        ids = tokenizer(text).input_ids
        yield [ids, tokenizer.tokenize(text), tokenizer.decode(ids), tokenizer.convert_ids_to_tokens(ids)]
    yield [len(tokenizer), tokenizer.vocab_size, tokenizer.convert_tokens_to_ids(["\u2581the", "<unk>"])]


def converted(path):
    """Vocabulary and merges out of the file, and a fast tokenizer made of them."""
    extracted = SentencePieceExtractor(str(path)).extract(None)
    yield repr(sorted((key, repr(value)[:100_000]) for key, value in extracted.items()))
    kind = LlamaTokenizer if "merges" in extracted else T5Tokenizer
    tokenizer = kind.from_pretrained(str(path.parent))
    for text in TEXTS:
        yield [tokenizer(text).input_ids, tokenizer.tokenize(text)]


assert is_sentencepiece_available()
json.dump({path: [*slow(Path(path)), *converted(Path(path))] for path in sys.argv[2:]}, sys.stdout)
