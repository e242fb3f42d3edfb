"""List what is untranslated; with a language's code, print its catalogue, to be filled in and kept as ``CODE.po``."""

from __future__ import annotations

import sys

from babel.messages.pofile import write_po

from kostra.annotate.languages import SOURCE, extracting, known


def main(arguments: list[str]) -> int:
    """Do what the command line says; 1 if something is untranslated."""
    if arguments:
        write_po(sys.stdout.buffer, extracting.template(arguments[0]), width=110, sort_output=False)
        return 0
    lacking = {code: extracting.untranslated(code) for code in known() if code != SOURCE}
    for code, several in lacking.items():
        print(f"{code}: {len(extracting.messages()) - len(several)} translated, {len(several)} not")
        for said in several:
            print(f"  {said.where}: {said.text}")
    return int(any(lacking.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
