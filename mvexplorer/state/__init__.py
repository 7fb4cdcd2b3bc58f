"""The document: data set, views, parameters, panels, selection and colouring; changed on one thread only.

`model` is the document's state, frozen; `document` holds it with undo; `commands` are the edits;
`controller` turns the state into requests and keeps their results; `session` and `settings` are files.
"""
