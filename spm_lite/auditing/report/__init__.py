"""What an audit says: faults in words, rows, tables, and the report for terminals."""
