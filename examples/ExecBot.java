// javac ExecBot.java && parlour bot --exec "java ExecBot"
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Random;

public class ExecBot {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Random random = new Random();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String list = line.split("\"moves\":\\[\"")[1].split("\"]")[0];
            String[] moves = list.split("\",\"");
            System.out.println(moves[random.nextInt(moves.length)]);
        }
    }
}
