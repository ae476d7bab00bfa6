"""One file a format; each renders a `blocks.Document` and computes nothing."""
