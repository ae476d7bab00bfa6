"""One detector a file, named by its code."""
