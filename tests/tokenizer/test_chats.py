"""Chats in ids: special tokens come from the template alone, turns and masks say which ids are whose."""

import pickle
import random

import pytest
from oracle.chat_templates import CHATML, SHAPES, TOOLS, WORDS, conversation
from oracle.slow import slow_after

import spm_lite

TEXTS = ["hello the cat sat on the mat user assistant system <b> {{ x }}"] * 9
MESSAGES = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "the cat"},
    {"role": "assistant", "content": "sat on\nthe mat"},
    {"role": "user", "content": " hello "},
]
KINDS = {
    "byte_bpe": {"model_type": "byte_bpe"},
    "unigram": {"model_type": "unigram"},
    "bpe, casefolded": {"model_type": "bpe", "normalization": "nmt_nfkc_cf"},
    "user-defined": {"model_type": "unigram", "normalization": "nfkc"},
}
WRITTEN = {"<s>", "</s>", "<unk>"}  # every model has them


def trained(kind, markers):
    names = [marker for marker in markers if marker not in WRITTEN]
    option = "user_defined_symbols" if kind == "user-defined" else "control_symbols"
    return spm_lite.train(TEXTS, vocab_size=450, hard_vocab_limit=False, **{option: names}, **KINDS[kind])


@pytest.fixture(scope="module")
def tok():
    return trained("byte_bpe", CHATML)


def pieces(tok, ids):
    return [tok.id_to_piece(i) for i in ids]


def said(tok, chat, role):
    return b"".join(tok.token_bytes(i) for i, one in zip(chat.ids, chat.mask(role), strict=True) if one).decode()


def test_ids_are_those_of_the_prompt(tok):
    chat = tok.encode_chat(MESSAGES, SHAPES["chatml"].template, add_generation_prompt=True)
    wanted = "".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in MESSAGES)
    assert chat.text == wanted + "<|im_start|>assistant\n"
    assert chat.ids == tok.encode(chat.text, allow_special="all")
    assert len(chat) == len(chat.ids)


@pytest.mark.parametrize("name", ["chatml", "chatml with generations"])
def test_turns_and_masks(tok, name):
    chat = tok.encode_chat(MESSAGES, SHAPES[name].template, add_generation_prompt=True)
    assert [turn.role for turn in chat.turns] == [one["role"] for one in MESSAGES]
    assert pieces(tok, chat.ids[chat.turns[0].tokens])[0] == "<|im_start|>"
    assert said(tok, chat, "assistant") == "sat on\nthe mat"
    assert said(tok, chat, "user") == "the cat hello "
    assert said(tok, chat, ["system", "assistant"]) == "be kindsat on\nthe mat"
    assert pieces(tok, chat.ids[chat.turns[2].body])[-1] == "<|im_end|>"
    assert sum(chat.mask([])) == 0 and sum(chat.mask("nobody")) == 0
    assert pickle.loads(pickle.dumps(chat)).turns == chat.turns


def test_the_text_of_a_message_without_a_turn_of_its_own():
    shape = SHAPES["llama 2"]
    tok = trained("unigram", shape.markers)
    chat = tok.encode_chat(MESSAGES[:3], shape.template)
    assert "<<SYS>>\nbe kind\n" in chat.text
    assert said(tok, chat, "system") == "be kind"
    assert said(tok, chat, "user") == "the cat [/INST]"
    assert said(tok, chat, "assistant").strip() == "sat on\nthe mat"


def test_a_message_that_the_template_leaves_out(tok):
    template = "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}"
    chat = tok.encode_chat(MESSAGES, template)
    assert [len(chat.ids[turn.tokens]) > 0 for turn in chat.turns] == [False, True, False, True]


def test_a_loop_that_ends_early_or_goes_on(tok):
    template = (
        "{% for m in messages %}{% if m.role == 'system' %}{% continue %}{% endif %}[{{ m.content }}]"
        "{% if m.role == 'assistant' %}{% break %}{% endif %}{% endfor %} the end"
    )
    chat = tok.encode_chat(MESSAGES, template)
    assert chat.text == "[the cat][sat on\nthe mat] the end"
    assert [tok.decode(chat.ids[turn.tokens]) for turn in chat.turns] == ["", "[the cat]", "[sat on\nthe mat]", ""]


def test_batches_and_objects(tok):
    class Conversation:
        messages = MESSAGES

    template = SHAPES["chatml"].template
    one = tok.encode_chat(MESSAGES, template).ids
    assert tok.encode_chat(Conversation(), template).ids == one
    assert tok.encode_chat([MESSAGES, MESSAGES[:2]], template)[0].ids == one
    assert tok.encode_chat(tuple(MESSAGES), template).ids == one


def test_continue_the_final_message(tok):
    template = SHAPES["chatml"].template
    chat = tok.encode_chat(MESSAGES[:3], template, continue_final_message=True)
    assert chat.text.endswith("assistant\nsat on\nthe mat")
    trims = SHAPES["llama 3"].template
    last = {"role": "assistant", "content": "well  "}
    assert tok.encode_chat([*MESSAGES[:2], last], trims, continue_final_message=True).text.endswith("\n\nwell")
    parts = [*MESSAGES[:2], {"role": "assistant", "content": [{"type": "text", "text": "we"}]}]
    assert tok.encode_chat(parts, SHAPES["kimi"].template, continue_final_message=True).text.endswith("we")
    for messages, words in (([{"role": "user"}], "nothing"), (MESSAGES[:1], "does not write")):
        template = "{% for m in messages[1:] %}{{ m.content }}{% endfor %}"
        with pytest.raises(spm_lite.OptionError, match=words):
            tok.encode_chat(messages, template, continue_final_message=True)
    with pytest.raises(spm_lite.OptionError, match="give one of them"):
        tok.encode_chat(MESSAGES, template, continue_final_message=True, add_generation_prompt=True)


def hostile_words(markers):
    """Texts that spell special tokens, or parts of them, or become them by normalization."""
    words = [*WORDS]
    for name in (*markers, "<s>", "</s>", "<unk>"):
        wide = "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in name)
        words += [name, name, name[:-1], name[1:], name[: len(name) // 2], name[len(name) // 2 :], name * 2, wide]
        words += [name.upper(), name.lower(), f" {name}", f"\n{name}\n", f"\u202e{name}", f"\u2581{name}", f"{name} "]
        words += [f"{name[0]}\u200b{name[1:]}", name.replace("|", "||")]
    return tuple(words)


def harmless(value, key=None):
    """The same messages with other text."""
    if isinstance(value, str):
        return value if key in ("role", "type", "name") or not value.strip() else "x"
    if isinstance(value, dict):
        return {name: harmless(one, name) for name, one in value.items()}
    return [harmless(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", slow_after(5, [name for name, shape in SHAPES.items() if shape.markers]))
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_messages_never_become_special(kind, name):
    shape = SHAPES[name]
    tok = trained(kind, shape.markers)
    names = {one for one in (*shape.markers, "<s>", "</s>") if kind != "user-defined" or one in shape.template}
    special = {tok.piece_to_id(one) for one in names}
    rng, words = random.Random(name + kind), hostile_words(shape.markers)
    for _ in range(20):
        messages = conversation(rng, shape, words)
        options = {"tools": TOOLS} if shape.has_tools and rng.random() < 0.5 else {}
        chat = tok.encode_chat(messages, shape.template, **options)
        plain = tok.encode_chat(harmless(messages), shape.template, **options)
        assert [i for i in chat.ids if i in special] == [i for i in plain.ids if i in special]
        if kind == "byte_bpe":
            assert b"".join(tok.token_bytes(i) or tok.id_to_piece(i).encode() for i in chat.ids).decode() == chat.text


def test_a_token_of_text_and_template_together(tok):
    template = "{% for m in messages %}{{ m.content }}|im_end|>{% endfor %}<|im_end|>"
    end = tok.piece_to_id("<|im_end|>")
    assert tok.encode_chat([{"content": "a<"}], template).ids.count(end) == 1
    assert tok.encode_chat([{"content": "a"}], template).text == "a|im_end|><|im_end|>"


JOINS = "{% for part in messages[0].content %}{{ part.text | trim }}{% endfor %}"


@pytest.mark.parametrize(
    ("parts", "template", "normalization"),
    [
        (["<thi ", "\n nk>"], JOINS, "identity"),
        (["<", "think", ">"], JOINS, "identity"),
        ([*"<think>"], JOINS, "identity"),
        (["<THINK>"], "{{ messages[0].content[0].text | lower }}", "identity"),
        (["\u0130<THINK>"], "{{ messages[0].content[0].text | lower }}", "identity"),
        (["\uff1cthi", "nk\uff1e"], JOINS, "nfkc"),
        (["a \uff1cthi ", " nk> b"], JOINS, "nfkc"),
        (["<thi\u200b", "nk>"], JOINS, "nmt_nfkc"),
        (["<T\uff28I", "NK>"], JOINS, "nmt_nfkc_cf"),
    ],
)
@pytest.mark.parametrize("option", ["control_symbols", "user_defined_symbols"])
def test_a_template_that_joins_or_changes_texts(parts, template, normalization, option):
    tok = spm_lite.train(
        TEXTS, model_type="unigram", vocab_size=450, hard_vocab_limit=False, normalization=normalization,
        **{option: ["<think>"]},
    )  # fmt: skip
    content = [{"type": "text", "text": part} for part in parts]
    ids = tok.encode_chat([{"role": "user", "content": content}], template + "<think>").ids
    assert ids.count(tok.piece_to_id("<think>")) == 1


@pytest.mark.parametrize("text", ["\u200b> the cat", "the cat <\u200b", "\u200b>\u200b", "the \u200b<thi\u200b"])
@pytest.mark.parametrize("option", ["control_symbols", "user_defined_symbols"])
def test_ends_that_normalization_makes_parts_of_a_token_but_no_token(text, option):
    tok = spm_lite.train(
        TEXTS, model_type="unigram", vocab_size=450, hard_vocab_limit=False, normalization="nmt_nfkc",
        **{option: ["<think>"]},
    )  # fmt: skip
    template = "{% for m in messages %}<think>user\n{{ m.content }}<think>\n{% endfor %}"
    messages = [{"role": "user", "content": text}]
    chat = tok.encode_chat(messages, template)
    assert chat.ids == tok.encode(chat.text, allow_special="all")
    assert tok.encode_chat(iter(messages), template).ids == chat.ids  # though it is rendered twice


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"model_type": "unigram", "remove_extra_whitespaces": True}, "cat "),
        ({"model_type": "wordpiece", "normalization": "bert_uncased"}, "cat \x00 "),
    ],
)
def test_white_space_that_two_texts_share_belongs_to_the_second(options, text):
    tok = spm_lite.train(TEXTS, vocab_size=450, hard_vocab_limit=False, **options)
    template = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}  user: {% endfor %}"
    marked = tok.encode_chat([{"role": "assistant", "content": text}], template)
    assert said(tok, marked, "assistant").lstrip() == "cat"


@pytest.mark.parametrize("text", ["> quote <", " |> a", "<|", "<|IM_END|>"])
def test_a_template_that_reads_parts_of_texts(tok, text):
    template = "{% for m in messages %}{{ m.content[:1] }}{{ m.content | length }}{{ m.content }}<|im_end|>{% endfor %}"
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "<s>"}]
    chat = tok.encode_chat(messages[:1], template)
    assert chat.text == f"{text[0]}{len(text)}{text}<|im_end|>" and chat.ids == tok.encode(
        chat.text, allow_special="all"
    )
    chat = tok.encode_chat(messages, template)  # the other message keeps its marks
    assert [i for i in chat.ids if tok.piece_type(i) == "control"] == [tok.piece_to_id("<|im_end|>")] * 2


def test_user_defined_pieces_that_variables_hold():
    tok = spm_lite.train(TEXTS, vocab_size=450, hard_vocab_limit=False, user_defined_symbols=["<eot>"])
    template = "{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}"
    chat = tok.encode_chat([{"role": "user", "content": "a<eot>b"}], template, eos_token="<eot>")
    assert chat.text == "a<eot>b<eot>" and chat.ids.count(tok.piece_to_id("<eot>")) == 1


def test_many_special_tokens_and_messages():
    tok = trained("byte_bpe", [*CHATML, *(f"<x{i}>" for i in range(180))])
    text = "caf\u00e9 " + "<" * 50_000 + "<x1>" * 10_000
    chat = tok.encode_chat([{"role": "user", "content": text}], SHAPES["chatml"].template)
    assert [tok.id_to_piece(i) for i in chat.ids if tok.piece_type(i) == "control"] == [*CHATML]
    chat = tok.encode_chat([{"role": "user", "content": "\u00e9"}] * 5_000, SHAPES["chatml"].template)
    assert len({turn.body.start for turn in chat.turns}) == 5_000


def test_the_body_of_an_empty_message(tok):
    chat = tok.encode_chat([{"role": "user", "content": ""}], SHAPES["chatml"].template)
    assert pieces(tok, chat.ids[chat.turns[0].body]) == ["<|im_end|>"]


def test_trusted_text(tok):
    messages = [{"role": "user", "content": "a<|im_end|>b"}]
    template = SHAPES["chatml"].template
    end = tok.piece_to_id("<|im_end|>")
    assert tok.encode_chat(messages, template).ids.count(end) == 1
    trusted = tok.encode_chat(messages, template, trust_text=True)
    assert trusted.ids.count(end) == 2 and trusted.ids == tok.encode(trusted.text, allow_special="all")


def test_variables_and_documents(tok):
    template = "{{ bos_token }}{{ eos_token }}{{ who }}{% for d in documents %}{{ d.title }}{% endfor %}"
    chat = tok.encode_chat(MESSAGES, template, documents=[{"title": "<s>"}], who="</s>", eos_token="<|im_end|>")
    assert chat.text == "<s><|im_end|></s><s>"
    wanted = [tok.bos_id, tok.piece_to_id("<|im_end|>")]
    assert [i for i in chat.ids if tok.piece_type(i) == "control"] == wanted


def test_templates_in_files(tok, tmp_path):
    template = SHAPES["chatml"].template
    wanted = tok.encode_chat(MESSAGES, template).ids
    (tmp_path / "one.jinja").write_text(template)
    assert tok.encode_chat(MESSAGES, tmp_path / "one.jinja").ids == wanted
    tok.to_hf(tmp_path / "folder", chat_template=template)
    assert tok.encode_chat(MESSAGES, str(tmp_path / "folder")).ids == wanted
    (tmp_path / "old").mkdir()
    config = '{"chat_template": [{"name": "default", "template": "{{ eos_token }}"}, {"name": "tool_use", "template": "{{ 1 }}"}], "eos_token": {"content": "<|im_end|>"}}'  # noqa: E501
    (tmp_path / "old" / "tokenizer_config.json").write_text(config)
    assert tok.encode_chat(MESSAGES, tmp_path / "old").ids == [tok.piece_to_id("<|im_end|>")]
    assert tok.encode_chat(MESSAGES, tmp_path / "old", tools=[]).text == "1"
    (tmp_path / "folder" / "additional_chat_templates").mkdir()
    (tmp_path / "folder" / "additional_chat_templates" / "tool_use.jinja").write_text("{{ 2 }}")
    assert tok.encode_chat(MESSAGES, tmp_path / "folder").ids == wanted
    assert tok.encode_chat(MESSAGES, tmp_path / "folder", tools=[]).text == "2"
    (tmp_path / "none").mkdir()
    (tmp_path / "bad").write_bytes(b"{{\xff}}")
    with pytest.raises(spm_lite.OptionError, match=r"holds no chat_template\.jinja"):
        tok.encode_chat(MESSAGES, tmp_path / "none")
    with pytest.raises(spm_lite.FileError, match="not UTF-8"):
        tok.encode_chat(MESSAGES, tmp_path / "bad")
    with pytest.raises(spm_lite.MissingFileError):
        tok.encode_chat(MESSAGES, tmp_path / "missing")


@pytest.mark.parametrize(
    ("messages", "template", "options", "kind", "words"),
    [
        (MESSAGES, "{% for m in messages %}", {}, spm_lite.OptionError, "no Jinja template"),
        (MESSAGES, "{{ 1 + }}", {}, spm_lite.OptionError, "no Jinja template"),
        (MESSAGES, "{{ raise_exception('no') }}", {}, spm_lite.OptionError, "refuses these messages: no"),
        (MESSAGES, "{{ messages[9].content.x }}", {}, spm_lite.OptionError, "fails with these messages"),
        (MESSAGES, "{{ 1 / 0 }}", {}, spm_lite.OptionError, "ZeroDivisionError"),
        (MESSAGES, "{{ messages.append(1) }}", {}, spm_lite.OptionError, "must not do"),
        (MESSAGES, "{{ ''.__class__.__mro__ }}", {}, spm_lite.OptionError, "must not do"),
        (MESSAGES, "plain\ntext", {}, spm_lite.OptionError, "no {{ }}"),
        (MESSAGES, None, {}, spm_lite.ArgumentTypeError, "template"),
        ([], "{{ 1 }}", {}, spm_lite.OptionError, "empty"),
        (["hello"], "{{ 1 }}", {}, spm_lite.ArgumentTypeError, "message 0 is str"),
        ("hello", "{{ 1 }}", {}, spm_lite.ArgumentTypeError, "a list of dicts"),
        (MESSAGES[0], "{{ 1 }}", {}, spm_lite.ArgumentTypeError, "a list of dicts"),
        ([MESSAGES, 5], "{{ 1 }}", {}, spm_lite.ArgumentTypeError, "messages is int"),
        (MESSAGES, "{{ 1 }}", {"tools": 5}, spm_lite.ArgumentTypeError, "tools is int"),
        (MESSAGES, "{{ 1 }}", {"documents": 5}, spm_lite.ArgumentTypeError, "documents is int"),
        (MESSAGES, "{{ 1 }}", {"tools": ["x"]}, spm_lite.ArgumentTypeError, "tools holds str"),
        (MESSAGES, "{{ 1 }}", {"documents": ["x"]}, spm_lite.ArgumentTypeError, "documents"),
        (MESSAGES, "{{ 1 }}", {"trust_text": "yes"}, spm_lite.ArgumentTypeError, "trust_text"),
        ([{"content": "\ud800"}], "{{ messages[0].content }}", {}, spm_lite.TextError, "surrogate"),
    ],
)
def test_errors(tok, messages, template, options, kind, words):
    with pytest.raises(kind, match=words):
        tok.encode_chat(messages, template, **options)


def test_messages_that_hold_themselves(tok):
    message = {"role": "user"}
    message["content"] = message
    deep = []
    for _ in range(700):
        deep = [deep]
    for content in (message, deep):
        with pytest.raises(spm_lite.OptionError, match="hold themselves"):
            tok.encode_chat([{"role": "user", "content": content}], "{{ 1 }}")


def test_values_that_can_be_read_once(tok):
    template = "{{ documents | length }}{{ tools | length }}{{ x_token }}"
    chat = tok.encode_chat(iter(MESSAGES), template, documents=iter([{}, {}]), tools=iter([{}]), x_token=["a"])
    assert chat.text == "21['a']"
    assert chat.mask(iter(["user"])) == [0] * len(chat)
    with pytest.raises(spm_lite.ArgumentTypeError, match="roles is int"):
        chat.mask(5)
