// Types of the protocol and of the modules, for `tsc --checkJs`. Not served.

export type Cell = [owner: number | null, count: number];
export type Board = Cell[];

export interface Layout {
  kind: string;
  rows: (string | null)[][];
  files: string[];
  ranks: string[];
  marks: string[];
  colours: string[];
  counted?: boolean;
  near?: number | null;
}

export interface Legal { move: string; path: string[]; board?: Board }
export interface Last { from?: string[]; cells?: string[] }

export interface Control { kind?: string; base?: number; increment?: number; per_move?: number; bank?: number }
export type Options = Record<string, number | string>;

export interface Seat {
  player: string;
  name: string;
  account?: boolean;
  online?: boolean;
  rating?: number | null;
  provisional?: boolean;
  bot?: boolean;
  engine?: string;
  version?: string;
}
export type Seats = [Seat | null, Seat | null];

export interface RoomInfo {
  room: string;
  game: string;
  options: Options;
  clock: Control;
  status: "waiting" | "running" | "ended";
  seats: Seats;
  created_at: number;
  ply?: number;
  private?: boolean;
  invite?: string;
  rated?: boolean;
  players?: [string, string] | null;
  arbiter?: string;
  result?: string;
  reason?: string | null;
  winner?: number | null;
  scores?: [number, number] | null;
  ended_at?: number | null;
  watchers?: number;
}

export interface PlayedMove {
  ply: number;
  side: number;
  move: string;
  took: number;
  charged: number;
  left?: [number, number] | null;
  note?: string;
}

export interface RatingChange { before: number; after: number; deviation: number; provisional?: boolean }
export interface Offers { draw?: number | null; takeback?: number | null; rematch?: number | null }
export interface Said { name: string; text: string; seat?: number | null; seq?: number }

export interface Snapshot {
  type: "snapshot";
  room: string;
  seq: number;
  at: number;
  game: string;
  options: Options;
  sides: [string, string];
  clock: Control;
  status: "waiting" | "running" | "ended";
  seats: Seats;
  position: string;
  ply: number;
  turn: number;
  moves: PlayedMove[];
  left: [number, number] | null;
  running: number | null;
  elapsed?: number;
  your_seat: number | null;
  your_move: boolean;
  offers: Offers;
  private?: boolean;
  code?: string;
  invite?: string;
  rated?: boolean;
  illegal?: number;
  players?: [string, string] | null;
  arbiter?: string;
  claim_at?: [number | null, number | null];
  chat?: Said[];
  result?: string;
  reason?: string | null;
  winner?: number | null;
  scores?: [number, number] | null;
  ratings?: [RatingChange, RatingChange] | null;
  next?: string;
  previous?: string;
  layout?: Layout | null;
  board?: Board | null;
  legal?: Legal[] | null;
  last?: string[] | null;
  decisive?: string[] | null;
}

export interface OptionInfo {
  name: string;
  default: number | string;
  help: string;
  low?: number | null;
  high?: number | null;
  choices?: string[];
}

export interface GameInfo {
  name: string;
  title: string;
  sides: [string, string];
  options: OptionInfo[];
  move_form: string;
  position_form: string;
}

export interface BotInfo {
  name: string;
  plays: string[];
  account?: boolean;
  house?: boolean;
  engine?: string;
  version?: string;
}

export interface Welcome {
  type: "welcome";
  you: { id: string; name: string; account?: boolean };
  session: string;
  server: string;
  limits: { name_length: number; text_length: number };
  games: GameInfo[];
  rooms?: string[];
}

export interface Leader { name: string; rating: number; deviation: number; games: number; at: number; provisional?: boolean }
export interface RatedGame { room: string; rating: number; deviation: number; games: number; at: number }

export interface TournamentRow {
  name: string;
  points: number;
  games?: number;
  wins?: number;
  draws?: number;
  losses?: number;
  elo?: number | null;
  error?: number;
  seconds?: number;
  forfeits?: number;
  state?: "" | "anchor" | "away" | "retired";
}
export interface TournamentGame {
  number: number;
  first: string;
  second: string;
  round?: number;
  room?: string;
  result?: string;
  why?: string;
  forfeit?: boolean;
  moves?: number;
}
export interface TournamentTest {
  player: string;
  against: string;
  llr: number;
  lower: number;
  upper: number;
  elo0: number;
  elo1: number;
  pairs: number;
  verdict?: "yes" | "no" | "";
  model?: "logistic" | "normalized";
}
export interface TournamentGoal { student: string; goal: string; verdict: "pass" | "fail" | "open"; evidence?: string }
export interface TournamentReport {
  title: string;
  game: string;
  format: string;
  players: number;
  options?: Options;
  clock?: Control;
  done?: number;
  total?: number;
  open_ended?: boolean;
  finished?: boolean;
  left?: number | null;
  rows?: TournamentRow[];
  crosstable?: string[][];
  bracket?: TournamentTie[];
  running?: TournamentGame[];
  latest?: TournamentGame[];
  next?: TournamentGame[];
  sprt?: TournamentTest | null;
  goals?: TournamentGoal[];
  goals_met?: number;
  goals_total?: number;
}
export interface TournamentTie {
  round: number;
  first?: string;
  second?: string;
  first_points?: number;
  second_points?: number;
  left?: number;
  winner?: string;
  bye?: boolean;
}
export interface TournamentUpdate { type: "tournament_update"; name: string; by: string; age: number; report: TournamentReport }
export interface TournamentInfo {
  name: string;
  by: string;
  title: string;
  game: string;
  format: string;
  players: number;
  done: number;
  total: number;
  open_ended: boolean;
  finished: boolean;
  age: number;
}

export interface ReviewedMove {
  ply: number;
  side: number;
  move: string;
  best: string;
  line: string[];
  value: number;
  value_proved: boolean;
  played: number;
  played_proved: boolean;
  loss: number;
  chance: number;
  judgement: string;
  depth?: number | null;
  words?: string;
  path?: string[];
  also?: string[];
}
export interface ReviewUpdate {
  type: "review_update";
  room: string;
  state: "queued" | "running" | "done" | "failed";
  ahead?: number;
  done?: number;
  total?: number;
  why?: string;
  summary?: { accuracy: [number | null, number | null]; turning_points?: number[] } | null;
  moves?: ReviewedMove[];
}
export interface Puzzle {
  number: number;
  options: Options;
  sides: [string, string];
  turn: number;
  level: number;
  task: string;
  solution: string;
  layout: Layout;
  board: Board;
  legal: Legal[];
}

export interface Reply {
  type: "ok";
  id: number;
  room?: string;
  seat?: number | null;
  code?: string;
  rooms?: RoomInfo[];
  leaders?: Leader[];
  ratings?: RatedGame[];
  before?: number | null;
  text?: string;
  boards?: Board[];
  lasts?: string[][];
  tournaments?: TournamentInfo[];
  legal?: Legal[];
  puzzle?: Puzzle;
  levels?: number[];
}

export interface LobbyUpdate { type: "lobby"; rooms: RoomInfo[]; full?: boolean; bots?: BotInfo[] | null; plies?: Record<string, number> }

// Any message; the modules read the fields that its type has.
export type Message = { type: string; room?: string } & Record<string, any>;

export interface Page {
  /** Release what the page holds. */
  close?(): void;
}
