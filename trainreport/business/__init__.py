"""From physics to money: what a run took, in hours, energy and amounts, each with its basis."""
