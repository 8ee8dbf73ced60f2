"""What mistral-common's SentencePiece tokenizers give, as JSON; under the name sentencepiece stands what argv says."""

import json
import sys
from importlib.resources import files

if sys.argv[1] == "spm_lite":
    import spm_lite

    spm_lite.install_as_sentencepiece()

from mistral_common.protocol.instruct.messages import AssistantMessage, SystemMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer

TEXTS = ["Hello world", "", " two  spaces ", "日本語 ไทย 😀👩‍👩‍👧", "<s>[INST] x [/INST]", "\u2581 a\tb\n", "naïve é"]


def results(path):
    chat = MistralTokenizer.from_file(str(path))
    tokenizer = chat.instruct_tokenizer.tokenizer
    assert isinstance(tokenizer, SentencePieceTokenizer)
    yield [tokenizer.n_words, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id, tokenizer.pad_id]
    yield tokenizer.vocab()[:400]
    for text in TEXTS:
        ids = tokenizer.encode(text, bos=True, eos=True)
        kept = tokenizer.decode(ids, special_token_policy=SpecialTokenPolicy.KEEP)
        yield [ids, tokenizer.decode(ids, special_token_policy=SpecialTokenPolicy.IGNORE), kept]
        yield [tokenizer.id_to_piece(i) for i in ids]
    messages = [UserMessage(content="Hi"), AssistantMessage(content="Yes?"), UserMessage(content="日本語で")]
    if path.name.endswith("v7"):
        messages.insert(0, SystemMessage(content="Be kind"))
    encoded = chat.encode_chat_completion(ChatCompletionRequest(messages=messages))
    yield [encoded.tokens, encoded.text]


folder = files("mistral_common") / "data"
paths = sorted(path for path in folder.iterdir() if ".model" in path.name)
assert paths
json.dump({path.name: list(results(path)) for path in paths}, sys.stdout)
