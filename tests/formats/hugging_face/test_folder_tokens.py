"""The added tokens of a folder of transformers: which settings count, and which ids the tokens get."""

import json

import pytest

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.folder_tokens import Token, numbered, read_tokens, with_class


def settings(tmp_path, **files):
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return str(tmp_path)


def test_the_decoder_of_the_settings_has_the_last_word(tmp_path):
    place = settings(tmp_path, special_tokens_map={"bos_token": "<other>"}, added_tokens={"<late>": 9})
    decoder = {"7": {"content": "<x>", "lstrip": True, "special": True}, "8": {"content": "cat"}}
    found = read_tokens(place, {"added_tokens_decoder": decoder, "bos_token": "<x>", "eos_token": None})
    assert found.by_id == {7: Token("<x>", lstrip=True), 8: Token("cat", special=False, normalized=True)}
    assert found.roles == {"bos": Token("<x>", lstrip=True), "eos": None}
    assert found.listed is None


def test_without_it_the_map_of_special_tokens_comes_first(tmp_path):
    special = {"bos_token": {"content": "<b>", "rstrip": True}, "additional_special_tokens": ["<y>", "<x>"]}
    place = settings(tmp_path, special_tokens_map=special, added_tokens={"<x>": 7, "cat": 8})
    found = read_tokens(place, {"bos_token": "<a>", "additional_special_tokens": ["<x>"]})
    assert found.roles == {"bos": Token("<b>", rstrip=True)}
    assert [token.text for token in found.listed] == ["<x>", "<y>"]
    assert found.by_id == {7: Token("<x>"), 8: Token("cat", special=False, normalized=True)}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"added_tokens_decoder": []}, "must be an object"),
        ({"added_tokens_decoder": {"x": {"content": "a"}}}, "is not the id"),
        ({"added_tokens_decoder": {"1": "a"}}, "is not an added token"),
        ({"added_tokens_decoder": {"1": {"content": ""}}}, "is not an added token"),
        ({"bos_token": 3}, "is not an added token"),
    ],
)
def test_settings_of_another_form(tmp_path, config, message):
    with pytest.raises(ModelError, match=rf"tokenizer_config\.json: .*{message}"):
        read_tokens(str(tmp_path), config)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("special_tokens_map", {"bos_token": ""}),
        ("special_tokens_map", {"bos_token": "\0"}),
        ("special_tokens_map", {"additional_special_tokens": ["a", {"content": "\ud800"}]}),
        ("special_tokens_map", {"eos_token": "a" * 8000}),
        ("added_tokens", {"<x>": 1.5}),
        ("added_tokens", {"<x>": -1}),
        ("added_tokens", {"\ud800": 1}),
    ],
)
def test_errors_name_the_file(tmp_path, file, content):
    with pytest.raises(ModelError, match=rf"{file}\.json"):
        read_tokens(settings(tmp_path, **{file: content}), {"bos_token": "<s>"})


def test_a_listed_token_that_transformers_takes_for_another(tmp_path):
    special = {"bos_token": "<x>", "additional_special_tokens": ["<x>"]}
    place = settings(tmp_path, special_tokens_map=special, added_tokens={"cat": 8})
    with pytest.raises(ModelError, match="leave it out of the list"):
        read_tokens(place, {})


def test_the_class_gives_flags_to_a_text_alone():
    usual = Token("<mask>", lstrip=True)
    assert with_class(Token("<m>", is_plain=True), usual) == Token("<m>", lstrip=True)
    assert with_class(Token("<m>", rstrip=True), usual) == Token("<m>", rstrip=True)
    assert with_class(None, usual) is None


def test_tokens_without_an_id_get_the_next_ones():
    roles = {"eos": Token("</s>", is_plain=True), "mask": Token("<mask>", lstrip=True), "bos": None}
    found = numbered(
        "folder", {2: Token("<t>")}, roles, [Token("a"), Token("<new>"), Token("<new>")], {0: "a", 1: "</s>", 2: "x"}
    )
    assert found == {
        2: Token("<t>"),
        1: Token("</s>"),
        3: Token("<mask>", lstrip=True),
        0: Token("a"),
        4: Token("<new>"),
    }


def test_an_id_of_two_tokens_is_refused():
    with pytest.raises(ModelError, match=r"folder: .* the id 2 of '<t>'"):
        numbered("folder", {2: Token("<t>")}, {}, [Token("<new>")], {0: "a"})
