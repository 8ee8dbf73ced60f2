"""What a vocabulary tells by itself, without any text: pieces that never come, twins, junk; and residue of merges."""
