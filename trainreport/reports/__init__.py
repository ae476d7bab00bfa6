"""From an assessment to a document, from a document to HTML and PDF.

First everything is computed and worded (`document.build`), then drawn (`figures.draw`), then rendered
(`formats`). A format computes nothing, so that a new one is a template and a page of code.
"""
