"""The document: data set, views, parameters, panels, selection and colouring; changed on one thread only.

`document` holds the frozen state, with undo and commands; `pictures` turns it into requests and keeps a result for
each panel; `colourings`, `questions` and `batches` ask for more about these; `session` and `export` are files; `bench`
is what a running program has of all this.
"""
