"""Arguments that other libraries have for methods of a Tokenizer, and what to write here.

A call with one is a TypeError, as in Python, that says it. A call without costs nothing more: fast methods collect
what they do not know in `**other`, and the others are wrapped by `explained`.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.near_names import near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

TRUNCATION = (
    "encode(text)[:n] keeps n ids, encode_batch(texts).to_padded(truncate=n) cuts and pads a batch, and "
    "truncate(text, n) gives the text of at most n ids"
)
SKIPS = "leave it out: decode writes no special piece. id_to_piece(piece_id) gives the text of one"
NO_DOWNLOAD = "leave it out: nothing is downloaded, and path is a file or folder that is here"
THREADS = "methods of many texts have num_threads, such as encode_batch(texts, num_threads=2)"
N_BEST = "write n, as in nbest(text, 3)"
FOREIGN_ARGUMENTS = {  # argument there -> what to write here
    "add_special_tokens": "no special id is added unless bos=True or eos=True is given",
    "add_bos": "write bos=True",
    "add_eos": "write eos=True",
    "add_bos_token": "write bos=True",
    "add_eos_token": "write eos=True",
    "allowed_special": "write allow_special=[names], the special tokens that the text may spell",
    "disallowed_special": "leave it out: text becomes a special token only where allow_special names it",
    "truncation": TRUNCATION,
    "max_length": TRUNCATION,
    "max_tokens": TRUNCATION,
    "truncation_side": TRUNCATION,
    "stride": "chunks(text, n, overlap=...) cuts a text into parts of at most n ids",
    "padding": "encode_batch(texts).to_padded() pads, and to_torch() gives the mask too",
    "padding_side": "encode_batch(texts).to_padded(side='left') pads on the left",
    "pad_to_multiple_of": "encode_batch(texts).to_padded(pad_to_multiple_of=n) pads to a multiple of n",
    "return_offsets_mapping": "spans(text) gives each piece with its place in the text",
    "return_attention_mask": "encode_batch(texts).attention_mask() gives the mask",
    "return_token_type_ids": "leave it out: all ids of a text have the same type",
    "return_length": "count(text) gives the number of ids, and count_batch(texts) those of many texts",
    "text_pair": "encode each text, and join the lists of ids",
    "pair": "encode each text, and join the lists of ids",
    "return_tensors": "encode_batch(texts).to_torch() gives padded tensors and their mask",
    "is_pretokenized": "leave it out, and join the words by spaces",
    "is_split_into_words": "leave it out, and join the words by spaces",
    "out_type": "encode gives ids, and pieces(text) gives pieces",
    "return_type": "encode gives ids, and pieces(text) gives pieces",
    "enable_sampling": "sample(text, alpha=...) draws a segmentation",
    "nbest_size": "sample(text, nbest_size=...) draws one of the best, and nbest(text, n) gives them",
    "skip_special_tokens": SKIPS,
    "spaces_between_special_tokens": SKIPS,
    "clean_up_tokenization_spaces": "leave it out: decode adds and takes off nothing but what the model says",
    "alpha": "sample(text, alpha=...) and sample_batch(texts, alpha=...) draw segmentations",
    "dropout": "sample(text, dropout=...) and sample_batch(texts, dropout=...) draw segmentations",
    "seed": "sample(text, seed=...) and sample_batch(texts, seed=...) draw segmentations",
    **dict.fromkeys(("num_workers", "n_threads", "thread_pool"), THREADS),
    "return_overflowing_tokens": "chunks(text, n) cuts a text into parts of at most n ids",
    "return_special_tokens_mask": "piece_type(piece_id) is 'control' for a special token",
    "split_special_tokens": "leave it out: text becomes a special token only where allow_special names it",
    "text_target": "encode each text by itself",
    "text_pair_target": "encode each text by itself",
    "return_bytes": "decode_bytes(ids) gives bytes",
    "emit_unk_piece": "leave it out: piece_type(piece_id) is 'unknown' for the unknown token",
    "verbose": "leave it out: there are no messages",
    "reverse": "leave it out, and reverse the list: encode(text)[::-1]",
}
EXPLAINED = (  # methods that are not called so often that it would cost anything
    "add_pieces", "chunks", "count_batch", "count_files", "decode_bytes", "decode_spans", "decode_spans_batch",
    "encode_chat", "encode_files", "explain", "extend", "from_hf", "from_tiktoken", "get_vocab", "load", "nbest",
    "prune", "sample", "sample_batch", "save", "show", "spans", "spans_batch", "stream", "to_gguf", "to_hf",
    "to_tiktoken", "truncate",
)  # fmt: skip
MODEL_FILE = "write model_file=path, or model_proto=data for the bytes of a model"
OF_CALLS = {  # of one method alone
    "__init__": dict.fromkeys(("model", "model_path", "path", "file", "filename", "vocab_file"), MODEL_FILE),
    **{call: {"num_threads": THREADS} for call in ("encode", "decode", "pieces", "count")},
    "nbest": {"nbest_size": N_BEST, "n_best": N_BEST, "num_results": N_BEST, "k": N_BEST},
    "truncate": dict.fromkeys(("max_length", "max_tokens"), "write n, as in truncate(text, 512)"),
    "chunks": {
        **dict.fromkeys(("max_length", "chunk_size"), "write chunks(text, 512)"),
        "stride": "write overlap=n",
    },
    "to_hf": {
        "push_to_hub": "leave it out: the folder is written here, and huggingface_hub.upload_folder sends it",
        **dict.fromkeys(("max_length", "max_len", "max_seq_length", "max_tokens"), "write model_max_length=n"),
    },
    "save": {
        "pretty": "leave it out: a model is no text. save(path, format='tokenizer.json') writes JSON",
        "save_directory": "write to_hf(folder), or save(path) for a model file",
        **dict.fromkeys(("filename_prefix", "legacy_format"), "leave it out: save(path) names the whole path"),
        "push_to_hub": "leave it out: huggingface_hub.upload_folder sends what to_hf(folder) writes",
    },
    "get_vocab": {"with_added_tokens": "leave it out: all pieces are in it"},
    "add_pieces": {
        **dict.fromkeys(("special_tokens", "special"), "write control=True"),
        "special_tokens_dict": "write add_pieces(names, control=True)",
    },
    "encode_chat": {
        "conversation": "give the messages as the first argument",
        "chat_template": "write template=..., or give it as the second argument",
        **dict.fromkeys(("tokenize", "return_dict"), "leave it out: the result has both ids and text"),
        "return_assistant_tokens_mask": "mask('assistant') of the result gives it",
    },
    "sample": {"n": "lattice.samples(text, n) draws several"},
    "load": {
        **dict.fromkeys(("use_fast", "legacy"), "leave it out: there is one engine"),
        **dict.fromkeys(
            (
                "cache_dir", "force_download", "local_files_only", "proxies", "resume_download", "revision",
                "subfolder", "token", "trust_remote_code", "use_auth_token",
            ),
            NO_DOWNLOAD,
        ),
        **dict.fromkeys(
            ("bos_token", "eos_token", "pad_token", "unk_token"),
            "leave it out: the file says it. rename({old: new}) of the Tokenizer gives a special token another name",
        ),
        "additional_special_tokens": "leave it out: add_pieces(names, control=True) of the Tokenizer adds them",
        "model_max_length": TRUNCATION,
        "add_prefix_space": "encode(text, prefix_space=True) puts a space before the text",
        "chat_template": "encode_chat(messages, template) takes it",
        "gguf_file": "give the path as the first argument: load(path)",
        "mergeable_ranks": "give the path of the rank file as the first argument: load(path, name=...)",
        "model_file": "give the path as the first argument: load(path)",
        "vocab_file": "give the path as the first argument: load(path)",
        "tokenizer_file": "give the path as the first argument: load(path)",
        "model_proto": "give the bytes as the first argument: load(data)",
        "merges_file": "write merges=path",
        "do_lower_case": "write lowercase=True or lowercase=False",
        "encoding_name": "write name='cl100k_base', or the name that the file has",
        "pat_str": "write pattern=...",
        **dict.fromkeys(("add_bos", "add_bos_token"), "encode(text, bos=True) adds the id"),
        **dict.fromkeys(("add_eos", "add_eos_token"), "encode(text, eos=True) adds the id"),
    },
}  # fmt: skip


def hint_for(call: str, name: str, valid: Iterable[str] = ()) -> str:
    """`: what to write` for an argument that a method does not have; an empty str for an unknown one.

    valid: the arguments that it has.

    >>> hint_for("nbest", "nbest_size"), hint_for("encode", "add_bos"), hint_for("spans", "unti", ["unit"])
    (': write n, as in nbest(text, 3)', ': write bos=True', '; did you mean unit?')
    """
    of_all = {} if call == "__init__" else FOREIGN_ARGUMENTS  # the drop-in has arguments of its own
    if found := OF_CALLS.get(call, {}).get(name) or of_all.get(name):
        return f": {found}"
    near = " or ".join(near_names(name, valid))
    return f"; did you mean {near}?" if near else ""


def refuse_arguments(call: str, other: Iterable[str], valid: Iterable[str] = ()) -> NoReturn:
    """Raise TypeError, as Python does, for arguments that a method does not have, with what to write instead."""
    name = next(iter(other))
    raise TypeError(f"Tokenizer.{call}() got an unexpected keyword argument {name!r}{hint_for(call, name, valid)}")


def explained(call: Any) -> Callable[..., Any]:
    """A method whose TypeErrors about a wrong call say what to write. Its name, help and signature stay."""

    def method(*given: Any, **options: Any) -> Any:
        try:
            return call(*given, **options)
        except TypeError as error:
            trace = error.__traceback__
            if trace is None or trace.tb_next is not None:  # raised within the method
                raise
            refuse_call(call, given, options, error)

    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(method, name, getattr(call, name))
    method.__wrapped__ = call  # type: ignore[attr-defined]  # where `help` and `inspect` find the signature
    return method


def refuse_call(call: Any, given: tuple[Any, ...], options: dict[str, Any], error: TypeError) -> NoReturn:
    """Raise the TypeError of a wrong call, with a hint: for an unknown argument, or one without its name."""
    code = call.__code__
    called = type(given[0]).__name__ if call.__name__ == "__init__" else call.__qualname__
    n_places = code.co_argcount
    valid = code.co_varnames[1 : n_places + code.co_kwonlyargcount]
    if unknown := [name for name in options if name not in valid]:
        hint = hint_for(call.__name__, unknown[0], valid) or f"; it takes {', '.join(valid)}"
        raise TypeError(f"{called}() got an unexpected keyword argument {unknown[0]!r}{hint}") from None
    if len(given) > n_places:
        names = ", ".join(f"{name}=" for name in valid[n_places - 1 :])
        what = f"write the others with their names, {names}" if names else "leave out the others"
        raise TypeError(
            f"{called}() takes {n_places - 1} without a name, and {len(given) - 1} are given: {what}"
        ) from None
    raise error
