"""``python -m workbench``."""

from workbench.cli import command

if __name__ == "__main__":
    command()
