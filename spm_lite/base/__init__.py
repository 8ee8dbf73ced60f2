"""Code without pieces, vocabularies or ids, for use in every other room: system, structures, unicode."""
