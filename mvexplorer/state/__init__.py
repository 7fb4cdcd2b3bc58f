"""The document: data set, views, parameters, panels, selection and colouring; changed on one thread only.

`model` is the document's state, frozen; `document` holds it with undo; `commands` are the edits;
`controller` turns the state into requests (`requests`) and keeps a `panel_result` for each panel, of which `drawing`
makes what is drawn; `session` and `settings` are files.
"""
