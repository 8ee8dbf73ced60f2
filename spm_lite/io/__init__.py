"""Files and messages: corpora in, models in and out."""
