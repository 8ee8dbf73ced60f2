"""What a worker process keeps between tasks: the last tokenizers, by the digest of their model."""

from spm_lite.engines.work.kept_tokenizers import tokenizer

__all__ = ["tokenizer"]
