"""Runs the command line as `python -m edge_clm`."""

from edge_clm.cli import main

if __name__ == "__main__":
    main()
