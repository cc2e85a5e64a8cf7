"""When Python's garbage collector runs: hardly while programs load, since imports make many objects and leave none."""

import gc

_USUAL = gc.get_threshold()


def postpone() -> None:
    """Collect only after a million new objects."""
    gc.set_threshold(1_000_000)


def resume() -> None:
    """Collect as usual, but not what has been imported: for processes that go on for long."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
    gc.enable()
