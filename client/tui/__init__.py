"""The terminal client: play and watch. The only place that knows Textual.

Pure, without a terminal:  picking.py browsing.py picture.py palette.py values.py words.py rooms.py notation of keys.py
One widget a file:         board_view.py seat_line.py move_list.py note_view.py value_graph.py chat.py tile.py
Screens:                   table_screen.py lobby_screen.py wall_screen.py new_game.py confirm.py help.py
app.py puts them together; house_styles.tcss has all styles.
"""
