// A bot with nothing but a socket and text. It plays every game: the server tells it the legal moves.
// Games to play against the house bot `random` are arguments; without any, it waits for invitations. cc socket_bot.c
#define _GNU_SOURCE
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int server, ids;
static char *sent[100000]; // every command, by its id

static void send_frame(int opcode, const char *data, size_t size) { // a client masks its frames: here with zeros
  unsigned char brief[6] = {0x80 | opcode, 0x80 | size}, head[8] = {0x80 | opcode, 0xFE, size >> 8, size};
  if (write(server, size < 126 ? brief : head, size < 126 ? 6 : 8) < 0 || write(server, data, size) < 0) exit(1);
}
static void send_command(const char *format, const char *one, const char *two, const char *three) {
  char command[1000];
  snprintf(command, sizeof command, format, one, two, three);
  if (asprintf(&sent[ids], "{\"id\":%d,%s}", ids, command) < 0) exit(1);
  send_frame(1, sent[ids], strlen(sent[ids])), ids++;
}
static char *find(const char *message, const char *key) { // the text after a key, up to its end
  const char *found = strstr(message, key);
  return found ? strndup(found + strlen(key), strcspn(found + strlen(key), "\",}")) : "0";
}
int main(int count, char **games) {
  char host[100] = "127.0.0.1", port[10] = "8765", *url = getenv("PARLOUR_URL"), **game = games;
  if (url) sscanf(url, "ws://%99[^:/]:%9[0-9]", host, port);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *to;
  if (getaddrinfo(host, port, &hints, &to) || (server = socket(to->ai_family, SOCK_STREAM, 0)) < 0
      || connect(server, to->ai_addr, to->ai_addrlen)) return fprintf(stderr, "no server at %s:%s\n", host, port), 1;
  dprintf(server, "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Protocol: parlour.v1.json\r\n\r\n", host);
  FILE *from = fdopen(server, "r");
  for (char line[1000]; fgets(line, 1000, from) && strcmp(line, "\r\n");) {} // the answer to the handshake
  send_command("\"type\":\"hello\",\"name\":\"socket-bot\",\"wants\":[\"legal\"],"
    "\"plays\":[\"conga\",\"mancala\",\"maxconnect4\",\"cohcoh\"]", "", "", "");
  while (*++game) send_command("\"type\":\"create\",\"game\":\"%s\",\"invite\":\"random\"", *game, "", "");
  for (int opcode; (opcode = fgetc(from) & 15) == 1 || opcode == 9;) { // text or ping
    size_t size = fgetc(from), bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (bytes) for (size = 0; bytes--;) size = size << 8 | fgetc(from);
    char *message = calloc(size + 1, 1), *legal, *room = (fread(message, 1, size, from), find(message, "\"room\":\""));
    if (opcode == 9) send_frame(10, message, size);
    else if (strstr(message, "\"type\":\"invited\"")) send_command("\"type\":\"join\",\"room\":\"%s\"", room, "", "");
    else if (strstr(message, "\"code\":\"rate_limited\"")) { // the command had no effect: send it again
      char *command = sent[atoi(find(message, "\"id\":"))];
      usleep(1e6 * atof(find(message, "\"retry_after\":")));
      send_frame(1, command, strlen(command));
    } else if (strstr(message, "\"type\":\"error\"")) return fprintf(stderr, "%s\n", find(message, "\"text\":\"")), 1;
    else if (strstr(message, "\"type\":\"ended\"") && count > 1)
      return printf("%s %s\n", find(message, "\"result\":\""), find(message, "\"reason\":\"")), 0;
    if (!(legal = strstr(message, "\"legal\":[{"))) continue; // it is not our turn
    int moves = 0;
    for (char *at = legal, *end = strstr(legal, "]}]"); (at = strstr(at, "{\"move\":")) && at < end; at++) moves++;
    for (int skipped = rand() % moves; skipped--;) legal = strstr(legal + strlen("\"legal\":[{"), "{\"move\":");
    char *ply = find(message, "\"ply\":"), *move = find(legal, "\"move\":\"");
    send_command("\"type\":\"move\",\"room\":\"%s\",\"ply\":%s,\"move\":\"%s\"", room, ply, move);
  }
  return fprintf(stderr, "connection lost\n"), 1;
}
