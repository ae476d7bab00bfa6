"""The data that everything else passes on: no reading, no judging, no drawing."""
