// A bot with nothing but a WebSocket and JSON. It plays every game: the server tells it the legal moves.
// Games to play against the house bot `random` are arguments; without any, it waits for invitations.
// Before Node 22: node --experimental-websocket socket_bot.js
const socket = new WebSocket(process.env.PARLOUR_URL ?? "ws://127.0.0.1:8765/ws", ["parlour.v1.json"]);
const challenges = process.argv.slice(2), sent = [];

const send = (command) => socket.send(JSON.stringify({ id: sent.push(command), ...command }));

socket.onopen = () => {
  send({ type: "hello", name: "socket-bot", plays: ["conga", "mancala", "maxconnect4", "cohcoh"], wants: ["legal"] });
  for (const game of challenges) send({ type: "create", game, invite: "random" });
};
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "invited") send({ type: "join", room: message.room.room });
  if (message.legal?.length) { // it is our turn
    const { move } = message.legal[Math.floor(Math.random() * message.legal.length)];
    send({ type: "move", room: message.room, ply: message.ply ?? 0, move });
  }
  if (message.type === "error" && message.code === "rate_limited") // the command had no effect: send it again
    setTimeout(() => send(sent[message.id - 1]), 1000 * message.retry_after);
  else if (message.type === "error") process.exit(console.error(message.text) ?? 1);
  if (message.type === "ended" && challenges.length) {
    console.log(message.result, message.reason);
    process.exit(0);
  }
};
socket.onclose = ({ code, reason }) => process.exit(console.error("connection lost:", code, reason) ?? 1);
