"""`SpmLiteTokenizer`: a class of transformers for models of this package, which no tokenizer.json describes.

transformers finds it by name once this module is imported. It asks for no remote code: the folder holds no code.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from transformers import AddedToken, AutoConfig, AutoTokenizer, PretrainedConfig, PreTrainedTokenizer

from spm_lite.errors import OptionError
from spm_lite.tokenizer.tokenizer import Tokenizer

FILE = "spm_lite.model"
EDGES = "edge_tokens"  # what the settings of a folder call it
ROLES = ("bos", "eos", "unk", "pad")
FLAGS = ("lstrip", "rstrip", "single_word")  # of added tokens, which our added pieces have not


class SpmLiteConfig(PretrainedConfig):  # type: ignore[misc]
    """What `AutoTokenizer.register` asks for besides the class."""

    model_type = "spm_lite"


class Tokens(list[str]):
    """The tokens of a text, which know their ids.

    Attributes:
        ids: of each token.
    """

    def __init__(self, names: list[str], ids: list[int]) -> None:
        super().__init__(map(names.__getitem__, ids))
        self.ids = ids


class SpmLiteTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """A tokenizer of transformers that is a model of this package, of any type.

    Ids are those of `Tokenizer.encode(text, allow_special="all")`, and those of the folder of `to_hf`; WordPiece models
    get the ids of bos and eos around them. Tokens that are added later are found in all texts, as they stand.

    Args:
        vocab_file: what `spm_lite.load` takes, such as a path or a Tokenizer.
        add_bos_token: begin each text with the id of `bos_token`; None: in WordPiece models, as BERT does.
        add_eos_token: end each text with the id of `eos_token`; None: in WordPiece models.
        options: of `PreTrainedTokenizer`.

    >>> import spm_lite
    >>> from spm_lite.transformers import SpmLiteTokenizer
    >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    >>> SpmLiteTokenizer(tok)("the cat").input_ids == tok.encode("the cat")
    True
    """

    vocab_files_names = {"vocab_file": FILE}  # noqa: RUF012  as all classes of transformers
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012

    def __init__(
        self, vocab_file: Any = None, add_bos_token: bool | None = None, add_eos_token: bool | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        if vocab_file is None:
            raise OptionError(
                f"there is no {FILE}: pass a model, or a folder that SpmLiteTokenizer.save_pretrained has written"
            )
        for name in ("bos", "eos"):
            if name in options:
                raise OptionError(f"{name}= is unknown: write add_{name}_token=")
        native = vocab_file if isinstance(vocab_file, Tokenizer) else Tokenizer.load(vocab_file)
        self._use(native)
        self._n_own = len(native)
        is_bert = native.model_type == "wordpiece" and min(native.bos_id, native.eos_id) >= 0
        # transformers 5 does not save these two options, so they have a name of their own in the folder.
        edges = options.pop(EDGES, ["bos", "eos"] if is_bert else [])
        self.add_bos_token = "bos" in edges if add_bos_token is None else add_bos_token
        self.add_eos_token = "eos" in edges if add_eos_token is None else add_eos_token
        for role in ROLES:
            i = getattr(native, f"{role}_id")
            if i >= 0:
                options.setdefault(f"{role}_token", self._names[i])
        self._added_tokens_decoder = {
            i: AddedToken(name, special=True, normalized=False)
            for i, name in enumerate(self._names)
            if native.piece_type(i) in ("control", "unknown")
        }
        super().__init__(vocab_file=None, **options)
        self.init_kwargs[EDGES] = self.edge_tokens
        for name in ("bos", "eos"):
            if getattr(self, f"add_{name}_token") and getattr(self, f"{name}_token_id") is None:
                raise OptionError(f"add_{name}_token=True: the model has no piece for it; pass {name}_token= too")

    def _use(self, native: Tokenizer) -> None:
        """Take a model. Each piece gets a name of its own: bytes of a part of a character are written as `\\xe3`."""
        self.native = native
        self._ids: dict[str, int] = {}
        names = []
        for i in range(len(native)):
            name = native.id_to_piece(i).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            if name in self._ids:
                name = f"{name}<id {i}>"
            self._ids[name] = i
            names.append(name)
        self._names = names

    @property
    def edge_tokens(self) -> list[str]:
        """Which of "bos" and "eos" are added to each text."""
        return [name for name in ("bos", "eos") if getattr(self, f"add_{name}_token")]

    @property
    def vocab_size(self) -> int:
        """The number of pieces, without the tokens that were added later."""
        return self._n_own

    def get_vocab(self) -> dict[str, int]:
        """The id of each token."""
        return dict(self._ids)

    def _add_tokens(self, new_tokens: Any, special_tokens: bool = False) -> int:
        for token in new_tokens or ():
            flag = next((flag for flag in FLAGS if getattr(token, flag, None) is True), None)
            if flag is not None:
                raise OptionError(f"the added token {str(token)!r:.60} has {flag}=True: it is found as it stands only")
        found: int = super()._add_tokens(new_tokens, special_tokens=special_tokens)
        fresh = sorted(i for i in self._added_tokens_decoder if i >= len(self.native))
        if fresh:  # as control pieces, which are found in the texts of all types of model
            texts = [self._added_tokens_decoder[i].content for i in fresh]
            self._use(self.native.add_pieces(texts, control=True))
        self._update_total_vocab_size()
        return found

    def tokenize(self, text: str, **options: Any) -> list[str]:
        """The tokens of a text.

        Args:
            text: a str.
            options: `split_special_tokens=True` makes no special tokens of the text.
        Returns:
            A list of str.
        """
        splits = options.pop("split_special_tokens", self.split_special_tokens)
        text, _ = self.prepare_for_tokenization(text, **options)
        return Tokens(
            self._names, self.native.encode(text) if splits else self.native.encode(text, allow_special="all")
        )

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """The id of a token, or of each of a list; the unknown id for a string that is no token."""
        if isinstance(tokens, Tokens):
            return tokens.ids
        return super().convert_tokens_to_ids(tokens)

    def _convert_token_to_id(self, token: str) -> int | None:
        return self._ids.get(token, self.unk_token_id)

    def _convert_id_to_token(self, index: int) -> str:
        if not 0 <= index < len(self._names):
            raise IndexError(f"the id {index} is outside the {len(self._names)} tokens")
        return self._names[index]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """The text of tokens."""
        return self._text_of(self.convert_tokens_to_ids(list(tokens)), False)

    def _decode(
        self, token_ids: Any, skip_special_tokens: bool = False, clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> str:  # fmt: skip
        text = self._text_of([token_ids] if isinstance(token_ids, int) else list(token_ids), skip_special_tokens)
        cleans = (
            self.clean_up_tokenization_spaces if clean_up_tokenization_spaces is None else clean_up_tokenization_spaces
        )
        return self.clean_up_tokenization(text) if cleans else text

    def _text_of(self, ids: list[int], skips: bool) -> str:
        """The text of ids. Special tokens are spelled, or left out."""
        parts: list[str] = []
        added = self._added_tokens_decoder
        for is_added, group in groupby(ids, key=added.__contains__):
            if is_added:
                parts += [self._names[i] for i in group if not (skips and added[i].special)]
            elif parts and self.native.model_type != "wordpiece":
                parts.append(self.native.decode([*group], prefix_space=False))
            else:
                parts.append(self.native.decode([*group]))
        return (" " if self.native.model_type == "wordpiece" else "").join(parts)

    def _around(self, middle: list[Any], bos: Any, eos: Any, has_bos: bool = True) -> list[Any]:
        return [*([bos] if self.add_bos_token and has_bos else []), *middle, *([eos] if self.add_eos_token else [])]

    def _pair(self, first: list[Any], second: list[Any] | None, bos: list[Any], eos: list[Any]) -> list[Any]:
        """One or two texts with what is before and after them. bos, eos: a value for the first and the second text."""
        found = self._around(first, bos[0], eos[0])
        if second is None:
            return found
        return found + self._around(second, bos[1], eos[1], self.native.model_type != "wordpiece")

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """The ids of one text or of two, with bos and eos around each, as `to_hf` writes it."""
        return self._pair(token_ids_0, token_ids_1, [self.bos_token_id] * 2, [self.eos_token_id] * 2)

    def get_special_tokens_mask(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None, already_has_special_tokens: bool = False
    ) -> list[int]:
        """1 for each special token that is added, 0 for the others."""
        if already_has_special_tokens:
            found: list[int] = super().get_special_tokens_mask(token_ids_0, token_ids_1, True)
            return found
        second = None if token_ids_1 is None else [0] * len(token_ids_1)
        return self._pair([0] * len(token_ids_0), second, [1, 1], [1, 1])

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """0 for the first text, 1 for the second."""
        second = None if token_ids_1 is None else [1] * len(token_ids_1)
        return self._pair([0] * len(token_ids_0), second, [0, 1], [0, 1])

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str]:
        """Write the model file, with the tokens that were added.

        Args:
            save_directory: an existing folder.
            filename_prefix: comes before the name of the file, with a hyphen.
        Returns:
            The path of the file.
        """
        path = Path(save_directory) / (f"{filename_prefix}-{FILE}" if filename_prefix else FILE)
        self.native.save(path)
        return (str(path),)


def register() -> None:
    """Tell transformers the class, so that `AutoTokenizer.from_pretrained(folder)` finds it by its name."""
    AutoConfig.register(SpmLiteConfig.model_type, SpmLiteConfig, exist_ok=True)
    AutoTokenizer.register(SpmLiteConfig, slow_tokenizer_class=SpmLiteTokenizer, exist_ok=True)


register()
