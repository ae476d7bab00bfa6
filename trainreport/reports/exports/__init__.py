"""Machine-readable outputs, made from the assessment alone."""
