"""sweep(balance=): each way is what its options train, on one count; and what is refused."""

import pickle
import random

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.training.counting import Counting

LETTERS = {"en": "abcdefghij", "de": "klmnopqrst", "th": "กขคงจชซญดต"}


def parallel_lines(n_lines):
    """Lines of three languages with the same content, word by word; words of later languages are longer."""
    found = {}
    for number, (language, letters) in enumerate(LETTERS.items()):
        draw, same = random.Random(number), random.Random(9)
        words = ["".join(draw.choices(letters, k=draw.randint(2, 4 + 2 * number))) for _ in range(400)]
        found[language] = [
            " ".join(words[min(int(same.paretovariate(0.6)), 399)] for _ in range(8)) for _ in range(n_lines)
        ]
    return found


LINES = parallel_lines(450)
TRAIN, DEV, TEST = ({name: lines[i::3] for name, lines in LINES.items()} for i in range(3))


@pytest.mark.parametrize(
    "asked",
    slow_after(
        1,
        [
            ("bpe", ["tokens", "parity"], [400], 8),
            ("bpe", ["tokens", "parity"], [400, 500], 1),
            ("byte_bpe", ["parity", "tokens"], [400, 500], 4),
            ("unigram", "tokens", [400, 500], 4),
        ],
    ),
)
def test_each_way_is_what_its_options_train(asked):
    model_type, balance, sizes, step = asked  # step: of the ways that are trained again
    options = {"model_type": model_type, "num_threads": 2}
    found = spm_lite.sweep(TRAIN, sizes, balance=balance, parallel=DEV, held_out=TEST, **options)
    assert found.sizes == sizes
    plain = {}
    for size in found.sizes:
        tok = spm_lite.train(TRAIN, vocab_size=size, **options)
        plain[size] = found.plain(size)
        assert plain[size].tokens == sum(int(tok.count_batch(lines).sum()) for lines in TEST.values())
        assert found[size, 0.0].vocab_size == size
    for row in found.rows[::step]:
        dev = {} if row.options.keys() <= {"weights"} else {"parallel": DEV}
        tok = spm_lite.train(TRAIN, vocab_size=row.size, **dev, **row.options, **options)
        assert tok.to_bytes() == found._tokenizers[row.size, row.way].to_bytes(), row.way
        assert row.tokens == sum(int(tok.count_batch(lines).sum()) for lines in TEST.values())
        assert row.price == row.tokens / plain[row.size].tokens - 1
    ways = {row.way for row in found.rows}
    assert ("parity" in ways) == (model_type != "unigram")
    assert min(row.gini for row in found.rows) < plain[400].gini / 2
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


@pytest.mark.parametrize("options", [{"share_of": "texts"}, {"seed": 7, "input_sentence_size": 101}])
def test_the_options_of_a_choice_are_whole(options):
    found = spm_lite.sweep(TRAIN, [400], balance="tokens", parallel=DEV, held_out=TEST, model_type="bpe", **options)
    choice = found.choices[0]
    assert options.items() <= choice.options.items()
    dev = {"parallel": DEV} if "balance" in choice.options else {}
    assert spm_lite.train(TRAIN, **dev, **choice.options).to_bytes() == found[400, choice.prices[0]].to_bytes()


def test_text_is_counted_once(monkeypatch):
    counted = []
    real = Counting.count_text
    monkeypatch.setattr(
        Counting, "count_text", lambda self, *args, **more: counted.append(1) or real(self, *args, **more)
    )
    sources = {name: iter(lines) for name, lines in TRAIN.items()}
    spm_lite.sweep(
        sources, [600, 700], balance="tokens", parallel={name: iter(v) for name, v in DEV.items()}, model_type="bpe"
    )
    assert len(counted) == len(TRAIN)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"balance": "fair"}, OptionError, "balance='fair': must be of tokens, parity"),
        ({"balance": []}, OptionError, "balance is an empty list"),
        ({"balance": [["tokens"]]}, OptionError, r"balance=\['tokens'\]: must be of"),
        ({"balance": "parity", "memory_limit": "64MB"}, OptionError, "leave out memory_limit"),
        ({"balance": 3}, ArgumentTypeError, "balance is int: pass 'tokens', 'parity' or a list of both"),
        ({"balance": None}, OptionError, "give balance='tokens' too"),
        ({"parallel": None}, OptionError, "parallel"),
        ({"balance": "parity", "model_type": "unigram"}, OptionError, "objective='parity' and model_type='unigram'"),
        ({"weights": {"en": 1, "de": 1, "th": 1}}, OptionError, "weights and balance"),
        ({"held_out": {"en": TEST["en"], "de": TEST["de"]}}, OptionError, "held_out has no text of 'th'"),
        ({"held_out": {**TEST, "xx": ["a"]}}, OptionError, "held_out names 'xx'"),
        ({"held_out": {**TEST, "th": ["a"]}}, OptionError, "same number of lines"),
        ({"vocab_size": 600}, OptionError, "vocab_size and sizes both"),
        ({"sizes": []}, OptionError, "give at least one vocabulary size"),
        ({"source": TRAIN["en"]}, OptionError, "several sources"),
    ],
)
def test_mistakes(arguments, error, message):
    given = {"source": TRAIN, "sizes": [600], "balance": "tokens", "parallel": DEV, "model_type": "bpe", **arguments}
    with pytest.raises(error, match=message):
        spm_lite.sweep(**given)
