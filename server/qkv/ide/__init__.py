"""What an editor shows: one file a feature, from a snapshot and a position to plain data. Knows no protocol."""
