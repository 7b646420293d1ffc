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

    def send(**command):
        sent.append(command)
        socket.send(json.dumps({"id": len(sent), **command}))

    send(type="hello", name="socket-bot")
    send(type="create", game="maxconnect4", invite="random")
    seat = room = None
    for text in socket:
        message = json.loads(text)
        if message["type"] == "snapshot":  # the whole room, with our seat
            room, seat = message["room"], message["your_seat"]
        if message["type"] in ("started", "moved") and message.get("turn", 0) == seat:
            free = [column for column, top in zip(COLUMNS, message["position"], strict=False) if top == "0"]
            if free:
                send(type="move", room=room, ply=message.get("ply", 0), move=random.choice(free))
        if message["type"] == "error" and message["code"] == "rate_limited":  # the command had no effect: send it again
            time.sleep(message["retry_after"])
            send(**sent[message["id"] - 1])
        elif message["type"] == "error":
            raise SystemExit(message["text"])
        if message["type"] == "ended":
            print(message["result"], message["reason"])
            break
