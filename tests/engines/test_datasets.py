"""The package datasets: a map function, its cache, and processes."""

from pathlib import Path

import pytest
from oracle.engines import need, texts_of
from oracle.small_models import small_model

need("datasets", "datasets", "pyarrow")

from spm_lite import ArgumentTypeError, OptionError, Tokenizer  # noqa: E402
from spm_lite.engines.datasets import Encode  # noqa: E402

pytestmark = [pytest.mark.datasets, pytest.mark.filterwarnings("ignore")]
TOK = Tokenizer.load(small_model(byte_fallback=True))
TEXTS = texts_of(1, 300)


def test_a_column_of_ids_and_the_cache(tmp_path: Path) -> None:
    import datasets

    path = tmp_path / "a.parquet"
    datasets.Dataset.from_dict({"text": TEXTS, "n": range(300)}).to_parquet(str(path))
    made = []
    for _ in range(2):  # another Tokenizer of the same model: the second call finds the cache
        ds = datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
        encode = Encode(Tokenizer.load(TOK.to_bytes()), "text", "input_ids", eos=True, num_threads=1)
        made.append(ds.with_format("arrow").map(encode, batched=True, batch_size=70, remove_columns=["text"]))
    assert made[0]._fingerprint == made[1]._fingerprint
    assert made[0].column_names == ["n", "input_ids"]
    assert str(made[0].features["input_ids"].feature.dtype) == "int32"
    found = made[1].with_format(None)
    assert [list(ids) for ids in found["input_ids"]] == TOK.encode_batch(TEXTS, eos=True).to_lists()


def test_wrong_use() -> None:
    with pytest.raises(ArgumentTypeError, match=r"call ds\.with_format\('arrow'\)"):
        Encode(TOK)({"text": ["a"]})
    with pytest.raises(OptionError, match="this column exists already"):
        Encode(TOK, "a", "a")


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_lists_of_32_bits(kind: str) -> None:
    """A large list would become another feature, and lists of Python ids of 64 bits."""
    import datasets
    import pyarrow as pa

    made = Encode(TOK)(pa.table({"text": pa.array(["a", ""], getattr(pa, kind)())}))
    assert made.schema.field("input_ids").type == pa.list_(pa.int32())
    feature = datasets.Features.from_arrow_schema(made.schema)["input_ids"]
    assert type(feature).__name__ in ("List", "Sequence")
