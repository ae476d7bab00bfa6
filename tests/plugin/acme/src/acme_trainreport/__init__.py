"""An outside package for trainreport: what works, and what is at fault in every way."""
