"""spm_encode: each line becomes pieces or ids; or the pieces of all lines are counted."""

from __future__ import annotations

import sys
from collections import Counter

from spm_lite.cli.outputs import open_output
from spm_lite.errors import OptionError
from spm_lite.kinds import CONTROL, UNKNOWN
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.processing.additions import parse_extra_options
from spm_lite.sentencepiece.processing.processor import SentencePieceProcessor
from spm_lite.sentencepiece.programs.flags import UINT32, Arguments, Flag
from spm_lite.sentencepiece.programs.lines import Convert, convert_lines, load_model, read_lines, write_lines
from spm_lite.sentencepiece.programs.program import Program, required, run_program

FORMATS = ("piece", "id", "sample_piece", "sample_id", "nbest_piece", "nbest_id")
FLAGS = (
    Flag("model", "", "the model file; required"),
    Flag("output_format", "piece", f"one of {', '.join(FORMATS)}"),
    Flag("input", "", "the file to encode; empty: the files named without a flag, or standard input"),
    Flag("output", "", "the file to write; empty: standard output"),
    Flag("extra_options", "", "bos, eos, reverse, unk, joined by ':' and applied in this order"),
    Flag("nbest_size", 10, "nbest: results per line. sample: best results to draw from; below 0: all"),
    Flag("alpha", 0.5, "sample: weight of the scores (unigram), share of the merges left out (bpe)"),
    Flag("random_seed", UINT32[1], "sample: the seed", UINT32),
    Flag("vocabulary", "", "use only the pieces of this file of lines: piece TAB count"),
    Flag("vocabulary_threshold", 0, "leave out pieces of a smaller count"),
    Flag("generate_vocabulary", False, "write all pieces of the text with their counts"),
)


def work(arguments: Arguments) -> None:
    """Encode all lines."""
    values = arguments.values
    required(arguments, "model")
    if values["output_format"] not in FORMATS:
        raise OptionError(f"Unknown output format: {values['output_format']:.80}. The formats are {', '.join(FORMATS)}")
    settings.set_random_generator_seed(values["random_seed"])
    processor = load_model(values["model"])
    if values["vocabulary"]:
        processor.LoadVocabulary(values["vocabulary"], values["vocabulary_threshold"])
    processor.SetEncodeExtraOptions(values["extra_options"])
    if values["generate_vocabulary"]:
        write_vocabulary(arguments, processor)
    else:
        convert_lines(arguments, converter(arguments, processor))


def converter(arguments: Arguments, processor: SentencePieceProcessor) -> Convert:
    """The function from lines of text to lines of output."""
    values = arguments.values
    how, _, unit = values["output_format"].rpartition("_")
    kind, n, alpha = int if unit == "id" else bytes, values["nbest_size"], values["alpha"]
    if how == "nbest":

        def nbest(lines: list[bytes]) -> list[bytes]:
            return [
                joined(row) for line in lines for row in processor.NBestEncode(line, nbest_size=n, return_type=kind)
            ]

        return nbest
    if how == "sample" and not (n in (0, 1) and processor._loaded().model_type == "unigram"):  # these are the best path
        size = -1 if n in (0, 1) else n  # BPE draws without such a list

        def sample(lines: list[bytes]) -> list[bytes]:
            return [
                joined(processor.Encode(line, enable_sampling=True, nbest_size=size, alpha=alpha, return_type=kind))
                for line in lines
            ]

        return sample
    return LineEncoder(processor, unit == "id", values["extra_options"]).encode


def joined(row: list[int] | list[bytes]) -> bytes:
    """One line of output."""
    return b" ".join([item if isinstance(item, bytes) else b"%d" % item for item in row])


class LineEncoder:
    """Encodes many lines on all CPUs, each to a line of pieces or ids."""

    def __init__(self, processor: SentencePieceProcessor, as_ids: bool, extra_options: str) -> None:
        self._tok = tok = processor._loaded()
        self._options = parse_extra_options(extra_options, tok)
        texts = map(tok._file.vocab.text, range(tok.vocab_size))
        self._names = [b"%d" % number for number in range(tok.vocab_size)] if as_ids else list(texts)
        self._as_text = -1 if as_ids else tok.unk_id  # for this id the text itself is written

    def encode(self, lines: list[bytes]) -> list[bytes]:
        """The pieces or ids of each line, joined by spaces."""
        name_of, as_text = self._names.__getitem__, self._as_text
        rows = self._tok.encode_lists(lines)
        if self._options:
            return [b" ".join(self._edited(line, ids)) for line, ids in zip(lines, rows, strict=True)]
        return [
            b" ".join(map(name_of, ids)) if as_text not in ids else b" ".join(self._pieces(line))
            for line, ids in zip(lines, rows, strict=True)
        ]

    def _pieces(self, line: bytes) -> list[bytes]:
        """The pieces of a line; text that no piece covers is a piece of its own."""
        return self._tok._encoder.pieces(line, False)

    def _edited(self, line: bytes, ids: list[int]) -> list[bytes]:
        """Apply the extra options to `ids` in place; return the names of the ids."""
        names = list(map(self._names.__getitem__, ids)) if self._as_text not in ids else self._pieces(line)
        for option in self._options:
            if option == "reverse":
                names.reverse()
                ids.reverse()
            elif option in ("bos", "eos"):
                piece_id, place = (self._tok.bos_id, 0) if option == "bos" else (self._tok.eos_id, len(names))
                names.insert(place, self._names[piece_id])
                ids.insert(place, piece_id)
            elif self._as_text >= 0:
                names = [self._names[i] if i == self._as_text else name for name, i in zip(names, ids, strict=True)]
        return names


def write_vocabulary(arguments: Arguments, processor: SentencePieceProcessor) -> None:
    """Write `piece TAB count` for the pieces of all lines, the most frequent first, then by their bytes."""
    tok = processor._loaded()
    vocab, counts = tok._file.vocab, Counter[int]()
    for _, _, lines in read_lines(arguments):
        for ids in tok.encode_lists(lines):
            counts.update(ids)
    rows = [(vocab.text(i), n) for i, n in counts.items() if vocab.type(i) not in (CONTROL, UNKNOWN)]
    rows.sort(key=lambda row: (-row[1], row[0]))
    with open_output(arguments.values["output"] or None) as out:
        write_lines(out, [b"%s\t%d" % row for row in rows])


PROGRAM = Program("spm_encode", "Turn the lines of text files into pieces or ids.", FLAGS, work)


def main(argv: list[str] | None = None) -> int:
    """Run spm_encode; return its exit code."""
    return run_program(PROGRAM, argv)


if __name__ == "__main__":
    sys.exit(main())
