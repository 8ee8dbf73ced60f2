"""The options of a training that is fair to its languages: names, types, ranges, and contradictions between them.

`balance="tokens"` fits the weights of the sources, `objective="parity"` chooses merges by language. Both compare costs
on the same dev texts, or with the same targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import as_int, as_number, shown_number
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.specs import PARITY, TARGET_UNITS, TOKENS
from spm_lite.training.options.contradictions import guess

if TYPE_CHECKING:
    from spm_lite.files.documents import Source
    from spm_lite.specs import TrainerSpec

PRICE = 0.02  # of balance="tokens"
MOST_PRICE = 1e9  # a higher one is no limit
TARGET_RANGE = (0.001, 1e9)
PARITY_TYPES = ("bpe", "byte_bpe")
IN_TOKENS = {"balance": TOKENS, "objective": "likelihood"}  # a remedy


class AskedFairness(NamedTuple):
    """The arguments of a call that ask for fairness, as given. is_parity: the objective is "parity"."""

    balance: Any = None
    parallel: Any = None
    targets: Any = None
    target_unit: Any = TARGET_UNITS[0]
    price: Any = None
    parity: Any = None
    is_parity: bool = False

    def options(self) -> dict[str, Any]:
        """The arguments by name, without the objective."""
        return {name: value for name, value in self._asdict().items() if name != "is_parity"}


@dataclass(frozen=True)
class ParityOptions:
    """How parity-aware BPE chooses the language of the next merge: Foroutan et al. 2025.

    Attributes:
        window: the last merges that are looked at, so that no language has nearly all of them; 0: no limit.
        alpha: a language has at most this many times its equal share of the window.
        floor: 0 to 1; a language waits while its best pair is rarer than this share of the best pair of any language.
        global_merges: merges that are chosen on all text first, as in plain training.
    """

    window: int = 100
    alpha: float = 2.0
    floor: float = 0.0
    global_merges: int = 0


PARITY_RANGES: dict[str, tuple[float, float]] = {
    "window": (0, 10**6), "alpha": (1, 2**31 - 1), "floor": (0, 1), "global_merges": (0, 2**31 - 1),
}  # fmt: skip


@dataclass(frozen=True)
class Fairness:
    """What a call asked for, checked."""

    method: str  # TOKENS or PARITY
    texts: dict[str, Source]  # dev texts by language; {}: costs are measured on the training text
    targets: dict[str, float]  # {}: line i says the same in all languages, and costs are to be equal
    target_unit: str
    price: float  # the most tokens more than plain training has, as a share; inf: no limit
    parity: ParityOptions

    @property
    def is_parallel(self) -> bool:
        """Whether line i of the dev texts says the same in all languages."""
        return not self.targets


def as_fairness(
    asked: AskedFairness, names: Iterable[str], shares: Mapping[str, Any], open_input: Callable[[Any], Source]
) -> Fairness | None:
    """The fairness that a call with several sources asks for; None: it asks for none.

    names: of the sources. shares: `weights` and `temperature` as given. open_input: opens a dev text.
    Raises ArgumentTypeError and OptionError for what is wrong.
    """
    method = checked_method(asked)
    if method is None:
        return None
    for name, value in shares.items():
        if value is not None:
            raise OptionError(
                f"{name} and {method} both decide how much each language counts: give one of them",
                remedies=[{name: None}],
            )
    if asked.parity is not None and not asked.is_parity:
        raise OptionError(f"parity= is for objective={PARITY!r}: leave it out", remedies=[{"parity": None}])
    languages = [*names]
    targets = checked_targets(asked, languages)
    texts = {} if asked.parallel is None else opened_texts(asked.parallel, languages, open_input)
    if not texts and not targets:
        raise OptionError(
            f"{method} needs to know when languages cost the same: give parallel={{...}}, texts of which line i says "
            "the same in each language, or targets={...}, a number for each language"
        )
    if texts and not targets and len(texts) < 2:
        raise OptionError(
            f"parallel has one language, {next(iter(texts))!r:.60}: give the texts of at least two, which are compared"
        )
    without = [name for name in targets if texts and name not in texts]
    if without:
        raise OptionError(
            f"{without[0]!r:.60} has a target but no text in parallel: give its text, or leave parallel out, and costs "
            "are measured on the training text"
        )
    return Fairness(
        PARITY if asked.is_parity else TOKENS,
        texts,
        targets,
        asked.target_unit,
        checked_price(asked.price, inf if asked.is_parity or targets else PRICE),
        checked_parity({} if asked.parity is None else asked.parity),
    )


def checked_method(asked: AskedFairness) -> str | None:
    """The option that asks for fairness, for messages. Raises OptionError for two, for none, and for a wrong value."""
    if asked.balance is not None and asked.is_parity:
        raise OptionError(
            f"balance={asked.balance!r:.40} and objective={PARITY!r} are two ways to the same: give one of them",
            remedies=[{"balance": None, "price": None}, {**IN_TOKENS, "parity": None}],
        )
    if asked.balance is not None:
        if asked.balance != TOKENS:
            hint = f" (objective={PARITY!r} is an option of its own)" if asked.balance == PARITY else ""
            raise OptionError(
                f"balance={asked.balance!r:.40}: must be {TOKENS!r} or None{hint}", remedies=[{"balance": TOKENS}]
            )
        return f"balance={TOKENS!r}"
    if asked.is_parity:
        return f"objective={PARITY!r}"
    for (name, value), usual in zip(asked.options().items(), AskedFairness().options().values(), strict=True):
        if value is not usual and value != usual:
            objective, either = f"objective={PARITY!r}", f"balance={TOKENS!r} or objective={PARITY!r}"
            raise OptionError(
                f"{name}={value!r:.40} is for a training that is fair to languages: give "
                f"{objective if name == 'parity' else either} too, or leave {name} out",
                remedies=[{name: usual}, {"objective": PARITY} if name == "parity" else {"balance": TOKENS}],
            )
    return None


def checked_names(given: Any, option: str, languages: list[str], example: str) -> Mapping[Any, Any]:
    """A dict by language. Raises ArgumentTypeError for another type, OptionError for a name that is no source."""
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(
            f"{option} is {type(given).__name__}: pass a dict by the names of sources, as {example}"
        )
    for name in given:
        if name not in languages:
            raise OptionError(
                f"{option} names {name!r:.60}, which is no source{guess(str(name), languages)}: the sources are "
                f"{', '.join(languages):.200}",
                remedies=[{option: {one: value for one, value in given.items() if one in languages}}],
            )
    return given


def opened_texts(
    parallel: Any, languages: list[str], open_input: Callable[[Any], Source], option: str = "parallel"
) -> dict[str, Source]:
    """The dev texts, opened, in the order of the sources. option: their name, for messages."""
    given = checked_names(parallel, option, languages, "{'en': 'dev.en.txt', 'ja': 'dev.ja.txt'}")
    found = {}
    for name in (name for name in languages if name in given):
        try:
            found[name] = open_input(given[name])
        except (ArgumentTypeError, OptionError) as error:
            raise type(error)(f"{option}, {name!r:.60}: {error}", remedies=error.remedies) from None
    return found


def checked_targets(asked: AskedFairness, languages: list[str]) -> dict[str, float]:
    """The targets, in the order of the sources. Raises OptionError for one that no tokenizer can reach."""
    if asked.target_unit not in TARGET_UNITS:
        raise OptionError(
            f"target_unit={asked.target_unit!r:.40}: must be one of {', '.join(TARGET_UNITS)}",
            remedies=[{"target_unit": unit} for unit in TARGET_UNITS],
        )
    if asked.targets is None:
        if asked.target_unit != TARGET_UNITS[0]:
            raise OptionError(
                f"target_unit={asked.target_unit!r} says what targets are counted in, and there are none: leave it out",
                remedies=[{"target_unit": TARGET_UNITS[0]}],
            )
        return {}
    given = checked_names(asked.targets, "targets", languages, "{'tha': 3.0}")
    if not given:
        raise OptionError("targets is empty: give a number for at least one language", remedies=[{"targets": None}])
    low, high = TARGET_RANGE
    found = {}
    for name in (name for name in languages if name in given):
        target = as_number(given[name], f"the target of {name!r:.60}")
        if not low <= target <= high:
            raise OptionError(
                f"the target of {name!r:.60} is {shown_number(target)} {asked.target_unit}: must be "
                f"{low:g}..{high:,.0f}"
            )
        found[name] = float(target)
    return found


def check_type(fairness: Fairness, spec: TrainerSpec) -> None:
    """Raise OptionError where the type of the model, or another option of it, contradicts the fairness asked for."""
    if fairness.method == PARITY and spec.model_type not in PARITY_TYPES:
        raise OptionError(
            f"objective={PARITY!r} and model_type={spec.model_type!r}: it chooses merges, which only "
            f"{' and '.join(PARITY_TYPES)} models have. Give one of them, or balance={TOKENS!r}, for all types",
            remedies=[*({"model_type": name} for name in PARITY_TYPES), {**IN_TOKENS, "parity": None}],
        )
    if spec.superwords is not None:
        asked = f"objective={PARITY!r}" if fairness.method == PARITY else f"balance={TOKENS!r}"
        raise OptionError(
            f"superwords and {asked}: only one of them. Train with {asked} first, and give its model superwords by "
            "tok.extend(..., superwords=True)",
            remedies=[{"superwords": None}],
        )
    if spec.use_all_vocab:
        raise OptionError(
            "vocab_size='all' keeps every piece whatever the weights are: give a number of pieces",
            remedies=[{"vocab_size": 8000, "hard_vocab_limit": False}],
        )
    most = spec.max_sentencepiece_length
    if fairness.target_unit != "characters_per_token" or spec.model_type == "word":
        return
    for name, target in fairness.targets.items():
        if target > most:
            raise OptionError(
                f"the target of {name!r:.60} is {shown_number(target)} characters_per_token, and a piece has at most "
                f"max_sentencepiece_length={most}: give a lower target"
            )


def checked_price(price: Any, usual: float) -> float:
    """The most tokens more than plain training has, as a share. Raises OptionError below 0."""
    if price is None:
        return usual
    number = as_number(price, "price")
    if not number >= 0:
        raise OptionError(
            f"price={shown_number(number)}: must be 0 or more; 0.02 allows 2 % more tokens than plain training has",
            remedies=[{"price": PRICE}, {"price": None}],
        )
    return float(number) if number <= MOST_PRICE else inf


def checked_parity(parity: Any) -> ParityOptions:
    """The options of the parity objective. Raises OptionError for an unknown name and for a value out of range."""
    if not isinstance(parity, Mapping):
        raise ArgumentTypeError(f"parity is {type(parity).__name__}: pass a dict, as {{'window': 100, 'alpha': 2.0}}")
    names = [field.name for field in fields(ParityOptions)]
    for name, value in parity.items():
        if name not in names:
            raise OptionError(
                f"parity holds {name!r:.40}{guess(str(name), names)}: its names are {', '.join(names)}",
                remedies=[{"parity": {one: value for one, value in parity.items() if one in names}}],
            )
        low, high = PARITY_RANGES[name]
        number = as_number(value, f"{name} of parity")
        if not low <= number <= high:
            raise OptionError(
                f"{name}={shown_number(number)} of parity: must be {low:,}..{high:,}",
                remedies=[{"parity": {**parity, name: getattr(ParityOptions, name)}}],
            )
    whole = {name: as_int(parity[name], f"{name} of parity") for name in ("window", "global_merges") if name in parity}
    return ParityOptions(**{**{name: float(value) for name, value in parity.items()}, **whole})  # type: ignore[arg-type]
