"""Several sources: shares by whole factors of the counts, and the same model however the text comes."""

import random
from fractions import Fraction

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import ArgumentTypeError, OptionError, TrainingError
from spm_lite.training.weighted_sources import MOST_STEPS, TOLERANCE, whole_factors

SMALL = {"model_type": "bpe", "vocab_size": 290, "num_threads": 1}
EN = ["the mill turns the wheel"] * 40
DE = ["die Mühle dreht das Rad", "das Rad"] * 5


def test_counts_are_those_of_repeated_text():
    """The naive twin: texts that are there as often as the factor says."""
    tok = spm_lite.train({"en": EN, "de": DE}, weights={"en": 1, "de": 1}, **SMALL)
    factors = {name: figures.factor for name, figures in tok.report.sources.items()}
    assert factors["de"] > factors["en"]
    whole = spm_lite.train(EN * factors["en"] + DE * factors["de"], **SMALL)
    assert tok.to_bytes() == whole.to_bytes()
    assert sum(figures.share for figures in tok.report.sources.values()) == pytest.approx(1)


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "byte_bpe", "wordpiece", "char", "word"])
def test_the_same_model_in_any_form(tmp_path, model_type):
    options = {"model_type": model_type, "vocab_size": 300, "hard_vocab_limit": False, "temperature": 0.4}
    for name, texts in (("en", EN), ("de", DE)):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    counts = CountTable.count(DE, model_type=model_type)
    texts = [
        {"en": EN, "de": DE},
        {"de": iter(DE), "en": tmp_path / "en.txt"},
    ]
    tables = [
        {"en": str(tmp_path / "en.txt"), "de": counts},
        {"de": [CountTable.count([text], model_type=model_type) for text in DE], "en": iter(EN)},
    ]
    for forms in texts, tables:  # a table knows the size of its text only nearly
        models = {spm_lite.train(form, num_threads=n + 1, **options).to_bytes() for n, form in enumerate(forms)}
        limited = spm_lite.train(dict(reversed(forms[0].items())), memory_limit="1GB", **options)
        assert models == {limited.to_bytes()}


def test_shares():
    for arguments, expected in (
        ({}, None),
        ({"weights": {"a": 3, "b": 1}}, 0.75),
        ({"weights": {"a": 0.1, "b": 0.1}}, 0.5),
        ({"temperature": 0}, 0.5),
        ({"temperature": 1}, None),
    ):
        report = spm_lite.train({"a": EN, "b": DE}, **arguments, **SMALL).report
        sizes = {name: figures.bytes_used for name, figures in report.sources.items()}
        assert report.sources["a"].share == pytest.approx(expected or sizes["a"] / sum(sizes.values()), rel=0.01)
        assert "source a" in str(report)
        assert report.lines_used == len(EN) + len(DE)


@pytest.mark.parametrize("seed", range(30))
def test_factors_are_near_and_small(seed):
    rng = random.Random(seed)
    wanted = {str(i): Fraction(10 ** rng.uniform(-9, 0)) for i in range(rng.randrange(1, 6))}
    try:
        factors = whole_factors(wanted)
    except OptionError:
        assert max(wanted.values()) / min(wanted.values()) > 10**7
        return
    least = min(wanted, key=lambda name: (wanted[name], name))
    for name, factor in factors.items():
        ratio = wanted[name] / min(wanted.values())
        assert abs(Fraction(factor, factors[least]) - ratio) <= ratio * max(TOLERANCE, Fraction(1, 2 * MOST_STEPS))
    assert min(factors.values()) <= MOST_STEPS


def test_memory_limit_leaves_out_once():
    texts = [f"word{i} word{i % 7}" for i in range(3000)]
    counts = CountTable.count(texts)
    doubled = counts.chunks.weighted(2, 0)
    assert doubled.items() == [(text, 2 * count) for text, count in counts.chunks.items()]
    with pytest.raises(TrainingError, match="limit"):
        counts.chunks.weighted(2**63, 0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, OptionError, "nothing to learn from"),
        ({"input": ["a"], "texts": {"a": ["a"]}}, OptionError, "give one of them"),
        ({"input": {}}, OptionError, "at least one"),
        ({"input": {3: ["a"]}}, ArgumentTypeError, "name is a str"),
        ({"input": {"a": ["ab"]}, "weights": {"b": 1}}, OptionError, "'a' has no weight"),
        ({"input": {"a": ["ab"]}, "weights": {"a": 1, "b": 1}}, OptionError, "'b' has a weight but is not a source"),
        ({"input": {"a": ["ab"]}, "weights": {"a": -1}}, OptionError, "above 0"),
        ({"input": {"a": ["ab"]}, "weights": {"a": float("nan")}}, OptionError, "above 0"),
        ({"input": {"a": ["ab"]}, "weights": {"a": "1"}}, ArgumentTypeError, "must be a number"),
        ({"input": {"a": ["ab"]}, "weights": {"a": 1}, "temperature": 1}, OptionError, "give one of them"),
        ({"input": {"a": ["ab"]}, "temperature": 1.5}, OptionError, "from 0"),
        ({"input": {"a": ["ab"]}, "temperature": True}, ArgumentTypeError, "number"),
        ({"input": {"a": ["ab"], "b": [""]}}, TrainingError, "source 'b' has no text"),
        ({"input": {"a": ["ab"]}, "checkpoint": "x"}, OptionError, "checkpoint and several sources"),
        ({"input": {"a": ["ab"]}, "reference_rules": True}, OptionError, "reference_rules"),
        ({"input": ["ab"], "weights": {"a": 1}}, OptionError, "several sources"),
        ({"input": {"a": ["a"], "b": ["b" * 99]}, "weights": {"a": 1e9, "b": 1e-9}}, OptionError, "too little text"),
    ],
)
def test_mistakes(arguments, error, message):
    with pytest.raises(error, match=message):
        spm_lite.train(vocab_size=300, **arguments)


def test_a_file_in_two_sources(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("some text\n")
    with pytest.raises(OptionError, match="named twice"):
        spm_lite.train({"a": path, "b": [path]}, vocab_size=300)


def figures_of(report):
    return {name: (figures.factor, figures.asked, figures.share) for name, figures in report.sources.items()}


def check_shares(report, sizes, wanted):
    """Factors, asked and reached shares by the definition. sizes: of each source in the unit of the shares."""
    total = sum(report.sources[name].factor * size for name, size in sizes.items())
    for name, size in sizes.items():
        figures = report.sources[name]
        assert figures.asked == pytest.approx(wanted[name] / sum(wanted.values()))
        assert figures.share == pytest.approx(figures.factor * size / total)
        assert figures.share == pytest.approx(figures.asked, rel=0.02)
        times = f", counted {figures.factor:,} times" if figures.factor > 1 else ""
        row = f"{figures.bytes_used:,} bytes of text{times}: {figures.share:.1%} of the {report.share_of} "
        assert row + f"({figures.asked:.1%} asked)" in str(report)


def test_a_space_counts_as_one_byte():
    """Two sources of one weight, with and without spaces, have the same share of the text as it was given."""
    spaced, joined = ["a mill at a river is a joy"] * 700, ["millatariverwheelofjoyxyzz"] * 700
    for share_of in ("bytes", "characters", "texts"):
        report = spm_lite.train({"a": spaced, "b": joined}, weights={"a": 1, "b": 1}, share_of=share_of, vocab_size=300,
            hard_vocab_limit=False,
        ).report  # fmt: skip
        assert figures_of(report) == {"a": (1, 0.5, 0.5), "b": (1, 0.5, 0.5)}
        assert [figures.bytes_used for figures in report.sources.values()] == [26 * 700, 26 * 700]
        assert report.share_of == share_of


GIVEN = {
    "en": ["the mill turns the wheel", "  two  spaces  ", "a \u2581 b"] * 30,
    "ja": ["水車が回る", "川の水、ﬁ①"] * 9,
    "ru": ["мельница", "e\u0301\u0301 👩\u200d🌾", ""] * 20,
}
UNITS = {"bytes": lambda text: len(text.encode()), "characters": len, "texts": lambda text: 1}


@pytest.mark.parametrize("share_of", UNITS)
@pytest.mark.parametrize("form", ["texts", "bytes", "files", "crlf", "tsv", "limited"])
@pytest.mark.parametrize("model_type", slow_after(1, ["bpe", "unigram", "byte_bpe", "wordpiece"]))
def test_shares_are_of_the_text_as_given(tmp_path, share_of, form, model_type):
    """Whatever the rules of the model make of it; empty texts are none."""
    size_of, options = UNITS[share_of], {"model_type": model_type, "vocab_size": 330, "hard_vocab_limit": False}
    sources, counts = dict(GIVEN), dict.fromkeys(GIVEN, 1)
    if form == "bytes":
        sources = {name: [text.encode() for text in texts] for name, texts in GIVEN.items()}
    if form in ("files", "crlf", "tsv", "limited"):
        end, counts = "\r\n" if form == "crlf" else "\n", {"en": 1, "ja": 3, "ru": 5} if form == "tsv" else counts
        for name, texts in GIVEN.items():
            lines = [f"{text}\t{counts[name]}" if form == "tsv" else text for text in texts]
            sources[name] = tmp_path / f"{name}.txt"
            sources[name].write_bytes("".join(line + end for line in lines).encode())
    if form == "tsv":
        options["input_format"] = "tsv"
    if form == "limited":
        options["memory_limit"] = "128MB"
    if model_type != "byte_bpe":
        options["normalization"] = "bert_uncased" if model_type == "wordpiece" else "nfkc"
    wanted = {"en": 2, "ja": 1, "ru": 3}
    report = spm_lite.train(sources, weights=wanted, share_of=share_of, **options).report
    sizes = {name: counts[name] * sum(size_of(t) for t in texts if t) for name, texts in GIVEN.items()}
    check_shares(report, sizes, wanted)
    n_bytes = {name: counts[name] * sum(len(t.encode()) for t in texts) for name, texts in GIVEN.items()}
    assert {name: figures.bytes_used for name, figures in report.sources.items()} == n_bytes
    assert report.bytes_used == sum(n_bytes.values())


@pytest.mark.parametrize("share_of", UNITS)
@pytest.mark.parametrize("temperature", [0, 0.3, 1])
def test_temperature_is_of_the_same_unit(share_of, temperature):
    report = spm_lite.train(GIVEN, temperature=temperature, share_of=share_of, **{**SMALL, "vocab_size": 330},
        hard_vocab_limit=False,
    ).report  # fmt: skip
    sizes = {name: sum(map(UNITS[share_of], filter(None, texts))) for name, texts in GIVEN.items()}
    check_shares(report, sizes, {name: size**temperature for name, size in sizes.items()})


def test_no_shares_were_asked_for():
    report = spm_lite.train(GIVEN, **{**SMALL, "vocab_size": 330}, hard_vocab_limit=False).report
    assert {figures.asked for figures in report.sources.values()} == {None}
    assert {figures.factor for figures in report.sources.values()} == {1}
    assert "asked" not in str(report)
    assert sum(figures.share for figures in report.sources.values()) == pytest.approx(1)
    plain = spm_lite.train([text for texts in GIVEN.values() for text in texts], model_type="bpe", vocab_size=300,
                           hard_vocab_limit=False).report  # fmt: skip
    assert (plain.share_of, plain.sources) == ("", {})
    assert plain.bytes_used == report.bytes_used


def test_a_count_table_knows_bytes_and_characters():
    """Nearly: the space that begins each text in the table counts too."""
    tables = {name: CountTable.count(texts) for name, texts in GIVEN.items()}
    for share_of in ("bytes", "characters"):
        report = spm_lite.train(tables, weights={"en": 2, "ja": 1, "ru": 3}, share_of=share_of,
            **SMALL | {"vocab_size": 330}, hard_vocab_limit=False,
        ).report  # fmt: skip
        assert report.bytes_used is None
        for name, texts in GIVEN.items():
            n_bytes = sum(len(text.encode()) for text in texts)
            assert 0 <= report.sources[name].bytes_used - n_bytes <= len(texts)
            assert report.sources[name].share == pytest.approx(report.sources[name].asked, rel=0.02)


def test_a_count_table_has_no_texts():
    """Each remedy of the error helps."""
    call = {"sources": {"en": EN, "de": CountTable.count(DE, model_type="bpe")}, "weights": {"en": 1, "de": 1}}
    with pytest.raises(OptionError, match="share_of='texts' and the source 'de': a count table no longer has") as error:
        spm_lite.train(**call, share_of="texts", **SMALL)
    assert len(error.value.remedies) == 2
    for remedy in error.value.remedies:
        assert spm_lite.train(**{**call, "share_of": "texts", **SMALL, **remedy}).report.share_of == remedy["share_of"]


@pytest.mark.parametrize("share_of", ["tokens", "", None, 3, ["bytes"]])
def test_another_unit(share_of):
    call = {"sources": {"en": EN, "de": DE}, **SMALL}
    with pytest.raises(OptionError, match=r"share_of=.*: must be one of bytes, characters, texts") as error:
        spm_lite.train(**call, share_of=share_of)
    assert [remedy["share_of"] for remedy in error.value.remedies] == ["bytes", "characters", "texts"]
    for remedy in error.value.remedies:
        assert spm_lite.train(**call, **remedy)


def test_a_unit_without_sources():
    with pytest.raises(OptionError, match="share_of is for several sources") as error:
        spm_lite.train(EN, share_of="characters", **SMALL)
    for remedy in error.value.remedies:
        assert spm_lite.train(EN, **{"share_of": "characters", **SMALL, **remedy, "hard_vocab_limit": False})


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "wordpiece"])
def test_more_sources_than_bits(model_type):
    """With weights and without, 70 sources give the model of their texts repeated."""
    options = {"model_type": model_type, "vocab_size": 400, "hard_vocab_limit": False, "num_threads": 1}
    sources = {f"s{i}": [*EN[:3], f"word{i % 7}{chr(97 + i % 26) * (i % 3 + 1)} {i}"] for i in range(70)}
    together = [text for texts in sources.values() for text in texts]
    assert spm_lite.train(sources, **options).to_bytes() == spm_lite.train(together, **options).to_bytes()
    weights = {name: 1 + i % 3 for i, name in enumerate(sources)}
    tok = spm_lite.train(sources, weights=weights, **options)
    assert len(tok.report.sources) == 70
    limited = spm_lite.train(sources, weights=weights, memory_limit="1GB", **options)
    assert limited.to_bytes() == tok.to_bytes()
    assert limited.report.rare_by_source == tok.report.rare_by_source
    for title in tok.report.rare_by_source:
        assert title in sources or title == "other sources"
