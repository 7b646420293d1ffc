"""A bot with nothing but a WebSocket and JSON. It plays every game: the server tells it the legal moves."""

import json
import os
import random
import sys
import time

from websockets.sync.client import connect

challenges = sys.argv[1:]  # games to play against the house bot `random`; without any, wait for invitations
with connect(os.environ.get("PARLOUR_URL", "ws://127.0.0.1:8765/ws"), subprotocols=["parlour.v1.json"]) as socket:
    sent = []

    def send(**command):
        sent.append(command)
        socket.send(json.dumps({"id": len(sent), **command}))

    send(type="hello", name="socket-bot", plays=["conga", "mancala", "maxconnect4", "cohcoh"], wants=["legal"])
    for game in challenges:
        send(type="create", game=game, invite="random")
    for message in map(json.loads, socket):
        if message["type"] == "invited":
            send(type="join", room=message["room"]["room"])
        if message.get("legal"):  # it is our turn
            chosen = random.choice(message["legal"])
            send(type="move", room=message["room"], ply=message.get("ply", 0), move=chosen["move"])
        if message["type"] == "error" and message["code"] == "rate_limited":  # the command had no effect: send it again
            time.sleep(message["retry_after"])
            send(**sent[message["id"] - 1])
        elif message["type"] == "error":
            raise SystemExit(message["text"])
        if message["type"] == "ended" and challenges:
            print(message["result"], message["reason"])
            break
