"""What an option of training that restricts pieces costs: tokens of held-out text in twelve languages.

    python tools/bench/piece_options.py OPTION [--model-type TYPE ...] [--sizes 8000 32000]

Needs the shared test data. One model of each size learns from all languages, about 1 MB of each. Each tenth line is
held out. For `graphemes`, which needs the package regex, the share of tokens that are out of place is shown, too: those
that cross a cluster and are no whole ones.
"""

from __future__ import annotations

import argparse
import bisect
import itertools
import os
import time
from pathlib import Path

import spm_lite

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "corpora"
MOST_BYTES = 1_000_000  # of a language
EVERY = 10  # lines, of which one is held out
PLAIN = {
    "Arabic": "ar-commonvoice.txt", "Chinese": "zh-CN-commonvoice.txt", "English": "en-novels.txt",
    "Finnish": "fi-commonvoice.txt", "German": "de-commonvoice.txt", "Hindi": "hi-commonvoice.txt",
    "Japanese": "ja-wagahaiwa_nekodearu.txt", "Korean": "ko-nsmc-social.txt", "Russian": "ru-ruslit.txt",
    "Thai": "th-wisesight-social.txt", "Turkish": "tr-commonvoice.txt", "Vietnamese": "vi-commonvoice.txt",
}  # fmt: skip
OF_CLUSTERS = {  # languages in which clusters of several characters are frequent, and some others
    **{name: PLAIN[name] for name in ("Arabic", "English", "Hindi", "Korean", "Thai")},
    "Bengali": "parallel/ntrex.ben.tsv", "Burmese": "parallel/ntrex.mya.tsv", "Khmer": "parallel/ntrex.khm.tsv",
    "Lao": "parallel/ntrex.lao.tsv", "Tamil": "parallel/ntrex.tam.tsv", "Telugu": "parallel/ntrex.tel.tsv",
    "Yoruba": "parallel/ntrex.yor.tsv",
}  # fmt: skip
OPTIONS = {"whole_characters": PLAIN, "graphemes": OF_CLUSTERS}


def lines_of(name: str) -> list[str]:
    """The first lines of a file, up to MOST_BYTES; of a table, its last column."""
    text = (DATA / name).read_bytes()[:MOST_BYTES].decode("utf-8", "ignore")
    return [line.rsplit("\t", 1)[-1] for line in text.splitlines() if line]


def out_of_place(tok: spm_lite.Tokenizer, lines: list[str]) -> float:
    """The share of tokens that begin or end within a cluster and reach beyond it."""
    import regex

    n_tokens = n_out = 0
    for line in lines:
        begins = [*itertools.accumulate(map(len, regex.findall(r"\X", line)), initial=0)]
        known = {*begins}
        spans = tok.spans(line)
        n_tokens += len(spans)
        for begin, end in spans:
            n_inside = bisect.bisect_left(begins, end) - bisect.bisect_right(begins, begin)
            n_out += n_inside > 0 and not {begin, end} <= known
    return n_out / n_tokens


def main() -> None:
    """Print a table for each model type."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("option", choices=OPTIONS)
    parser.add_argument("--model-type", nargs="+", default=["byte_bpe"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[8000, 32000])
    given = parser.parse_args()
    texts = {name: lines_of(path) for name, path in sorted(OPTIONS[given.option].items())}
    held_out = {name: lines[::EVERY] for name, lines in texts.items()}
    learned = [line for lines in texts.values() for i, line in enumerate(lines) if i % EVERY]
    for model_type in given.model_type:
        counts = []  # for each model, tokens by language
        for size in given.sizes:
            for value in (False, True):
                begin = time.process_time()
                tok = spm_lite.train(texts=learned, model_type=model_type, vocab_size=size, **{given.option: value})
                seconds = time.process_time() - begin
                counts.append({name: sum(map(len, tok.encode_lists(lines))) for name, lines in held_out.items()})
                print(f"{model_type}, {size:,} pieces, {given.option}={value}: {seconds:.1f} s of CPU")
                if given.option == "graphemes":
                    shares = {name: f"{100 * out_of_place(tok, lines):.2f} %" for name, lines in held_out.items()}
                    print("out of place:", shares)
        print("| language |" + "".join(f" {size:,} | with | |" for size in given.sizes))
        for name in [*held_out, "all"]:
            cells = []
            for plain, other in zip(counts[::2], counts[1::2], strict=True):
                a, b = ((sum(one.values()) if name == "all" else one[name]) for one in (plain, other))
                cells.append(f" {a:,} | {b:,} | {100 * (b / a - 1):+.2f} % |")
            print(f"| {name} |" + "".join(cells))


if __name__ == "__main__":
    main()
