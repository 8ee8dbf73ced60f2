"""Rules (source -> replacement): the named sets, the compiler, and the reader of compiled rules."""
