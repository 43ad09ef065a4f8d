"""The grammar of bash: text to tree. Entry point: :func:`checkrail.readers.shell.grammar.parser.parse`."""
