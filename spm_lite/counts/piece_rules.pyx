cdef PieceRules rules_from_spec(object spec, bint reference_rules):
    """Return the piece rules of a TrainerSpec."""
    cdef PieceRules rules
    rules.max_length = spec.max_sentencepiece_length
    rules.by_script = spec.split_by_unicode_script
    rules.by_whitespace = spec.split_by_whitespace
    rules.by_number = spec.split_by_number
    rules.lone_digits = spec.split_digits
    rules.suffix = spec.treat_whitespace_as_suffix
    rules.whitespace_only = spec.allow_whitespace_only_pieces
    rules.reference_marks = reference_rules
    return rules


def is_valid_piece(str text, spec, bint reference_rules=False):
    """Whether `text` (U+2581 for a space) may become a piece under the options of `spec`."""
    cdef PieceRules rules = rules_from_spec(spec, reference_rules)
    cdef PieceWalk walk
    start_walk(&walk)
    for character in text:
        if not extend(&rules, &walk, class_of(&rules, ord(character))):
            return False
    return is_piece(&rules, &walk)
