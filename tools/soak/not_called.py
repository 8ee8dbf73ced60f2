"""Public names that no attack calls, and why. A test holds that every other one is called."""

from __future__ import annotations

NOT_CALLED = {
    "spm_lite.install_as_sentencepiece": "changes the modules of its process; tests/sentencepiece do it in processes",
    "spm_lite.engines.spark": "needs a cluster; `Encode`, shards and `worker` make the same calls in its workers",
    "spm_lite.engines.ray": "needs a cluster; `Encode`, shards and `worker` make the same calls in its workers",
    "spm_lite.engines.datatrove": "needs datatrove, which calls `encode_batch` and the writer of shards",
    "Audit.to_pandas": "needs pandas, to which it gives the table of `to_arrow`",
    "Batch.to_torch": "needs torch, to which it gives the arrays of `to_padded`",
    "transformers.patch": "changes a class of its process; tests/transformers do it in processes",
    "transformers.unpatch": "undoes `patch`",
}
