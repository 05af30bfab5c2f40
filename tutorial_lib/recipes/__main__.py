"""`python -m tutorial_lib.recipes NAME` runs a recipe; without a name it lists them."""

import argparse
import sys

from tutorial_lib.recipes import RECIPES, run


def main(arguments=None):
    """Run what the command line asks for and return the exit status."""
    listing = "\n".join(f"  {recipe.name:28}{recipe.about}" for recipe in RECIPES.values())
    parser = argparse.ArgumentParser(
        prog="python -m tutorial_lib.recipes",
        description="Train what the notebooks load.",
        epilog=f"recipes:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", choices=list(RECIPES), metavar="NAME")
    parser.add_argument("--folder", help="write here instead of into your own data folder")
    parser.add_argument(
        "--publish", action="store_true", help="write into the package, for its maintainers"
    )
    parser.add_argument("--smoke", action="store_true", help="a tiny run, to see that it works")
    chosen = parser.parse_args(arguments)
    if chosen.name is None:
        parser.print_help()
        return 0
    if chosen.smoke and chosen.folder is None:
        parser.error("--smoke needs --folder, so that it cannot replace the real result")
    if chosen.publish and chosen.folder is not None:
        parser.error("--publish writes into the package, it goes without --folder")
    where = {"smoke": chosen.smoke, "folder": chosen.folder, "publish": chosen.publish}
    try:
        print(run(chosen.name, **where))
    except KeyboardInterrupt:
        print(f"{chosen.name} was interrupted: nothing was written", file=sys.stderr)
        return 130  # as shells say of a program that Ctrl-C has ended
    return 0


if __name__ == "__main__":
    sys.exit(main())
