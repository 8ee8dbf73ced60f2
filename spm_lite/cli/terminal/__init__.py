"""What people see: the streams, notes, tables, and the names of the commands."""
