import { ByteMemo } from '../../lib/json/byte-memo.ts';
import { CLOSED, JsonWalk, type MemberNames, indexNames } from '../../lib/json/walk.ts';
import { contentEnd } from './content.ts';
import type { TermsTuple } from './facts.ts';
import { asTime } from './fields.ts';
import { NO_MODEL, UNKNOWN_MODEL, type UsageRow } from './rows.ts';
import { COUNT_MAX, toPass, sumPass } from './usage.ts';

const OPEN_LIST = 0x5b;
const QUOTE = 0x22;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

const [TYPE, TIMESTAMP, REQUEST, SESSION, FOLDER, SIDECHAIN, MESSAGE] = [0, 1, 2, 3, 4, 5, 6];
const ROW = indexNames([
  'type',
  'timestamp',
  'requestId',
  'sessionId',
  'cwd',
  'isSidechain',
  'message',
  // A row with one of these is for a parser.
  'isApiErrorMessage',
  'forkedFrom',
  'requestSessionId',
  'data',
]);
const [ID, MODEL, STOP, ROLE, CONTENT, USAGE] = [0, 1, 2, 3, 4, 5];
const ANSWER = indexNames(['id', 'model', 'stop_reason', 'role', 'content', 'usage']);
const [TIER, TOOLS, ITERATIONS, DETAILS] = [4, 7, 8, 9];
const COUNTS = indexNames([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'service_tier',
  'speed',
  'inference_geo',
  'server_tool_use',
  'iterations',
  'output_tokens_details',
  'cache_creation',
]);
const SPLIT = indexNames(['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']);
const THINKING = indexNames(['thinking_tokens']);
const TOOL_USES = indexNames(['web_search_requests', 'web_fetch_requests']);
const PASS = indexNames(['type']);
const NO_TERMS: TermsTuple = [null, null, null];

/** The last text of each member is known again: those of a row, of its message, and of the message's usage. */
const OF_MESSAGE = MESSAGE;
const OF_USAGE = OF_MESSAGE + CONTENT - TIER;
const MEMORIES = OF_USAGE + ITERATIONS + 1;

type CountPair = [number, number];
type RowDraft = { -readonly [Name in keyof UsageRow]: UsageRow[Name] };

/**
 * Reads rows as Claude Code writes nearly all of them, without parsing them: it takes half the time and leaves nothing
 * behind. Rows that have anything else about them are left to a parser.
 */
export class TranscriptRowWalk {
  readonly #walk = new JsonWalk();
  readonly #texts = Array.from({ length: MEMORIES }, () => new ByteMemo<string>());
  #bytes: Buffer = NOTHING;
  #end = 0;
  /** The row tells of no usage, whatever comes. */
  #isOther = false;

  /** Where the walk ended. */
  get at(): number {
    return this.#walk.at;
  }

  /**
   * null = the row tells of no usage; undefined = it is for a parser.
   *
   * @param wantsFolder whether the folder is looked at, which may be beyond ASCII
   */
  read(bytes: Buffer, start: number, end: number, wantsFolder: boolean): UsageRow | null | undefined {
    const walk = this.#walk;
    this.#bytes = bytes;
    this.#end = bytes[end - 1] === RETURN ? end - 1 : end;
    this.#isOther = false;
    walk.begin(bytes, start, this.#end);
    const row = this.#row(wantsFolder);
    if (walk.lost) return undefined;
    if (this.#isOther) return null;
    return row.id !== '' && row.usage !== null && walk.at === this.#end ? row : undefined;
  }

  #row(wantsFolder: boolean): RowDraft {
    const walk = this.#walk;
    const row = emptyRow();
    let isAnswer = false;
    walk.enter();
    for (let member = walk.next(ROW); member !== CLOSED; member = walk.next(ROW)) {
      if (member === TYPE) isAnswer = this.#isAnswer();
      else if (member === TIMESTAMP) row.at = this.#time();
      else if (member === REQUEST) row.requestId = this.#text(REQUEST);
      else if (member === SESSION) row.sessionId = this.#text(SESSION);
      else if (member === FOLDER && wantsFolder) row.cwd = this.#folder();
      else if (member === SIDECHAIN) row.sidechain = walk.isTrue();
      else if (member === MESSAGE && row.id === '') this.#message(row);
      else if (member >= MESSAGE) walk.lose();
      else walk.skip();
      if (this.#isOther) return row;
    }
    if (!isAnswer) walk.lose();
    return row;
  }

  #isAnswer(): boolean {
    const type = this.#text(TYPE);
    if (type === 'progress') this.#walk.lose();
    this.#isOther = type !== null && type !== 'assistant';
    return type === 'assistant';
  }

  #message(row: RowDraft): void {
    const walk = this.#walk;
    walk.enter();
    for (let member = walk.next(ANSWER); member !== CLOSED; member = walk.next(ANSWER)) {
      if (member === ID) row.id = this.#text(OF_MESSAGE + ID) ?? '';
      else if (member === MODEL) row.model = this.#text(OF_MESSAGE + MODEL) ?? UNKNOWN_MODEL;
      else if (member === STOP) row.stopReason = this.#text(OF_MESSAGE + STOP);
      else if (member === ROLE) this.#isOther = this.#text(OF_MESSAGE + ROLE) === 'user';
      else if (member === CONTENT) this.#passContent();
      else if (member === USAGE && row.usage === null) this.#usage(row);
      else if (member === USAGE) walk.lose();
      else walk.skip();
      if (this.#isOther) return;
    }
    this.#isOther = row.model === NO_MODEL;
  }

  #passContent(): void {
    const walk = this.#walk;
    const end = this.#bytes[walk.at] === OPEN_LIST ? contentEnd(this.#bytes, walk.at, this.#end) : -1;
    if (end === -1) walk.skip();
    else walk.at = end + 1;
  }

  #usage(row: RowDraft): void {
    const walk = this.#walk;
    const counts: [number, number, number, number] = [0, 0, 0, 0];
    const terms: [string | null, string | null, string | null] = [null, null, null];
    let split: CountPair = [0, 0];
    let thinking = 0;
    walk.enter();
    for (let member = walk.next(COUNTS); member !== CLOSED; member = walk.next(COUNTS)) {
      if (member < 0) walk.skip();
      else if (member < TIER) counts[member] = walk.count();
      else if (member < TOOLS) terms[member - TIER] = this.#text(OF_USAGE + member)?.toLowerCase() ?? null;
      else if (member === TOOLS) this.#passTools();
      else if (member === ITERATIONS) this.#passIterations();
      else if (member === DETAILS) thinking = this.#pairIn(THINKING)[0];
      else split = this.#pairIn(SPLIT);
    }
    const pass = toPass(null, counts[0], counts[1], counts[2], counts[3], split[0], split[1]);
    this.#loseIf(sumPass(pass) + thinking > COUNT_MAX);
    row.usage = { pass, thinking, more: undefined };
    row.terms = terms;
  }

  #pairIn(names: MemberNames): CountPair {
    const walk = this.#walk;
    const pair: CountPair = [0, 0];
    if (!walk.enter()) return pair;
    for (let member = walk.next(names); member !== CLOSED; member = walk.next(names)) {
      if (member === 0 || member === 1) pair[member] = walk.count();
      else walk.skip();
    }
    return pair;
  }

  /** Nearly every answer used no server tool. */
  #passTools(): void {
    const uses = this.#pairIn(TOOL_USES);
    this.#loseIf(uses[0] + uses[1] > 0);
  }

  /** One pass that is the call itself tells nothing more. */
  #passIterations(): void {
    const walk = this.#walk;
    if (!walk.enterList()) return;
    for (let count = 1; walk.nextElement(); count++) {
      let isCall = false;
      walk.enter();
      for (let member = walk.next(PASS); member !== CLOSED; member = walk.next(PASS)) {
        if (member === TYPE) isCall = this.#text(OF_USAGE + ITERATIONS) === 'message';
        else walk.skip();
      }
      this.#loseIf(!isCall || count > 1);
    }
  }

  #loseIf(isBeyond: boolean): void {
    if (isBeyond) this.#walk.lose();
  }

  #text(memory: number): string | null {
    const start = this.#walk.text();
    const end = this.#walk.at - 1;
    if (start === 0 || start === end) return null;
    const memo = this.#texts[memory];
    if (memo === undefined) return null;
    if (!memo.holds(this.#bytes, start, end)) memo.keep(this.#bytes, start, end, this.#latin1(start, end));
    return memo.value ?? null;
  }

  /** Looked at once in a file, and the only text that is often beyond ASCII. */
  #folder(): string | null {
    const walk = this.#walk;
    const start = walk.at;
    walk.skip();
    if (this.#bytes[start] !== QUOTE) return null;
    const text = this.#bytes.toString('utf8', start + 1, walk.at - 1);
    this.#loseIf(text.includes('\\'));
    return text === '' ? null : text;
  }

  #time(): number | null {
    const start = this.#walk.text();
    return start === 0 ? null : asTime(this.#latin1(start, this.#walk.at - 1));
  }

  #latin1(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }
}

function emptyRow(): RowDraft {
  return {
    id: '',
    requestId: null,
    sessionId: null,
    asked: false,
    cwd: null,
    model: UNKNOWN_MODEL,
    at: null,
    stopReason: null,
    sidechain: false,
    progress: false,
    forked: false,
    usage: null,
    terms: NO_TERMS,
  };
}
