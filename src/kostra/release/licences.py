"""Licences: from the recipe's SPDX identifier to the one that Hugging Face reads."""

from __future__ import annotations

import re
from dataclasses import dataclass

TO_BE_CHOSEN = "to be chosen"

# https://huggingface.co/docs/hub/repositories-licenses, as far as the names are SPDX identifiers in lower case.
_SAME_NAME = frozenset({
    "afl-3.0", "apache-2.0", "artistic-2.0", "bsd-2-clause", "bsd-3-clause", "bsd-3-clause-clear", "bsl-1.0",
    "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0",
    "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0",
    "cc-by-sa-3.0", "cc-by-sa-4.0", "cc0-1.0", "cdla-permissive-1.0", "cdla-permissive-2.0", "cdla-sharing-1.0",
    "ecl-2.0", "epl-1.0", "epl-2.0", "etalab-2.0", "eupl-1.1", "isc", "lppl-1.3c", "mit", "mpl-2.0", "ms-pl", "ncsa",
    "ofl-1.1", "osl-3.0", "postgresql", "unlicense", "wtfpl", "zlib",
})  # fmt: skip
# Where Hugging Face names a family, or leaves out "only" and "or later".
_OTHER_NAME = {
    "c-uda-1.0": "c-uda",
    "lgpllr": "lgpl-lr",
    "odbl-1.0": "odbl",
    "odc-by-1.0": "odc-by",
    "pddl-1.0": "pddl",
}
_GNU = re.compile(r"((?:agpl|gpl|lgpl)-\d\.\d)(?:-only|-or-later|\+)?")
_GNU_KNOWN = frozenset({"agpl-3.0", "gpl-2.0", "gpl-3.0", "lgpl-2.1", "lgpl-3.0"})


@dataclass(frozen=True)
class Licence:
    """What a recipe says of its licence, and what Hugging Face may be told."""

    name: str
    hub: str
    """The identifier on Hugging Face, or ``other``."""

    @property
    def chosen(self) -> bool:
        """Whether there is a licence at all."""
        return self.name.strip().casefold() not in ("", TO_BE_CHOSEN)

    @property
    def slug(self) -> str:
        """A short lower-case name, for a licence that Hugging Face does not know."""
        return re.sub(r"[^a-z0-9.]+", "-", self.name.casefold()).strip("-.") or "unnamed"

    def text(self) -> str:
        """What stands in the dataset's LICENSE.txt."""
        if not self.chosen:
            return (
                "No licence has been chosen yet. Until the makers choose one, nobody else may copy,\n"
                "change or share this dataset. (Set `licence` in recipe.toml and build again.)\n"
            )
        said = f"This dataset is released under the licence\n\n    {' '.join(self.name.split())}\n"
        if self.hub == "other":
            return said
        return f"{said}\nFull text: https://spdx.org/licenses/{self.name.strip()}.html\n"


def licence_named(name: str) -> Licence:
    """Find a licence by its SPDX identifier, in any case.

    Examples
    --------
    >>> [licence_named(name).hub for name in ("CC0-1.0", "ODbL-1.0", "GPL-3.0-or-later", "ask us", "to be chosen")]
    ['cc0-1.0', 'odbl', 'gpl-3.0', 'other', 'other']
    """
    key = name.strip().casefold()
    gnu = _GNU.fullmatch(key)
    if gnu and gnu[1] in _GNU_KNOWN:
        return Licence(name, gnu[1])
    return Licence(name, _OTHER_NAME.get(key, key if key in _SAME_NAME else "other"))
