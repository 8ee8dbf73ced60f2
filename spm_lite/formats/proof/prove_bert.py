"""BERT's vocab.txt."""

from __future__ import annotations

from typing import Any

from spm_lite.formats.hugging_face.write_special_pieces import add_spelled
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.outgoing import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import of_bert
from spm_lite.formats.vocab_txt import SPECIAL, bert_model, read_vocab_txt, vocab_txt
from spm_lite.normalize.rules.named_rules import charsmap_of

VOCAB_TXT = "vocab.txt"


def to_vocab_list(tok: Any, findings: Findings) -> Outgoing:
    """The vocab.txt of a model. Raises OptionError for a model that it cannot express."""
    data = vocab_txt(tok)
    pieces = read_vocab_txt(data, VOCAB_TXT)
    lowercase = tok._file.settings.normalizer.precompiled_charsmap == charsmap_of("bert_uncased")
    ids = {text: i for i, text in enumerate(pieces)}
    special = {i: text for text, i in ids.items() if text in SPECIAL}
    add_spelled(tok._file, special, True, tok.normalize, findings)

    def own() -> Any:
        return type(tok)._from_bytes(bert_model(pieces, lowercase, {}, VOCAB_TXT), VOCAB_TXT)

    return Outgoing(VOCAB_TXT, {FILE: data}, findings, lambda: of_bert(ids, lowercase, special.values()), own)
