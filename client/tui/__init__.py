"""The terminal client: play and watch. The only place that knows Textual.

Without a terminal:   picking.py cursor.py browser.py play.py picture.py values.py words.py offers.py rooms.py
                      keys.py appearance.py plan.py
What it appearance like:   palette.py styles.tcss ascii_only.py dressed.py
One widget a file:    board_view.py seat_line.py move_list.py note_view.py value_graph.py chat.py tile.py
                      foot.py
Screens:              table_screen.py (a table_manners.py, a table_view.py) lobby_screen.py wall_screen.py, each a
                      parlour_screen.py; dialogs: new_game.py confirm.py choice.py help.py
first_game.py and unfinished.py greet whoever comes for the first time, or comes back.
app.py puts them together, server.py finds or starts a server, run.py is for the command.
"""
