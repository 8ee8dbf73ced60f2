"""Chats get the ids and masks that `apply_chat_template` of transformers gives them."""

import random

import pytest
from oracle.chat_templates import SHAPES, TOOLS, conversation
from oracle.fast_tokenizers import make, needs_transformers
from oracle.slow import slow_after

import spm_lite

pytestmark = needs_transformers


def both(kind, shape, folder):
    """A tokenizer of transformers with a chat template, and ours of its folder."""
    original = make(kind)
    original.add_special_tokens({"bos_token": "<s>", "eos_token": "</s>"})
    original.add_tokens(list(shape.markers), special_tokens=True)
    original.chat_template = shape.template
    original.save_pretrained(folder)
    return original, spm_lite.load(folder)


def is_version_5():
    import transformers

    return int(transformers.__version__.split(".")[0]) >= 5


def options_of(rng, shape):
    found = {}
    if rng.random() < 0.5:
        found["add_generation_prompt"] = True
    if shape.has_tools and rng.random() < 0.5:
        found["tools"] = TOOLS
    if rng.random() < 0.2:
        found["documents"] = [{"title": "t", "text": "some text"}]
    if rng.random() < 0.2:
        found["enable_thinking"] = False
    return found


@pytest.mark.parametrize("name", slow_after(8, list(SHAPES)))
@pytest.mark.parametrize("kind", ["byte_bpe", "llama", "unigram"])
def test_ids_and_masks(kind, name, tmp_path):
    shape = SHAPES[name]
    original, tok = both(kind, shape, tmp_path)
    rng = random.Random(f"{kind} {name}")
    has_blocks = "generation %}" in shape.template
    for _ in range(25):
        messages, options = conversation(rng, shape), options_of(rng, shape)
        if not is_version_5():  # it reads no other names of what a model thinks
            messages = [
                {key: one for key, one in message.items() if key != "reasoning_content"} for message in messages
            ]
        wanted = original.apply_chat_template(
            messages, return_dict=True, return_assistant_tokens_mask=has_blocks and is_version_5(), **options
        )
        chat = tok.encode_chat(messages, tmp_path, **options)
        assert chat.text == original.apply_chat_template(messages, tokenize=False, **options)
        assert chat.ids == wanted["input_ids"]
        if "assistant_masks" in wanted:
            assert chat.mask() == wanted["assistant_masks"]


@pytest.mark.parametrize("name", ["chatml", "llama 3", "kimi"])
def test_a_message_that_goes_on(name, tmp_path):
    shape = SHAPES[name]
    original, tok = both("byte_bpe", shape, tmp_path)
    rng = random.Random(name)
    for _ in range(20):
        messages = [
            *conversation(rng, shape)[:2],
            {"role": "assistant", "content": f"well{rng.choice(['', ' ', chr(10)])}"},
        ]
        wanted = original.apply_chat_template(messages, tokenize=False, continue_final_message=True)
        assert tok.encode_chat(messages, tmp_path, continue_final_message=True).text == wanted


def test_schemas_of_functions(tmp_path):
    def weather(city: str) -> str:
        """The weather.

        Args:
            city: a name.
        """
        return city

    shape = SHAPES["qwen 2.5"]
    original, tok = both("byte_bpe", shape, tmp_path)
    messages = [{"role": "user", "content": "hi"}]
    wanted = original.apply_chat_template(messages, tools=[weather], return_dict=True)["input_ids"]
    assert tok.encode_chat(messages, tmp_path, tools=[weather]).ids == wanted
