"""What the table [basis] of an input asks for: its keys, grid, problem, accuracy and series of settings."""
