"""Naive twin of GrowingText: the whole of each text is encoded anew; and random edits of both."""

import random

from spm_lite.tokenizer.parts import NO_PREFIX
from spm_lite.tokenizer.specials import keeps_a_space

BITS = [
    "the", " cat", " sat", "  ", " ", "\u2581", "日本語", "東京", "ไทยภาษา", "é", "e\u0301\u0323",
    "👨\u200d👩\u200d👧", "🌍", "\0", "\n", "\r\n", "\t", "\u00a0", "\u3000", "ﬁ", "①", "don't", "1234567", "<s>",
    "<sep>", "aaaa", "\U0001f1e9\U0001f1ea", "\uffff", "ﾊﾟ",
]  # fmt: skip


class Twin:
    """The parts of a text: str, and lists of ids that are kept."""

    def __init__(self, tok, parts=()):
        self.tok, self.parts = tok, list(parts)

    def ids(self):
        first = self.tok._variants.encoder(None, True)
        normalizer = first.normalizer
        settings = self.tok._file.settings.normalizer
        has_suffix = normalizer.whitespace_as_suffix
        are_alike = settings.prefix_each_text or has_suffix or not normalizer.add_dummy_prefix
        later = first if are_alike else self.tok._variants.encoder(NO_PREFIX, True)
        found = []
        for i, part in enumerate(self.parts):
            if isinstance(part, list):
                found += part
            else:
                found += (first if i == 0 or keeps_a_space(normalizer, part) else later).encode(part)
        return found

    def append(self, part):
        if self.parts and type(self.parts[-1]) is type(part):
            self.parts[-1] = self.parts[-1] + part
        elif part:
            self.parts.append(part)


def text_of(rng, most=8, bits=BITS):
    """A hostile text."""
    return "".join(rng.choices(bits, k=rng.randrange(1, most)))


def bits_of(tok):
    """Parts of texts, with added tokens of a tokenizer and their halves."""
    normalizer = tok._variants.encoder(None, True).normalizer
    found = [name for tokens in (normalizer.added, normalizer.later) if tokens for name, *_ in tokens.tokens]
    names = [name.decode(errors="replace") for name in found[:: max(1, len(found) // 5)]]
    return [*BITS, *names, *(name[: len(name) // 2] for name in names), *(name[len(name) // 2 :] for name in names)]


def edit_both(growing, twin, rng, bits=BITS):
    """Edit a GrowingText and its twin in the same way; return both, and the first id that may have changed."""
    before = growing.ids.tolist()
    kind = rng.random()
    texts = [i for i, part in enumerate(twin.parts) if isinstance(part, str) and part]
    if kind < 0.45 or not twin.parts:
        text = text_of(rng, bits=bits) or "a"
        twin.append(text)
        return growing, twin, growing.append(text)
    if kind < 0.6:
        size = growing._tok.vocab_size
        ids = [rng.randrange(size) for _ in range(rng.randrange(1, 4))]
        twin.append(ids)
        return growing, twin, growing.append_ids(ids)
    if kind < 0.9 and texts:
        k = rng.choice(texts)
        shown = growing._texts()
        at = sum(map(len, shown[:k]))
        begin = rng.randrange(len(shown[k]) + 1)
        end = min(len(shown[k]), begin + rng.randrange(6))
        text = text_of(rng, 3, bits) if rng.random() < 0.8 else ""
        changed = growing.replace(at + begin, at + end, text)
        place = 0  # the first text that holds the range
        for k, own in enumerate(shown):
            if isinstance(twin.parts[k], str) and place <= at + begin and at + end <= place + len(own):
                break
            place += len(own)
        old = twin.parts[k]
        twin.parts[k] = old[: at + begin - place] + text + old[at + end - place :]
        if not twin.parts[k] and 0 < k < len(twin.parts) - 1:  # the kept ids on both sides are one part now
            twin.parts[k - 1 : k + 2] = [twin.parts[k - 1] + twin.parts[k + 1]]
        after = growing.ids.tolist()
        assert before[: changed.begin] + after[changed.begin : changed.new_end] + before[changed.old_end :] == after
        return growing, twin, changed.begin
    return growing.branch(), Twin(twin.tok, twin.parts), len(before)


def try_edits(tok, n, seed):
    """Make some edits, and compare after each."""
    rng, bits = random.Random(seed), bits_of(tok)
    done = 0
    while done < n:
        growing, twin = tok.growing(), Twin(tok)
        for _ in range(rng.randrange(1, 25)):
            before = growing.ids.tolist()
            old, text = growing, growing.text
            growing, twin, first = edit_both(growing, twin, rng, bits)
            done += 1
            ids = growing.ids.tolist()
            assert ids == twin.ids(), (tok, twin.parts)
            assert ids[:first] == before[:first], (tok, twin.parts)
            assert len(growing.spans) == len(ids)
            if old is not growing:
                assert (old.ids.tolist(), old.text) == (before, text)
