"""Very many runs: each judged in a process that may fail (`runner`), on this machine or a cluster, and shown together."""
