"""Counting in parts, without an engine: the sum does not depend on the parts."""

import pickle
import random
from typing import Any

import pytest
from oracle.engines import texts_of

from spm_lite import CountTable, OptionError
from spm_lite.engines.work.columns import Column
from spm_lite.engines.work.partial_counts import Sample, make_counter, pack, packed, unpacked

pa = pytest.importorskip("pyarrow")
TEXTS = texts_of(1, 500)


def counter(sample: Any = None, seed: Any = 0, **options: Any) -> Any:
    made = make_counter(Column("text"), sample, seed, (None, None, None, options))
    return pickle.loads(pickle.dumps(made))


@pytest.mark.parametrize("table_bytes", [1, 1 << 30])
@pytest.mark.parametrize("options", [{}, {"model_type": "byte_bpe"}, {"split_by_whitespace": False}], ids=repr)
def test_rows_of_parts_add_up(options: dict[str, Any], table_bytes: int) -> None:
    want = CountTable.count(TEXTS, **options)
    work = counter(**options)._replace(table_bytes=table_bytes)
    batches = pa.table({"text": TEXTS}).to_batches(max_chunksize=90)
    rows = [row for batch in batches for row in work.rows([batch])]
    random.Random(2).shuffle(rows)
    assert work.merge(rows, None) == want
    assert work.merge((unpacked(part.rows) for part in packed(rows)), "64MB") == want
    assert sum(part.chunks for part in packed(rows)) == sum(map(len, rows))
    if table_bytes == 1:
        assert len(list(work.tables(batches))) == len(batches)
    assert list(work.tables([])) == []


def test_packs_of_some_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spm_lite.engines.work.partial_counts.PACK_BYTES", 100)
    rows = [pa.record_batch({"text": [b"x" * 30], "count": [i]}) for i in range(1, 11)]
    found = list(packed(rows))
    assert 1 < len(found) < 10
    assert [n for part in found for n in unpacked(part.rows).read_all().column("count").to_pylist()] == [*range(1, 11)]
    assert pack(rows).chunks == 10


def test_a_sample_depends_on_bytes_and_seed_alone() -> None:
    texts = [text.encode() for text in TEXTS]
    found = Sample(0.25, 7).taken(texts)
    assert found == [text for text in texts if Sample(0.25, 7).taken([text])]
    assert 60 < len(found) < 240
    assert found != Sample(0.25, 8).taken(texts)
    assert Sample(1.0, 0).taken(texts) == texts


@pytest.mark.parametrize("given", [{"sample": 0}, {"sample": 2}, {"sample": True}, {"seed": -1}, {"seed": 2**64}])
def test_wrong_samples(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="|".join(given)):
        counter(**given)


def test_limits_in_lines_are_refused() -> None:
    with pytest.raises(OptionError, match="no worker sees: pass sample="):
        counter(input_sentence_size=500)
