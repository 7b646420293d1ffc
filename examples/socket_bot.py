"""A bot with nothing but a WebSocket and JSON: it challenges the house bot `random` to a game of Max-Connect4."""

import json
import os
import random
import time

from websockets.sync.client import connect

URL = os.environ.get("PARLOUR_URL", "ws://127.0.0.1:8765/ws")
COLUMNS = "1234567"

with connect(URL, subprotocols=["parlour.v1.json"]) as socket:
    sent = []

    def say(**command):
        sent.append(command)
        socket.send(json.dumps({"id": len(sent), **command}))

    say(type="hello", name="socket-bot")
    say(type="create", game="maxconnect4", invite="random")
    seat = room = None
    for text in socket:
        said = json.loads(text)
        if said["type"] == "snapshot":  # the whole room, with our seat
            room, seat = said["room"], said["your_seat"]
        if said["type"] in ("started", "moved") and said.get("turn", 0) == seat:
            free = [column for column, top in zip(COLUMNS, said["position"], strict=False) if top == "0"]
            if free:
                say(type="move", room=room, ply=said.get("ply", 0), move=random.choice(free))
        if said["type"] == "error" and said["code"] == "rate_limited":  # the command had no effect: send it again
            time.sleep(said["retry_after"])
            say(**sent[said["id"] - 1])
        elif said["type"] == "error":
            raise SystemExit(said["text"])
        if said["type"] == "ended":
            print(said["result"], said["reason"])
            break
