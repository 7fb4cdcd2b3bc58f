"""The mathematics: arrays in, arrays out. No threads, no files, no Qt.

`multiview` holds the data, `params` and `registry` declare methods, `stages` names the intermediate results,
`methods/` has one file per family, `embedding` puts it together.
"""
