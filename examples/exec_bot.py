"""parlour bot --exec "python3 exec_bot.py" """

import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    print(random.choice(request["moves"]), flush=True)
