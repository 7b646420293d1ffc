// parlour bot --exec "node exec_bot.js"
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const { moves } = JSON.parse(line);
  console.log(moves[Math.floor(Math.random() * moves.length)]);
});
