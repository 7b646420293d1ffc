// A bot with nothing but a socket and text. It plays every game: the server tells it the legal moves.
// Games to play against the house bot `random` are arguments; without any, it waits for invitations.
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::{env, net::TcpStream, process::exit, thread::sleep, time::Duration, time::SystemTime};

struct Bot { server: TcpStream, sent: Vec<String> } // every command, by its id

impl Bot {
    fn send_frame(&mut self, opcode: u8, data: &[u8]) -> Result<()> { // a client masks its frames: here with zeros
        let size = (data.len() as u16).to_be_bytes();
        let head: &[u8] = if data.len() < 126 { &[0x80 | size[1]] } else { &[0xFE, size[0], size[1]] };
        self.server.write_all(&[&[0x80 | opcode], head, &[0; 4], data].concat())
    }
    fn send(&mut self, command: &str) -> Result<()> {
        self.sent.push(format!("{{'id':{},{}}}", self.sent.len(), command).replace('\'', "\""));
        self.send_frame(1, &self.sent[self.sent.len() - 1].clone().into_bytes())
    }
    fn answer(&mut self, message: &str, challenges: bool) -> Result<()> {
        let (text, number) = (|key| find(message, key, ":\""), |key| find(message, key, ":"));
        match text("type") {
            "invited" => self.send(&format!("'type':'join','room':'{}'", text("room")))?,
            "error" if text("code") == "rate_limited" => { // it had no effect: send it again
                sleep(Duration::from_secs_f64(number("retry_after").parse().unwrap()));
                self.send_frame(1, &self.sent[number("id").parse::<usize>().unwrap()].clone().into_bytes())?
            }
            "error" => { eprintln!("{}", text("text")); exit(1) }
            "ended" if challenges => { println!("{} {}", text("result"), text("reason")); exit(0) }
            _ => {}
        }
        let Some((_, legal)) = message.split_once("\"legal\":[{") else { return Ok(()) }; // it is not our turn
        let moves: Vec<&str> = legal.split("]}]").next().unwrap().split("\"move\":\"").skip(1).collect();
        let micros = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_micros() as usize;
        let (room, ply, chosen) = (text("room"), number("ply"), moves[micros % moves.len()].split('"').next().unwrap());
        self.send(&format!("'type':'move','room':'{room}','ply':{ply},'move':'{chosen}'"))
    }
}
fn find<'a>(message: &'a str, key: &str, start: &str) -> &'a str { // the value of a key
    let found = message.split_once(&format!("\"{key}\"{start}"));
    found.map_or("0", |(_, rest)| rest.split(['"', ',', '}']).next().unwrap())
}
fn main() -> Result<()> {
    let (games, url): (Vec<String>, _) = (env::args().skip(1).collect(), env::var("PARLOUR_URL"));
    let host = url.as_deref().unwrap_or("ws://127.0.0.1:8765/ws").split('/').nth(2).unwrap();
    let mut me = Bot { server: TcpStream::connect(host)?, sent: vec![] };
    let mut from = BufReader::new(me.server.try_clone()?);
    write!(me.server, "GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")?;
    write!(me.server, "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")?;
    write!(me.server, "Sec-WebSocket-Protocol: parlour.v1.json\r\n\r\n")?;
    from.by_ref().lines().map_while(Result::ok).find(|line| line.is_empty()); // the end of the handshake
    me.send("'type':'hello','name':'socket-bot','plays':['conga','mancala','maxconnect4','cohcoh'],'wants':['legal']")?;
    for game in &games { me.send(&format!("'type':'create','game':'{game}','invite':'random'"))? }
    loop {
        let (mut head, mut size) = ([0; 2], [0; 8]);
        from.read_exact(&mut head)?;
        let bytes = match head[1] { 126 => 2, 127 => 8, short => { size[7] = short; 0 } };
        from.read_exact(&mut size[8 - bytes..])?;
        let mut data = vec![0; u64::from_be_bytes(size) as usize];
        from.read_exact(&mut data)?;
        if head[0] == 0x81 { me.answer(&String::from_utf8_lossy(&data), !games.is_empty())? }
        if head[0] == 0x89 { me.send_frame(10, &data)? } // the answer to a ping
    }
}
