"""The programs of sentencepiece, flag for flag: spm_train, _encode, _decode, _normalize and _export_vocab."""
