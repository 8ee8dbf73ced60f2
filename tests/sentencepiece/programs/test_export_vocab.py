"""spm_export_vocab beside the file that sentencepiece's training writes."""

import pytest

sentencepiece = pytest.importorskip("sentencepiece")


def test_scores(made, folder):
    sentencepiece.SentencePieceTrainer.train(
        input="corpus.txt", model_prefix="m", vocab_size=40, hard_vocab_limit=False, minloglevel=2
    )
    assert made("export_vocab", "--model=m.model") == (folder / "m.vocab").read_bytes()


def test_ids(model, theirs, made, run):
    expected = "".join(f"{theirs.id_to_piece(i)}\t{i}\n" for i in range(len(theirs))).encode()
    assert made("export_vocab", f"--model={model}", "--output_format=syms") == expected
    assert run("export_vocab", "--model", model, "--output_format", "syms").stdout == expected


def test_mistakes(model, fails):
    assert "Unsupported output format: tsv" in fails("export_vocab", f"--model={model}", "--output_format=tsv")
    assert "--model is missing" in fails("export_vocab")
