"""One file a part of the report; each turns a `View` into a `blocks.Part`."""
