"""Other programs that read a file back, each as a pair of functions: texts to ids, and ids to texts."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any

from spm_lite.errors import OptionError

Ids = list[int]
Outcome = Any  # ids or text, or a str that begins with FAILED: what went wrong
GOES_ON = "\ud800"  # after a symbol that does not end a word; no text has it
FAILED = "\0failed: "  # before the message of a failure, in place of a result


ROOM = 64 << 20  # bytes that must be free for a library in Rust, which ends the process where memory runs out
ROOM_EACH = 1000  # bytes more for each piece of a vocabulary that it builds


class Partner:
    """A program with a vocabulary. name: with its version. `encode` and `decode` never raise: see `Outcome`."""

    def __init__(
        self, name: str, encode: Callable[[list[str]], list[Ids]], decode: Callable[[list[Ids]], list[str]] | None
    ) -> None:
        self.name = name
        self._encode, self._decode = encode, decode

    def encode(self, texts: list[str]) -> list[Outcome]:
        """The ids of each text."""
        return each(self._encode, texts)

    def decode(self, many: list[Ids]) -> list[Outcome] | None:
        """The text of each list of ids; None: this program does not decode."""
        return None if self._decode is None else each(self._decode, many)


def each(function: Callable[[list[Any]], list[Any]], items: list[Any]) -> list[Outcome]:
    """The results for all items; where the function fails, item by item, with the failure as a message.

    A panic of a library in Rust is a BaseException of a class that Python lacks.
    """
    check_room(ROOM)
    try:
        return function(items)
    except BaseException as error:
        if not is_failure(error):
            raise
    found: list[Outcome] = []
    for item in items:
        try:
            found += function([item])
        except BaseException as error:
            if not is_failure(error):
                raise
            found.append(f"{FAILED}{type(error).__name__}: {error}")
    return found


def check_room(n_bytes: int) -> None:
    """Raise MemoryError unless so many bytes can be had."""
    from mmap import ACCESS_COPY, mmap

    try:
        mmap(-1, n_bytes, access=ACCESS_COPY).close()  # private, so that all limits count it
    except OSError as error:
        raise MemoryError(f"the program that reads a file back needs {n_bytes:,} bytes: {error.strerror}") from None


def made(make: Callable[[], Partner | None], format: str) -> Partner | None:
    """The program that reads files; None: it is not installed. Raises OptionError if it fails or panics."""
    try:
        return make()
    except BaseException as error:
        if not is_failure(error):
            raise
        raise OptionError(
            f"the program that reads {format} fails with this file: {type(error).__name__}: {error!s:.200}. Nothing is "
            "written"
        ) from None


def is_failure(error: BaseException) -> bool:
    """Whether an exception is an error of the other program, or its panic; not Ctrl-C, nor a lack of memory."""
    is_error = isinstance(error, Exception) and not isinstance(error, MemoryError)
    return is_error or type(error).__name__ == "PanicException"


def module_named(name: str) -> Any:
    """The module of an installed program; None: it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def version_of(name: str) -> str:
    """The version of an installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


def of_tokenizers(text: str, match_special: bool = True) -> Partner | None:
    """tokenizers with a tokenizer.json; None: it is not installed. match_special: text becomes special tokens."""
    module = module_named("tokenizers")
    if module is None:
        return None
    check_room(ROOM + ROOM_EACH // 50 * len(text))  # a piece takes 20 characters or more
    if not hasattr(module, "models"):
        return of_release_1(module, text, match_special)
    return of_tokenizer(module.Tokenizer.from_str(text), match_special)


def of_release_1(module: Any, text: str, match_special: bool) -> Partner | None:
    """tokenizers 1.0, which reads files alone and has no parts; None: it does not read this one."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(text, encoding="utf-8")
        try:
            tokenizer = module.Tokenizer.from_file(str(path))
        except BaseException as error:
            if not is_failure(error):
                raise
            return None
    options: dict[str, Any] = {"add_special_tokens": False, "encode_special_tokens": not match_special}
    options |= {"padding": None, "truncation": None}
    return Partner(
        f"tokenizers {version_of('tokenizers')}",
        lambda texts: [[*found.ids] for found in tokenizer.encode_batch(texts, **options)],
        lambda many: [tokenizer.decode(ids, skip_special_tokens=False) for ids in many],
    )


def with_parts() -> Any:
    """The package tokenizers, if a tokenizer can be made of parts; None: it is not installed, or is 1.0."""
    module = module_named("tokenizers")
    return module if hasattr(module, "models") else None


def of_tokenizer(tokenizer: Any, match_special: bool = True) -> Partner:
    """A Tokenizer of tokenizers. It is changed: no truncation, no padding, special tokens as `match_special` says."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = not match_special
    return Partner(
        f"tokenizers {version_of('tokenizers')}",
        lambda texts: [found.ids for found in tokenizer.encode_batch(texts, add_special_tokens=False)],
        lambda many: tokenizer.decode_batch(many, skip_special_tokens=False),
    )


def of_tiktoken(ranks: dict[bytes, int], pattern: str) -> Partner | None:
    """tiktoken with a rank file; None: it is not installed.

    Its own batches start threads, and Python waits without end for a thread that begins in too little memory.
    """
    module = module_named("tiktoken")
    if module is None:
        return None
    check_room(ROOM + ROOM_EACH * len(ranks))
    encoding = module.Encoding("proof", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return Partner(
        f"tiktoken {version_of('tiktoken')}",
        lambda texts: list(map(encoding.encode_ordinary, texts)),
        lambda many: list(map(encoding.decode, many)),
    )


def of_gpt2(
    vocab: dict[str, int], merges: Sequence[tuple[str, str]], pattern: str | None, form: str = ""
) -> Partner | None:
    """tokenizers with the two files of GPT-2; None: it is not installed. pattern: None: there is none.

    form: of Unicode, which a text gets first.
    """
    module = with_parts()
    if module is None:
        return None
    check_room(ROOM + ROOM_EACH * len(vocab))
    tokenizer = module.Tokenizer(module.models.BPE(vocab, list(merges)))
    byte_level = module.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if pattern is not None:
        split = module.pre_tokenizers.Split(module.Regex(pattern), "isolated")
        byte_level = module.pre_tokenizers.Sequence([split, byte_level])
    tokenizer.pre_tokenizer = byte_level
    if form:
        tokenizer.normalizer = getattr(module.normalizers, form)()
    tokenizer.decoder = module.decoders.ByteLevel()
    return of_tokenizer(tokenizer)


def of_bert(vocab: dict[str, int], lowercase: bool, special: Iterable[str] = ()) -> Partner | None:
    """tokenizers with a vocab.txt, read as BERT's; None: it is not installed. special: found in text."""
    module = with_parts()
    if module is None:
        return None
    check_room(ROOM + ROOM_EACH * len(vocab))
    tokenizer = module.Tokenizer(module.models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = module.normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = module.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = module.decoders.WordPiece("##", cleanup=False)
    tokenizer.add_special_tokens(list(special))
    return of_tokenizer(tokenizer)


def of_sentencepiece(data: bytes) -> Partner | None:
    """sentencepiece with the bytes of a model; None: it is not installed."""
    module = module_named("sentencepiece")
    if module is None:
        return None
    processor = module.SentencePieceProcessor(model_proto=data)
    return Partner(f"sentencepiece {version_of('sentencepiece')}", processor.encode, None)


def of_subword_nmt(tok: Any, codes: bytes, known: Set[str] = frozenset()) -> Partner | None:
    """subword-nmt with its codes; None: it is not installed. tok: the model, whose ids its symbols become.

    known: pieces of its vocabulary, as the file spells them; none: it has no vocabulary. What this model has
    no piece for is written in bytes there.
    """
    module = module_named("subword_nmt.apply_bpe")
    if module is None:
        return None
    inside = {piece.removesuffix("@@") + GOES_ON for piece in known if piece.endswith("@@")}
    file = io.TextIOWrapper(io.BytesIO(codes), encoding="utf-8", newline="\n")
    program = module.BPE(file, separator=GOES_ON, vocab=inside | known)

    def piece_name(symbol: str) -> str:
        return symbol[:-1] if symbol[-1] == GOES_ON else symbol + "\u2581"

    def ids_of(text: str) -> Ids:
        piece_id: int = tok.piece_to_id(text)
        if piece_id != tok.unk_id:
            return [piece_id]
        if len(text) > 1:  # a character and the end of a word
            return ids_of(text[:-1]) + ids_of(text[-1])
        return [tok.piece_to_id(f"<0x{byte:02X}>") for byte in text.encode()]

    def encode(texts: list[str]) -> list[Ids]:
        cut = (program.segment_tokens(text.strip("\r\n ").split(" ")) for text in texts)
        return [[i for symbol in symbols for i in ids_of(piece_name(symbol))] for symbols in cut]

    return Partner(f"subword-nmt {version_of('subword-nmt')}", encode, None)


def of_own(tok: Any, name: str) -> Partner:
    """Our own reader of a format, where the other program is not installed. tok: the Tokenizer that it gives."""
    return Partner(f"spm_lite's reader of {name}", tok.encode_lists, tok.decode_batch)
