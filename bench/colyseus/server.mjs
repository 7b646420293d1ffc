// A Colyseus server with rooms of one small game, kept in memory, as fast as its documentation allows.
//
//     node server.mjs MATCHES WATCHERS patch|broadcast
//
// patch: every move changes the state and is sent as a patch at once. broadcast: every move is sent as a message.
// Prints "MATCH ROLE PATH" for each seat, then "listening on URL".
import http from "node:http";
import { matchMaker, Room, Server } from "@colyseus/core";
import { ArraySchema, defineTypes, Schema } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";

const [matches, watchers] = process.argv.slice(2, 4).map(Number);
const sendsPatches = process.argv[4] === "patch";
const COLUMNS = 7;
const ROWS = 6;

class Board extends Schema {
  constructor() {
    super();
    this.cells = new ArraySchema(...Array(COLUMNS * ROWS).fill(0));
    this.turn = 0;
    this.ply = 0;
  }
}
defineTypes(Board, { cells: ["int8"], turn: "int8", ply: "uint32" });

class Game extends Room {
  maxClients = 2 + watchers;
  patchRate = null; // no timer: each move sends its patch
  autoDispose = false;

  onCreate() {
    this.setState(new Board());
    this.board = sendsPatches ? this.state : { cells: Array(COLUMNS * ROWS).fill(0), turn: 0, ply: 0 };
    this.onMessage("move", (_client, message) => this.move(message.col));
  }

  move(column) {
    const board = this.board;
    board.cells[(Math.floor(board.ply / COLUMNS) % ROWS) * COLUMNS + column] = board.turn + 1;
    board.turn = 1 - board.turn;
    board.ply += 1;
    if (sendsPatches) this.broadcastPatch();
    else this.broadcast("moved", { ply: board.ply, col: column, turn: board.turn });
  }
}

const sockets = http.createServer();
const server = new Server({ transport: new WebSocketTransport({ server: sockets, pingInterval: 0 }), greet: false });
server.define("game", Game);
await server.listen(0, "127.0.0.1");
for (let match = 0; match < matches; match += 1) {
  const room = await matchMaker.createRoom("game", {});
  for (let seat = 0; seat < 2 + watchers; seat += 1) {
    const { sessionId } = await matchMaker.reserveSeatFor(room, {});
    console.log(`${match} ${Math.min(seat, 2)} /${room.processId}/${room.roomId}?sessionId=${sessionId}`);
  }
}
console.log(`listening on ws://127.0.0.1:${sockets.address().port}/`);
