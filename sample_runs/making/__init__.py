"""What make_samples.py is made of: data, networks, writers and the simulated GPU log."""
