"""The drop-in face: the names and the behaviour of the package sentencepiece, over the engine of spm_lite."""
