"""`python -m tutorial_lib.recipes NAME` runs a recipe; without a name it lists them."""

import argparse

from tutorial_lib.recipes import RECIPES, run


def main(arguments=None):
    """Run what the command line asks for."""
    listing = "\n".join(f"  {recipe.name:28}{recipe.about}" for recipe in RECIPES.values())
    parser = argparse.ArgumentParser(
        prog="python -m tutorial_lib.recipes",
        description="Train what the notebooks load.",
        epilog=f"recipes:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", choices=list(RECIPES), metavar="NAME")
    parser.add_argument("--folder", help="write here instead of into the package")
    parser.add_argument("--smoke", action="store_true", help="a tiny run, to see that it works")
    chosen = parser.parse_args(arguments)
    if chosen.name is None:
        parser.print_help()
    elif chosen.smoke and chosen.folder is None:
        parser.error("--smoke needs --folder, so that it cannot replace the real result")
    else:
        print(run(chosen.name, smoke=chosen.smoke, folder=chosen.folder))


if __name__ == "__main__":
    main()
