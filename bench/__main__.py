"""Run every benchmark of this folder: each module that has a ``main``."""

import importlib
import pkgutil

import bench


def main() -> None:
    for module in sorted(pkgutil.iter_modules(bench.__path__), key=lambda module: module.name):
        if module.name == "__main__":
            continue
        run = getattr(importlib.import_module(f"bench.{module.name}"), "main", None)
        if run is not None:
            print(f"== {module.name}\n")
            run()
            print()


if __name__ == "__main__":
    main()
