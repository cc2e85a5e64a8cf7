"""`python -m wavegrid` is the same program as `wavegrid`; the launcher starts the ranks this way."""

from wavegrid.cli.main import app

if __name__ == "__main__":
    app()
