"""TensorBoard event files: framing, checksums, messages, and columns of numbers."""
