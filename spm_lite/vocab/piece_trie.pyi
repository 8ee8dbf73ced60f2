from spm_lite.normalize.protected_strings import ProtectedStrings
from spm_lite.vocab.vocab import Vocab

def protected_strings(vocab: Vocab, with_marks: bool) -> ProtectedStrings: ...
