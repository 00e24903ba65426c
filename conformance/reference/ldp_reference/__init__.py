"""A second implementation of the formats of ldp, to be read beside the manual (doc/formats.md, doc/draws.md)."""
