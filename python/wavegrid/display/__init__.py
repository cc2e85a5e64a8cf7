"""What a run shows on a terminal or in a log: the header, the steps, how much is left."""
