"""Figures of one tokenizer and one source of texts, each as a sum, a share or a distribution."""
