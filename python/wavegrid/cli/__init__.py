"""The command `wavegrid`: one module per subcommand, named after it.

`main` puts them together, `options` holds what they share, `guard` and `usage` turn errors into messages and exit
codes.
The rest of the package is imported inside the commands, so that `wavegrid --help` is fast.
"""
