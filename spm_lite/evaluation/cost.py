"""What a vocabulary and its tokens cost a language model, in parameters and operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ModelSize:
    """A language model: parameters besides embeddings, and the width of these."""

    name: str
    parameters: int
    width: int


MODELS = (
    ModelSize("100M", 100_000_000, 768),
    ModelSize("1B", 1_000_000_000, 2048),
    ModelSize("7B", 7_000_000_000, 4096),
)


def size_figures(size: int) -> dict[str, Any]:
    """The parameters of the embeddings for a vocabulary of `size`, their share, and the bytes of the logits."""
    return {
        "size": size,
        "logits_bytes_per_position": 4 * size,
        "models": {
            model.name: {
                "embedding": size * model.width,
                "embedding_and_output": 2 * size * model.width,
                "share": share(size * model.width, model.parameters),
                "share_untied": share(2 * size * model.width, model.parameters),
            }
            for model in MODELS
        },
    }


def share(embeddings: int, parameters: int) -> float:
    return embeddings / (parameters + embeddings)


def operations_per_byte(size: int, bytes_per_token: float, model: ModelSize) -> float:
    """The operations of a forward pass for a byte of text, without attention."""
    return 2 * (model.parameters + size * model.width) / bytes_per_token


def cost_figures(sizes: Mapping[str, int], bytes_per_token: Mapping[str, Mapping[str, float | None]]) -> dict[str, Any]:
    """The costs of some tokenizers. sizes: of each; bytes_per_token: on each text, those of each, unknown ones spelled.

    `against_first`: cost for a byte, as a share of the first tokenizer's.
    """
    return {
        "tokenizers": {name: size_figures(size) for name, size in sizes.items()},
        "texts": {text: text_costs(sizes, rates) for text, rates in bytes_per_token.items()},
    }


def text_costs(sizes: Mapping[str, int], rates: Mapping[str, float | None]) -> dict[str, Any]:
    """For each model size and tokenizer: operations for a byte, and against the first tokenizer."""
    result: dict[str, Any] = {}
    for model in MODELS:
        costs = {
            name: operations_per_byte(size, rate, model) if (rate := rates.get(name)) else None
            for name, size in sizes.items()
        }
        first = next(iter(costs.values()), None)
        result[model.name] = {
            name: {
                "operations_per_byte": cost,
                "against_first": cost / first if cost is not None and first else None,
            }
            for name, cost in costs.items()
        }
    return result


def cheapest(costs: Sequence[tuple[int, float]]) -> int:
    """The size with the least cost; of equal ones the smaller."""
    return min(costs, key=lambda item: (item[1], item[0]))[0]
