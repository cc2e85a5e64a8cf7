"""What plane waves and a mesh make of the table [basis] of an input."""
