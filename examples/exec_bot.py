"""A bot for `parlour bot --exec "python3 exec_bot.py"`: play a random legal move."""

import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    print(random.choice(request["moves"]), flush=True)
