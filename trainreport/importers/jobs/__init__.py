"""Jobs of schedulers: what was asked for, what was given, how it ended, and which run it is of."""
