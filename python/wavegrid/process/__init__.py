"""The process of the program: its modules, standard streams, garbage collector, machine, and the compiled core."""
