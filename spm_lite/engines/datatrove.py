"""A step for pipelines of datatrove: its readers, filters and executors, our ids, its token files.

The step is a class of datatrove's kind, so it is made when it is first asked for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag, as_int
from spm_lite.engines.work.kept_tokenizers import model_bytes, partner, tokenizer
from spm_lite.errors import OptionError, TextError
from spm_lite.files.id_forms import as_dtype, paths_of, vocabulary_name
from spm_lite.files.open_files import as_path
from spm_lite.files.whole_id_files import WholeFiles

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer


FORMAT = "datatrove"
BLOCK_LENGTH = 1 << 21  # characters that are encoded at once
GATHERED = 1 << 12  # documents that are put in another order at once


def __getattr__(name: str) -> Any:
    if name == "DocumentTokenizer":
        return step_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Settings:
    """The arguments of the step, checked."""

    def __init__(
        self, folder: Any, model: Any, bos: Any, eos: Any, save_filename: Any, dtype: Any, threads: Any
    ) -> None:
        self.folder = Path(as_path(folder, "output_folder", allows_address=True))
        if "://" in str(folder):
            raise OptionError(f"output_folder={str(folder)!r:.60}: must be a local folder; copy its files afterwards")
        if not isinstance(save_filename, str) or "/" in save_filename:
            raise OptionError(f"save_filename={save_filename!r:.60}: must be the beginning of a file's name")
        self.model = model_bytes(model)
        self.ends: dict[str, Any] = {"bos": as_flag(bos, "bos"), "eos": as_flag(eos, "eos")}
        tok = tokenizer(self.model)
        tok._bos_eos(bos, eos)
        self.start, self.threads = save_filename, as_int(threads, "num_threads")
        self.dtype = as_dtype(dtype, tok.vocab_size, FORMAT)

    def files(self, folder: Path, rank: int, kind: str) -> WholeFiles:
        """The files of a rank, under the names that datatrove gives them."""
        name = "_".join(part for part in (self.start, f"{rank:05d}", f"{kind}.ds") if part)
        return WholeFiles(paths_of(str(folder / name), FORMAT), FORMAT, self.dtype, vocabulary_name(self.model))


def text_blocks(data: Iterable[Any]) -> Iterator[list[str]]:
    """The texts of documents, some megabytes at a time."""
    texts: list[str] = []
    length = 0
    for document in data:
        texts.append(document.text)
        length += len(document.text)
        if length >= BLOCK_LENGTH:
            yield texts
            texts, length = [], 0
    if texts:
        yield texts


def write_shuffled(source: Path, settings: Settings, rank: int, seed: int) -> None:
    """Write finished token files again, in a random order of the documents: that of datatrove for this seed."""
    import numpy as np

    paths = [Path(path) for path in paths_of(str(source), FORMAT)]
    ids = np.fromfile(paths[0], settings.dtype) if paths[0].stat().st_size else np.empty(0, settings.dtype)
    bounds = np.concatenate([np.zeros(1, "<u8"), np.fromfile(paths[1], "<u8")]).astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(bounds) - 1)
    with settings.files(settings.folder, rank, "00000_doc_shuffled") as whole:
        for begin in range(0, len(order), GATHERED):
            chosen = order[begin : begin + GATHERED]
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(bounds[chosen + 1] - bounds[chosen])])
            whole.writer.write(np.concatenate([ids[bounds[i] : bounds[i + 1]] for i in chosen]), offsets)
        whole.finish()


@cache
def step_class() -> Any:
    """The class of the step. Raises OptionError if datatrove is not installed."""
    base = partner("datatrove", "datatrove.pipeline.base").PipelineStep

    class DocumentTokenizer(base):  # type: ignore[misc, valid-type]
        """Writes the documents of each rank to `NNNNN_unshuffled.ds` with index and metadata, whole or not at all.

        Args:
            output_folder: a local folder.
            model: a Tokenizer, the path of a model, or its bytes.
            bos, eos: as in `Tokenizer.encode`.
            shuffle: True writes the documents of a rank in random order, to `NNNNN_00000_doc_shuffled.ds`. The ids of
                a rank must fit into memory.
            seed: the seed of that order.
            save_filename: the beginning of the names of the files.
            dtype: the type of an id, "uint16" or "uint32"; None: the smallest that holds the vocabulary.
            num_threads: the threads of a rank.
        Raises:
            OptionError: a wrong option, or datatrove is missing.
            TextError: a document cannot be encoded; the message names it.
        """

        name = "spm_lite"
        type = "🔢 - TOKENIZER"

        def __init__(
            self,
            output_folder: Any,
            model: Any,
            *,
            bos: bool = False,
            eos: bool = False,
            shuffle: bool = False,
            seed: int = 0,
            save_filename: str = "",
            dtype: Any = None,
            num_threads: int = 1,
        ) -> None:
            super().__init__()
            self.settings = Settings(output_folder, model, bos, eos, save_filename, dtype, num_threads)
            self.shuffle, self.seed = as_flag(shuffle, "shuffle"), as_int(seed, "seed")

        def run(self, data: Any, rank: int = 0, world_size: int = 1) -> None:
            """Write the documents of a rank."""
            settings = self.settings
            settings.folder.mkdir(parents=True, exist_ok=True)
            if not self.shuffle:
                with settings.files(settings.folder, rank, "unshuffled") as whole:
                    self.write(data, whole)
                return
            with tempfile.TemporaryDirectory(prefix=f".spm_lite-{rank:05d}-", dir=settings.folder) as name:
                with settings.files(Path(name), rank, "unshuffled") as whole:
                    self.write(data, whole)
                    source = Path(whole._paths[0])
                write_shuffled(source, settings, rank, self.seed)

        def write(self, data: Any, whole: WholeFiles) -> None:
            """Encode documents, and complete their files."""
            tok = tokenizer(self.settings.model)
            for texts in text_blocks(data):
                with self.track_time(unit="batch"):
                    batch = encoded(tok, texts, whole.writer.n_documents, self.settings)
                    whole.writer.write(batch.ids, batch.offsets)
                self.stat_update("tokens", value=len(batch.ids), unit="batch")
                self.stat_update("documents", value=len(texts), unit="batch")
            whole.finish()

    DocumentTokenizer.__qualname__ = "DocumentTokenizer"
    DocumentTokenizer.__module__ = __name__
    return DocumentTokenizer


def encoded(tok: Tokenizer, texts: list[str], n_before: int, settings: Settings) -> Any:
    """The ids of some texts. Raises TextError naming the document of the rank that cannot be encoded."""
    try:
        return tok.encode_batch(texts, num_threads=settings.threads, **settings.ends)
    except TextError as error:
        raise TextError(f"of the documents from number {n_before + 1} of this rank on, {error}") from None
