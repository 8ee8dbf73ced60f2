"""Digests of what the package makes, to show that a change of the code changes none of it.

    python tools/compare/digests.py before.json --data ../shared/data        # with the code of before
    python tools/compare/digests.py after.json --data ../shared/data && diff before.json after.json

For each model: ids, pieces, spans, decoded text, n-best lists, samples, sums over all segmentations, messages of the
drop-in. The texts are every corpus, by line and as one text, and generated texts. For each training: the bytes of the
model.
Only public names are used, so that the same file runs with older code.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from random_texts import Generator

import spm_lite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

N_GENERATED = 20_000
N_LINES = 20_000  # of a corpus, for the calls that are slower than encoding
N_SEGMENTED = 400  # texts with n-best lists and samples
NATIVE_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "nmt_nfkc": {"normalization": "nmt_nfkc"},
    "strict": {"lossless": "strict"},
    "no fallback": {"byte_fallback": False, "character_coverage": 0.99},
    "symbols": {"user_defined_symbols": ["<tool>", "ab"], "control_symbols": ["<sep>"], "split_digits": True},
    "across words": {"split_by_whitespace": False, "max_sentencepiece_length": 8},
}
DROP_IN_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "identity": {"normalization_rule_name": "identity", "byte_fallback": True},
    "suffix": {"treat_whitespace_as_suffix": True, "split_by_number": False},
}
TRAINING_CORPORA = ("en-botchan.txt", "ja-commonvoice.txt", "th-wisesight-social.txt")


class Digest:
    """A hash of values, whatever they are made of."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, value: Any) -> None:
        """Take in one more value: bytes and arrays as they are, all else by its repr."""
        if isinstance(value, np.ndarray):
            value = value.tobytes()
        data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
        self._hash.update(b"%d:" % len(data) + data)

    def text(self) -> str:
        return self._hash.hexdigest()[:32]


def digest_of(values: Iterable[Any]) -> str:
    digest = Digest()
    for value in values:
        digest.add(value)
    return digest.text()


def encoded(tok: spm_lite.Tokenizer, texts: list[str | bytes]) -> Iterator[Any]:
    """Ids by way of arrays and lists, on one and two threads, and what they decode to."""
    batch = tok.encode_batch(texts)
    yield from (batch.ids, batch.offsets, tok.encode_lists(texts), tok.count_batch(texts))
    yield tok.encode_batch(texts, num_threads=2).ids
    yield tok.decode_batch(batch)
    yield [tok.decode_bytes(ids) for ids in batch.to_lists()[:2000]]


def placed(tok: spm_lite.Tokenizer, texts: list[str | bytes]) -> Iterator[Any]:
    """Spans, normalized texts and pieces."""
    strings = [text for text in texts if isinstance(text, str)]
    batch, spans = tok.spans_batch(strings)
    yield from (batch.ids, spans)
    yield [tok.normalize(text) for text in strings[:2000]]
    yield [tok.pieces(text) for text in strings[:2000]]
    yield [list(tok.chunks(text, 20)) for text in strings[:200]]


def segmented(tok: spm_lite.Tokenizer, texts: list[str | bytes]) -> Iterator[Any]:
    """N-best lists, samples and sums over all segmentations, as far as the model has them."""
    strings = [text[:300] for text in texts if isinstance(text, str)][:N_SEGMENTED]
    for name, call in (
        ("nbest", lambda text: tok.nbest(text, 8)),
        ("sample", lambda text: tok.sample(text, alpha=0.3, seed=5)),
        ("dropout", lambda text: tok.sample(text, dropout=0.2, seed=5)),
        ("log_prob", tok.lattice.log_prob),
        ("entropy", tok.lattice.entropy),
    ):
        yield name
        yield [result_or_error(call, text) for text in strings]


def of_drop_in(model: bytes, texts: list[str | bytes]) -> Iterator[Any]:
    """Messages, offsets and n-best lists of the drop-in."""
    sp = spm_lite.SentencePieceProcessor(model_proto=model)
    strings = [text for text in texts if isinstance(text, str)][:4000]
    yield sp.encode(strings, return_type="serialized_proto")
    yield sp.encode(strings, return_type="offset_mapping")
    yield [result_or_error(lambda text: sp.nbest_encode(text[:200], nbest_size=5), text) for text in strings[:200]]


def result_or_error(call: Callable[[Any], Any], value: Any) -> Any:
    """What a call gives, or the kind of its error."""
    try:
        return call(value)
    except spm_lite.SpmLiteError as error:
        return type(error).__name__


def digest_model(path: Path, corpora: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Name and digest of each thing that a model makes of each corpus."""
    tok = spm_lite.Tokenizer.load(path)
    lines = [line for some in corpora.values() for line in some[:3000]]
    generator = Generator(tok, lines, 7)
    texts: dict[str, list[str | bytes]] = {"generated": list(generator.texts(N_GENERATED))}
    texts.update({name: [*some, " ".join(some)] for name, some in corpora.items()})
    for name, some in texts.items():
        yield f"{path.name} {name} ids", digest_of(encoded(tok, some))
        yield f"{path.name} {name} places", digest_of(placed(tok, some[:N_LINES]))
        yield f"{path.name} {name} segmentations", digest_of(segmented(tok, some))
        yield f"{path.name} {name} drop-in", digest_of(of_drop_in(path.read_bytes(), some))


def digest_trainings(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and digest of each model that is trained, natively and by way of the drop-in."""
    for corpus in TRAINING_CORPORA:
        lines = (folder / corpus).read_text(encoding="utf-8").split("\n")[:6000]
        for model_type in ("unigram", "bpe", "char", "word"):
            options = {"model_type": model_type, "vocab_size": 2500, "hard_vocab_limit": False}
            for name, more in NATIVE_OPTIONS.items():
                if model_type in ("char", "word") and name in ("strict", "across words"):
                    continue
                tok = result_or_error(lambda more: spm_lite.train(lines, **options, **more), more)  # noqa: B023
                yield (
                    f"native {corpus} {model_type} {name}",
                    digest_of([tok if isinstance(tok, str) else tok.to_bytes()]),
                )
            for name, more in DROP_IN_OPTIONS.items():
                model = io.BytesIO()
                spm_lite.SentencePieceTrainer.train(
                    sentence_iterator=iter(lines), model_writer=model, minloglevel=3, num_threads=2, **options, **more
                )
                yield f"drop-in {corpus} {model_type} {name}", digest_of([model.getvalue()])


def main() -> int:
    """Write the digests as JSON, sorted by name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="the JSON file to write")
    parser.add_argument("--data", type=Path, required=True, help="the folder with models/ and corpora/")
    options = parser.parse_args()
    corpora = {
        path.name: path.read_text(encoding="utf-8").split("\n")[:N_LINES]
        for path in sorted((options.data / "corpora").rglob("*.t*"))
    }
    begin = time.perf_counter()
    digests = dict(digest_trainings(options.data / "corpora"))
    print(f"{len(digests)} trainings, {time.perf_counter() - begin:.0f} s", flush=True)
    for path in sorted((options.data / "models").glob("*.model")):
        digests.update(digest_model(path, corpora))
        print(f"{path.name}, {time.perf_counter() - begin:.0f} s", flush=True)
    options.output.write_text(json.dumps(digests, indent=0, sort_keys=True), encoding="utf-8")
    total = hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()
    print(f"{len(digests)} digests, all together {total}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
