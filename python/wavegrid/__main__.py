"""`python -m wavegrid` is the same program as `wavegrid`."""

from wavegrid.cli.main import app

if __name__ == "__main__":
    app()
