"""datatrove: a step of its pipelines, by its local executor; its own writer as the oracle."""

import pickle
from pathlib import Path
from typing import Any

import pytest
from oracle.engines import content, need, texts_of
from oracle.small_models import small_model

need("datatrove", "datatrove", "humanize")

from spm_lite import OptionError, Tokenizer  # noqa: E402
from spm_lite.engines.datatrove import DocumentTokenizer  # noqa: E402
from spm_lite.files.id_forms import vocabulary_name  # noqa: E402

pytestmark = [pytest.mark.datatrove, pytest.mark.filterwarnings("ignore"), pytest.mark.thread_unsafe]
TOK = Tokenizer.load(small_model(byte_fallback=True))
TEXTS = [text or "x" for text in texts_of(1, 400)]


def documents() -> Any:
    from datatrove.data import Document

    return [Document(text=text, id=str(i)) for i, text in enumerate(TEXTS)]


def written_by_datatrove(folder: Path, name: str, texts: list[str], eos: bool = True) -> Any:
    from datatrove.pipeline.tokens.tokenizer import TokenizedFile

    known = vocabulary_name(TOK.to_bytes())
    file = TokenizedFile(str(folder), name, tokenizer_name_or_path=known, save_final_metadata=True, token_size=2)
    for ids in TOK.encode_batch(texts, eos=eos).to_lists():
        file.write(ids, None)
    file.close()
    return file


def test_the_files_of_a_rank_are_those_of_its_own_writer(tmp_path: Path) -> None:
    DocumentTokenizer(tmp_path / "ours", TOK, eos=True).run(iter(documents()), rank=3)
    written_by_datatrove(tmp_path / "theirs", "00003_unshuffled.ds", TEXTS)
    assert content(tmp_path / "ours") == content(tmp_path / "theirs")


def test_a_shuffled_rank(tmp_path: Path) -> None:
    from numpy.random import default_rng

    DocumentTokenizer(tmp_path / "ours", TOK, eos=True, shuffle=True, seed=5).run(iter(documents()), rank=0)
    file = written_by_datatrove(tmp_path / "theirs", "00000_unshuffled.ds", TEXTS)
    file.copy(None, default_rng(5).permutation(len(TEXTS)), sub_filename="doc_shuffled")
    file.cleanup()
    assert content(tmp_path / "ours") == content(tmp_path / "theirs")


def test_its_executor_with_two_processes(tmp_path: Path) -> None:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader

    (tmp_path / "in").mkdir()
    for part in range(2):
        lines = [document.text for document in documents()[part::2]]
        rows = "".join(f'{{"text": "{line}", "id": "{i}"}}\n' for i, line in enumerate(lines))
        (tmp_path / "in" / f"{part}.jsonl").write_text(rows, encoding="utf-8")
    step = DocumentTokenizer(tmp_path / "out", TOK.to_bytes(), eos=True)
    pipeline = [JsonlReader(str(tmp_path / "in")), step]
    for _ in range(2):  # the second run finds the ranks done
        LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(tmp_path / "log")).run()
    for rank in range(2):
        written_by_datatrove(tmp_path / "want", f"{rank:05d}_unshuffled.ds", TEXTS[rank::2])
    assert content(tmp_path / "out") == content(tmp_path / "want")


def test_a_rank_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Any:
        yield from documents()
        raise RuntimeError

    for shuffle in (False, True):
        with pytest.raises(RuntimeError):
            DocumentTokenizer(tmp_path, TOK, shuffle=shuffle).run(broken())
        assert content(tmp_path) == {}


def test_wrong_options(tmp_path: Path) -> None:
    for given in ({"output_folder": "s3://a/b"}, {"save_filename": "a/b"}, {"dtype": "int8"}):
        with pytest.raises(OptionError):
            DocumentTokenizer(**{"output_folder": tmp_path, "model": TOK, **given})


def test_the_step_is_found_by_processes_that_import_it() -> None:
    """Its executor starts them anew: a step that only the script knows would not be there."""
    step = pickle.loads(pickle.dumps(DocumentTokenizer("out", TOK)))
    assert (type(step).__module__, type(step)) == ("spm_lite.engines.datatrove", DocumentTokenizer)


def test_its_readers_drop_empty_documents(tmp_path: Path) -> None:
    """So a number of a document is not that of the file: what comes to the step is written."""
    from datatrove.pipeline.readers import JsonlReader

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "one"}\n{"text": ""}\n{"text": "two"}\n')
    DocumentTokenizer(tmp_path / "out", TOK).run(JsonlReader(str(tmp_path / "in")).run())
    written_by_datatrove(tmp_path / "want", "00000_unshuffled.ds", ["one", "two"], eos=False)
    assert content(tmp_path / "out") == content(tmp_path / "want")
