"""The terminal client. The only package that uses Textual.

app      the application: connects to a server, holds the session, opens screens
screens  the lobby, the table of one game, the TV of several games
dialogs  prompts and forms in front of a screen
widgets  the parts of screens
models   state without a screen: the picked squares, the ply shown, the rows of the lobby
render   boards as text, colours, ASCII

A package imports only those below it. Screens and dialogs use the application through `models.client.Client`.
"""
