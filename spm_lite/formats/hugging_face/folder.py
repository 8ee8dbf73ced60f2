"""The folder that AutoTokenizer of transformers loads: tokenizer.json, its settings, and its special tokens."""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int
from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, ModelError, OptionError, TextError
from spm_lite.files.open_files import checked_path, typed
from spm_lite.formats.hugging_face.components import TOKENIZER
from spm_lite.formats.vocab_txt import CONFIG
from spm_lite.formats.vocab_txt import read_config as read_config_of

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile


SPECIAL_MAP, CHAT_TEMPLATE = "special_tokens_map.json", "chat_template.jinja"
ROLES = ("unk", "bos", "eos", "pad")  # in the order of `special_ids`
BERT_ROLES = ("unk", "cls", "sep", "pad")
SIDES = ("left", "right")
LONGEST = 10**30  # what transformers takes for no limit
ANY_CLASS = "PreTrainedTokenizerFast"  # loaded as it stands by 4.x and 5.x; a model's class is rebuilt by 5.x

# model_type of config.json -> the class that AutoTokenizer of transformers 5 takes, whatever tokenizer_config.json says
CHOSEN = {
    "qwen2": "Qwen2Tokenizer", "qwen3_5": "Qwen3_5Tokenizer", "qwen3_5_moe": "Qwen3_5Tokenizer",
    "qwen3_5_moe_text": "Qwen3_5Tokenizer", "qwen4_exp": "Qwen3_5Tokenizer", "siglip2": "Siglip2Tokenizer",
    "hyperclovax_vision_v2": "GPT2Tokenizer",
}  # fmt: skip


def chosen_class(folder: str) -> str:
    """A sentence on the class that transformers 5 takes for the model beside a tokenizer; "": the written one."""
    try:
        kind = read_config_of(Path(folder), "config.json").get("model_type")
    except (ModelError, FileError):
        return ""
    if not isinstance(kind, str) or kind not in CHOSEN:
        return ""
    return (
        f"transformers 5: not AutoTokenizer, which takes {CHOSEN[kind]} since config.json has model_type {kind!r}, and "
        f"builds other rules for text. Load it with transformers.{ANY_CLASS}.from_pretrained, or write it to a folder "
        "without config.json"
    )


def special_roles(file: ModelFile) -> dict[str, str]:
    """`bos_token` and its like -> the piece; only pieces that the model has, since others would be added."""
    is_bert = file.model_type == "wordpiece"
    found = {
        f"{role}_token": file.vocab.text(i).decode()
        for role, i in zip(BERT_ROLES if is_bert else ROLES, file.special_ids, strict=True)
        if i >= 0
    }
    mask = b"[MASK]" if is_bert else b"<mask>"
    i = file.vocab.find_id(mask)
    if i >= 0 and file.vocab.text(i) == mask:
        found["mask_token"] = mask.decode()
    return found


def folder_files(
    file: ModelFile, text: str, *, match_special: bool, chat_template: Any, model_max_length: Any, padding_side: Any
) -> dict[str, bytes]:
    """Name -> content of each file. text: of the tokenizer.json. Raises OptionError for a wrong setting."""
    roles = special_roles(file)
    config: dict[str, Any] = {"tokenizer_class": ANY_CLASS, **roles, "clean_up_tokenization_spaces": False}
    if model_max_length is not None:
        config["model_max_length"] = as_int(model_max_length, "model_max_length")
        if config["model_max_length"] < 1:
            raise OptionError(f"model_max_length={model_max_length} is below 1: give the ids that the model reads")
        if config["model_max_length"] > LONGEST:
            raise OptionError("model_max_length is above 10^30, which means no limit: leave it out")
    if padding_side is not None:
        if padding_side not in SIDES:
            raise OptionError(f"padding_side={padding_side!r:.40}: must be 'left' or 'right'")
        config["padding_side"] = padding_side
    names = ["input_ids", "attention_mask"]
    config["model_input_names"] = [names[0], "token_type_ids", names[1]] if file.model_type == "wordpiece" else names
    if not match_special:
        config["split_special_tokens"] = True
    found = {TOKENIZER: text.encode(), CONFIG: pretty(config), SPECIAL_MAP: pretty(roles)}
    if chat_template is not None:
        if not isinstance(chat_template, str):
            raise ArgumentTypeError(f"chat_template is a str, the text of it, not {type(chat_template).__name__}")
        found[CHAT_TEMPLATE] = encoded(chat_template, "chat_template")
    return found


def encoded(text: str, name: str) -> bytes:
    """A setting as UTF-8. Raises TextError for a lone surrogate. name: of the argument, for messages."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise TextError(f"{name} holds a lone surrogate at position {error.start}: leave it out") from None


def pretty(value: Any) -> bytes:
    """JSON for people."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def check_free(folder: str, names: Any, overwrite: bool) -> None:
    """Raise FileError for a path that is not a folder, and for a folder that holds one of the files already.

    overwrite: these files may be replaced.
    """
    place = Path(folder)
    above = next((path for path in place.parents if os.path.lexists(path)), place)
    if above != place and not above.is_dir():
        raise FileError(errno.ENOTDIR, f"{str(above)!r:.100} is a file, so no folder can be made in it", folder)
    if os.path.lexists(place) and not place.is_dir():
        raise FileError(errno.ENOTDIR, "is a file: name a folder, which is made if it does not exist", folder)
    there = [name for name in names if os.path.lexists(place / name)]
    if there and not overwrite:
        raise FileError(
            errno.EEXIST, f"holds {', '.join(there)} already: name another folder, or give overwrite=True", folder
        )


def write_folder(folder: str, files: dict[str, bytes]) -> None:
    """Write the files into a folder, all or none. Other files in it stay. A new folder appears with all its files.

    The first file leads: a process that is killed between two renames leaves a folder without it, which no reader
    takes, and the next call makes the set whole.
    """
    from spm_lite.files.paired_files import write_set  # here, since a folder is more often read
    from spm_lite.files.temporary_files import remove_abandoned_folders

    place = Path(checked_path(folder, "written"))
    made = missing_folders(place.parent)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned_folders(place)
        if os.path.lexists(place) or not write_new(place, files):
            write_set({str(place / name): data for name, data in files.items()}, others(place, files))
    except BaseException as error:
        for path in made:
            with suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise typed(error, folder, "written") from error
        raise


def others(place: Path, files: dict[str, bytes]) -> list[str]:
    """The files of an earlier call that this one does not write, but a killed one may have left unfinished."""
    return [str(place / name) for name in (CHAT_TEMPLATE,) if name not in files]


def write_new(place: Path, files: dict[str, bytes]) -> bool:
    """Make a folder of the files under another name, and rename it; False: another process has made it meanwhile."""
    from spm_lite.files.new_files import sync_folder
    from spm_lite.files.paired_files import write_set
    from spm_lite.files.temporary_files import new_folder

    with new_folder(place) as hidden:
        write_set({str(hidden / name): data for name, data in files.items()})
        try:
            hidden.replace(place)
        except OSError:
            if place.is_dir():  # each system has another error for that
                return False
            raise
    sync_folder(place.parent)
    return True


def missing_folders(place: Path) -> list[Path]:
    """The folders on the way to a place that are not there, the last first."""
    return [path for path in (place, *place.parents) if not os.path.lexists(path)]


JSON, MODEL, VOCAB, GPT2 = "tokenizer.json", "model", "vocab.txt", "vocab.json"
MODELS = (
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "sentencepiece.model",
    "spm.model",
    "source.spm",
)


BY_NAME = (
    "Nothing is downloaded by name: huggingface_hub.snapshot_download(name) gives the folder of a model, and load "
    "takes a folder or an address"
)


def find_file(folder: str) -> tuple[str, str]:
    """(kind, path) of the file that holds the tokenizer. Raises FileError if there is none."""
    place = Path(folder)
    if not os.path.lexists(place):
        raise MissingFileError(errno.ENOENT, f"there is no such folder. {BY_NAME}", folder)
    if not place.is_dir():
        raise FileError(errno.ENOTDIR, "is a file: from_hf reads a folder, and load a file", folder)
    for kind, names in ((JSON, (JSON,)), (MODEL, MODELS), (VOCAB, (VOCAB,)), (GPT2, (GPT2,))):
        for name in names:
            if (place / name).is_file():
                return kind, str(place / name)
    raise MissingFileError(
        errno.ENOENT, f"holds none of tokenizer.json, {', '.join(MODELS)}, vocab.txt and vocab.json", folder
    )


def read_config(folder: str) -> dict[str, Any]:
    """The tokenizer_config.json of a folder, with what special_tokens_map.json says besides; empty without them."""
    found: dict[str, Any] = read_config_of(Path(folder), SPECIAL_MAP)
    return found | read_config_of(Path(folder))
