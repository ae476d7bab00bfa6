"""Tables of numbers, whatever file they come from: read into columns, columns understood, made into a recording."""
