"""`wavegrid plan`: how long a calculation would take on more nodes, and how many are worth asking for."""
