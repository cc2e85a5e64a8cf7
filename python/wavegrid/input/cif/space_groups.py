"""Space groups by name: which settings a Hermann-Mauguin symbol, a Hall symbol or a number may mean."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import ModuleType

import numpy as np

_SAME_METRIC = 2e-3  # of an element, relative to the lengths of its two vectors
_SAME_TRANSLATION = 5e-3  # 0.333 is a third

# The symbols of groups with a glide plane e before 1992, in the order of their settings. International Tables for
# Crystallography A (2002), table 4.3.2.1; 10.1107/97809553602060000507.
_WITHOUT_E = {
    39: "Abm2 Bma2 B2cm C2mb Cm2a Ac2m",
    41: "Aba2 Bba2 B2cb C2cb Cc2a Ac2a",
    64: "Cmca Ccmb Abma Acam Bbcm Bmab",
    67: "Cmma Cmmb Abmm Acmm Bmcm Bmam",
    68: "Ccca Ccca Cccb Cccb Abaa Abaa Acaa Acaa Bbcb Bbcb Bbab Bbab",
}
_ORIGIN = re.compile(r"\s*\(?\s*origin\s*(?:choice)?\s*([12])\s*\)?\s*$", re.IGNORECASE)
_LAST = {
    "h": "h",
    "r": "r",
    "s": "1",
    "z": "2",
    "o1": "1",
    "o2": "2",
}  # a choice without a colon, as databases write it


@dataclass(frozen=True, eq=False)
class Operations:
    """Symmetry operations x -> W x + w on fractional coordinates."""

    rotations: np.ndarray  # W (n, 3, 3), integers
    translations: np.ndarray  # w (n, 3)

    def __len__(self) -> int:
        return len(self.rotations)

    @cached_property
    def _by_rotation(self) -> dict[bytes, np.ndarray]:
        """The translations of each W."""
        found: dict[bytes, list[np.ndarray]] = {}
        for rotation, translation in zip(self.rotations, self.translations, strict=True):
            found.setdefault(rotation.tobytes(), []).append(translation)
        return {key: np.array(value) for key, value in found.items()}

    def missing(self, rotations: np.ndarray, translations: np.ndarray) -> int | None:
        """Return the first of other operations that is not one of these, up to lattice translations; None for none."""
        groups: dict[bytes, list[int]] = {}
        for index, rotation in enumerate(rotations):
            groups.setdefault(rotation.tobytes(), []).append(index)
        lacking = []
        for key, group in groups.items():
            if key not in self._by_rotation:
                lacking.append(group[0])
                continue
            apart = translations[group][:, None] - self._by_rotation[key]
            found = np.abs(apart - np.round(apart)).max(axis=2).min(axis=1) < _SAME_TRANSLATION
            lacking += [index for index, there in zip(group, found, strict=True) if not there]
        return min(lacking, default=None)

    def equal(self, other: "Operations") -> bool:
        """Return whether both are the same, in any order."""
        return len(self) == len(other) and other.missing(self.rotations, self.translations) is None

    def missing_product(self) -> tuple[int, int] | None:
        """Return two operations whose product is not one of these; None for a group."""
        for first in range(len(self)):
            rotations = self.rotations[first] @ self.rotations
            translations = self.translations @ self.rotations[first].T + self.translations[first]
            if (second := self.missing(rotations, translations)) is not None:
                return first, second
        return None

    def distorting(self, cell: np.ndarray) -> int | None:
        """Return the first operation that does not keep the lengths and angles of a cell; None where all do."""
        metric = cell @ cell.T
        lengths = np.sqrt(np.diag(metric))
        images = np.einsum("nki,kl,nlj->nij", self.rotations, metric, self.rotations)
        apart = np.abs(images - metric) / np.outer(lengths, lengths)
        wrong = np.flatnonzero(apart.max(axis=(1, 2)) > _SAME_METRIC)
        return int(wrong[0]) if len(wrong) else None


@dataclass(frozen=True)
class Setting:
    """A space group with a choice of axes and origin."""

    index: int  # of the core's table
    number: int
    symbol: str  # of this setting
    full: str
    hall: str
    choice: str

    @cached_property
    def hall_key(self) -> str:
        """The Hall symbol as it is compared."""
        return _hall_key(self.hall)

    def operations(self, core: ModuleType) -> Operations:
        """Return all operations, those of a centred cell's translations included."""
        return _operations(core, self.index)

    def described(self) -> str:
        """Return `F d -3 m, choice 2 (Hall symbol -F 4vw 2vw 3)`."""
        choice = f", choice {self.choice}" if self.choice else ""
        return f"{self.symbol.replace('_', '')}{choice} (Hall symbol {self.hall})"


@lru_cache(maxsize=1)
def settings(core: ModuleType) -> tuple[Setting, ...]:
    """Return all 530 settings, the standard one of each group first."""
    return tuple(Setting(index, *entry) for index, entry in enumerate(core.space_group_settings()))


@lru_cache(maxsize=20)
def _operations(core: ModuleType, index: int) -> Operations:
    rotations, translations = zip(*core.setting_operations(index), strict=True)
    return Operations(np.array(rotations, dtype=int), np.array(translations, dtype=float))


def by_symbol(core: ModuleType, text: str) -> list[Setting]:
    """Return the settings that a Hermann-Mauguin symbol may mean: short or full, with spaces or without.

    "P 21/n", "P121/n1", "R -3 m:H", "F d -3 m :2", "F d 3 m Z", "P 2(1)/c" and the symbols before 1992 ("Cmca").
    """
    symbol, choice = _with_choice(text)
    found = _by_key(core).get(_key(symbol), [])
    return [setting for setting in found if setting.choice.casefold().startswith(choice)]


def by_hall(core: ModuleType, text: str) -> list[Setting]:
    """Return the setting of a Hall symbol, in a list, which is empty for other symbols."""
    return [setting for setting in settings(core) if setting.hall_key == _hall_key(text)]


def by_number(core: ModuleType, number: int) -> list[Setting]:
    """Return all settings of a group."""
    return [setting for setting in settings(core) if setting.number == number]


def _with_choice(text: str) -> tuple[str, str]:
    """Return a symbol and its choice of axes or origin, which may be empty."""
    if ":" in text:
        symbol, _, choice = text.partition(":")
        return symbol, choice.strip().casefold()
    if match := _ORIGIN.search(text):
        return text[: match.start()], match[1]
    words = text.split()
    last = words[-1].casefold() if len(words) > 1 else ""
    if last in _LAST and not (last in "hr" and not words[0].casefold().startswith("r")):
        return " ".join(words[:-1]), _LAST[last]
    return text, ""


def _key(symbol: str) -> str:
    """Return a symbol without what may be written in several ways: spaces, lowered digits, case."""
    return re.sub(r"</?sub>|[\s_()]", "", symbol.casefold())


def _hall_key(symbol: str) -> str:
    return " ".join(symbol.casefold().replace("_", " ").replace("=", '"').split())


@lru_cache(maxsize=1)
def _by_key(core: ModuleType) -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = {}
    place: dict[int, int] = {}  # of a setting in its group
    for setting in settings(core):
        at = place[setting.number] = place.get(setting.number, -1) + 1
        for key in sorted(_keys(setting, at)):
            found.setdefault(key, []).append(setting)
    return found


def _keys(setting: Setting, at: int) -> set[str]:
    """Return all keys under which a setting is found; `at`: its place in its group."""
    names = {setting.symbol, setting.full}
    if 3 <= setting.number <= 15:  # short: without the axes that have no symmetry
        names.add("".join(part for part in setting.symbol.split() if part != "1"))
    if 47 <= setting.number <= 74:  # short, of the full one: spglib has one of "B b e b" as "B b c b"
        names.add("".join(part.split("/")[-1] for part in setting.full.split()))
    if setting.number in _WITHOUT_E:
        names.add(_WITHOUT_E[setting.number].split()[at])
    if setting.number >= 195:  # cubic: "F m 3 m", "P a 3"
        names |= {name.replace("-3", "3") for name in names}
    return {_key(name) for name in names}
