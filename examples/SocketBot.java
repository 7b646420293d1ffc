import java.net.URI;
import java.net.http.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;

/** A bot with nothing but a WebSocket and text. It plays every game: the server tells it the legal moves.
 *  Games to play against the house bot `random` are arguments; without any, it waits for invitations. */
public class SocketBot implements WebSocket.Listener {
    static final Pattern MOVE = Pattern.compile("\\{\"move\":\"([^\"]*)\"");
    final StringBuilder message = new StringBuilder();
    final List<String> sent = new ArrayList<>(); // every command, by its id
    static String[] games;

    void send(WebSocket socket, String command, Object... values) {
        sent.add("{\"id\":" + sent.size() + "," + command.replace('\'', '"').formatted(values) + "}");
        socket.sendText(sent.get(sent.size() - 1), true).join();
    }
    static String find(String message, String key) { // the value after a key
        Matcher found = Pattern.compile("\"" + key + "\":\"?([^\",}]*)").matcher(message);
        return found.find() ? found.group(1) : "0";
    }
    public void onOpen(WebSocket socket) {
        send(socket, "'type':'hello','name':'socket-bot','wants':['legal'],"
            + "'plays':['conga','mancala','maxconnect4','cohcoh']");
        for (String game : games) send(socket, "'type':'create','game':'%s','invite':'random'", game);
        socket.request(1);
    }
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
        message.append(text);
        if (last) { answer(socket, message.toString()); message.setLength(0); }
        socket.request(1); // the next message
        return null;
    }
    void answer(WebSocket socket, String text) {
        String type = find(text, "type"), room = text.replaceFirst("(?s).*?\"room\":\"([^\"]*)\".*", "$1");
        if (type.equals("invited")) send(socket, "'type':'join','room':'%s'", room);
        if (type.equals("error") && find(text, "code").equals("rate_limited")) { // it had no effect: send it again
            long wait = (long) (1e6 * Double.parseDouble(find(text, "retry_after")));
            String command = sent.get(Integer.parseInt(find(text, "id")));
            Executor later = CompletableFuture.delayedExecutor(wait, TimeUnit.MICROSECONDS);
            CompletableFuture.runAsync(() -> socket.sendText(command, true), later).join();
        } else if (type.equals("error")) exit(find(text, "text"), 1);
        if (type.equals("ended") && games.length > 0) exit(find(text, "result") + " " + find(text, "reason"), 0);
        int legal = text.indexOf("\"legal\":[{");
        if (legal < 0) return; // it is not our turn
        Matcher found = MOVE.matcher(text.substring(legal, text.indexOf("]}]", legal)));
        List<String> moves = found.results().map(match -> match.group(1)).toList();
        String move = moves.get(new Random().nextInt(moves.size()));
        send(socket, "'type':'move','room':'%s','ply':%s,'move':'%s'", room, find(text, "ply"), move);
    }
    static void exit(String text, int status) { System.out.println(text); System.exit(status); }
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) { exit(reason, 1); return null; }
    public void onError(WebSocket socket, Throwable error) { exit("connection lost: " + error, 1); }

    public static void main(String[] arguments) throws InterruptedException {
        games = arguments;
        String url = System.getenv().getOrDefault("PARLOUR_URL", "ws://127.0.0.1:8765/ws");
        HttpClient.newHttpClient().newWebSocketBuilder().subprotocols("parlour.v1.json")
            .buildAsync(URI.create(url), new SocketBot()).join();
        Thread.currentThread().join();
    }
}
