import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import type { Random } from '../seeded.ts';
import { chance, id, lognormal, pick, uuid, whole } from './chance.ts';
import { type ClaudeAnswer, trueUsage, usageField } from './claude-rows.ts';
import type { Prose } from './prose.ts';

/** Shares and sizes as they were counted in users' folders. */
const FILE_BYTES_MEDIAN = 95_000;
const FILE_BYTES_SIGMA = 1.1;
const FILE_BYTES_MAX = 12_000_000;
const PROJECTS = 40;
const MODELS = ['claude-opus-4-8', 'claude-sonnet-5', 'claude-haiku-4-5-20251001', 'claude-opus-5'] as const;
const SUBAGENTS_SHARE = 0.35;
const MULTI_ROW_SHARE = 0.46;
const LONG_WRITE_SHARE = 0.78;
const FORK_SHARE = 0.06;
const PROGRESS_SHARE = 0.1;
const SYNTHETIC_SHARE = 0.005;
const CUT_SHARE = 0.01;
const ASIDE_SHARE = 0.03;
const CACHE_MAX = 150_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface TreeWish {
  /** The `projects` folder. */
  readonly folder: string;
  /** About how many bytes the files come to. */
  readonly bytes: number;
  /** Epoch ms: sessions begin in the 30 days before. */
  readonly until: number;
}

export interface Tree {
  readonly calls: readonly LocalCall[];
  readonly paths: readonly string[];
  readonly bytes: number;
}

type Row = Readonly<Record<string, unknown>>;

interface Session {
  readonly sessionId: string;
  readonly project: string;
  readonly folder: string;
  readonly model: string;
  /** Time of its newest row. */
  clock: number;
  cached: number;
}

/** Writes Claude Code's files as it leaves them, and tells what was truly used. */
export function writeClaudeTree(random: Random, prose: Prose, wish: TreeWish): Tree {
  return new ClaudeTree(random, prose, wish).write();
}

class ClaudeTree {
  readonly #random: Random;
  readonly #prose: Prose;
  readonly #wish: TreeWish;
  readonly #calls: LocalCall[] = [];
  readonly #paths: string[] = [];
  readonly #sources: { readonly session: Session; readonly rows: readonly Row[] }[] = [];
  #bytes = 0;

  constructor(random: Random, prose: Prose, wish: TreeWish) {
    this.#random = random;
    this.#prose = prose;
    this.#wish = wish;
  }

  write(): Tree {
    while (this.#bytes < this.#wish.bytes) {
      const source = this.#sources.length > 3 && chance(this.#random, FORK_SHARE) ? this.#sources.shift() : undefined;
      this.#writeSession(source);
    }
    return { calls: this.#calls, paths: this.#paths, bytes: this.#bytes };
  }

  #writeSession(source: { readonly session: Session; readonly rows: readonly Row[] } | undefined): void {
    const random = this.#random;
    const number = whole(random, 1, PROJECTS);
    const session: Session = {
      sessionId: uuid(random),
      project: source?.session.project ?? `/srv/prøjects/app-${number}`,
      folder: source?.session.folder ?? join(this.#wish.folder, `-srv-pr-jects-app-${number}`),
      model: pick(random, MODELS),
      clock: source ? source.session.clock + whole(random, 1, 48) * HOUR : this.#wish.until - 30 * DAY * random(),
      cached: 0,
    };
    session.clock = Math.floor(session.clock);
    // A fork repeats what was there, under its own name.
    const rows: Row[] = source
      ? source.rows
          .slice(0, Math.ceil(source.rows.length * 0.6))
          .map((row) => Object.assign({}, row, { sessionId: session.sessionId }))
      : [];
    this.#fill(session, rows, false);
    if (chance(random, SUBAGENTS_SHARE))
      for (let left = whole(random, 1, 5); left > 0; left--) this.#writeSubagent(session, rows);
    this.#save(join(session.folder, `${session.sessionId}.jsonl`), rows);
    if (chance(random, ASIDE_SHARE)) this.#writeAside(session, rows);
    if (!source) this.#sources.push({ session, rows });
  }

  #fill(session: Session, rows: Row[], sidechain: boolean): void {
    const wanted = lognormal(
      this.#random,
      FILE_BYTES_MEDIAN,
      FILE_BYTES_SIGMA,
      Math.min(FILE_BYTES_MAX, this.#wish.bytes),
    );
    let bytes = 0;
    while (bytes < wanted) {
      const turn = this.#turn(session, sidechain);
      for (const row of turn) bytes += JSON.stringify(row).length;
      rows.push(...turn);
    }
  }

  #writeSubagent(session: Session, parentRows: Row[]): void {
    const agent = uuid(this.#random).slice(0, 8);
    const rows: Row[] = [];
    this.#fill(session, rows, true);
    // Some builds repeat in the session's file what the subagent does, often half-way.
    for (const row of rows)
      if (row['type'] === 'assistant' && chance(this.#random, PROGRESS_SHARE))
        parentRows.push(this.#frame(session, 'progress', progressOf(row)));
    this.#save(join(session.folder, session.sessionId, 'subagents', `agent-${agent}.jsonl`), rows);
  }

  /** A question beside the session: it replays the last answer under another request, and has one of its own. */
  #writeAside(session: Session, rows: readonly Row[]): void {
    const last = rows.findLast((row) => row['type'] === 'assistant' && row['requestId'] !== undefined);
    if (last === undefined) return;
    const replay = { ...last, requestId: id(this.#random, 'req_'), isSidechain: true, sessionId: session.sessionId };
    const path = join(
      session.folder,
      session.sessionId,
      'subagents',
      `agent-aside_question-${uuid(this.#random)}.jsonl`,
    );
    this.#save(path, [replay, ...this.#answerRows(session, true)]);
  }

  #turn(session: Session, sidechain: boolean): Row[] {
    const random = this.#random;
    session.clock += whole(random, 2_000, 3 * MINUTE);
    const result = this.#prose.text(lognormal(random, 2_600, 1, 200_000));
    const user = this.#frame(session, 'user', {
      isSidechain: sidechain,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id(random, 'toolu_'), content: result }] },
      toolUseResult: { stdout: result, stderr: '', interrupted: false },
    });
    const other = chance(random, SYNTHETIC_SHARE) ? [this.#synthetic(session)] : [];
    return [user, ...other, ...this.#answerRows(session, sidechain)];
  }

  #answerRows(session: Session, sidechain: boolean): Row[] {
    const random = this.#random;
    session.clock += whole(random, 1_000, 30_000);
    const answer = this.#answer(session);
    this.#calls.push({
      source: 'claude_code',
      sessionId: session.sessionId,
      project: session.project,
      model: answer.model,
      at: answer.at,
      usage: trueUsage(answer),
    });
    const count = chance(random, MULTI_ROW_SHARE) ? whole(random, 2, 4) : 1;
    return Array.from({ length: count }, (_, index) => {
      const last = index === count - 1;
      session.clock += index === 0 ? 0 : whole(random, 50, 4_000);
      const output = last ? answer.output : Math.min(answer.output, whole(random, 1, 8));
      return this.#frame(session, 'assistant', {
        isSidechain: sidechain,
        message: {
          model: answer.model,
          id: answer.id,
          type: 'message',
          role: 'assistant',
          content: [this.#block(last)],
          stop_reason: last ? 'tool_use' : null,
          stop_sequence: null,
          usage: usageField(answer, output),
        },
        requestId: answer.requestId,
      });
    });
  }

  #block(toolUse: boolean): unknown {
    const random = this.#random;
    const text = this.#prose.text(lognormal(random, 500, 1, 50_000));
    return toolUse
      ? {
          type: 'tool_use',
          id: id(random, 'toolu_'),
          name: 'Write',
          input: { file_path: 'a.ts', content: text, model: 'x' },
        }
      : { type: 'text', text };
  }

  #answer(session: Session): ClaudeAnswer {
    const random = this.#random;
    const write = lognormal(random, 1_500, 1, 60_000);
    const long = chance(random, LONG_WRITE_SHARE);
    const cacheRead = session.cached;
    session.cached = Math.min(CACHE_MAX, session.cached + write);
    const output = lognormal(random, 250, 1.2, 16_000) + 9;
    return {
      id: id(random, 'msg_'),
      requestId: id(random, 'req_'),
      model: chance(random, 0.9) ? session.model : pick(random, MODELS),
      at: session.clock,
      input: whole(random, 1, 12),
      output,
      cacheRead,
      write5m: long ? 0 : write,
      write1h: long ? write : 0,
      thinking: chance(random, 0.4) ? Math.floor(output / 3) : 0,
      webSearches: chance(random, 0.01) ? whole(random, 1, 3) : 0,
      fast: chance(random, 0.01),
      geo: chance(random, 0.02) ? 'us' : 'not_available',
      beside: chance(random, 0.01) ? pick(random, BESIDES) : null,
    };
  }

  #synthetic(session: Session): Row {
    const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const content = [{ type: 'text', text: 'API Error: overloaded' }];
    const message = { id: uuid(this.#random), model: '<synthetic>', role: 'assistant', content, usage };
    return this.#frame(session, 'assistant', { isApiErrorMessage: true, message });
  }

  #frame(session: Session, type: string, rest: Row): Row {
    return {
      parentUuid: uuid(this.#random),
      isSidechain: false,
      userType: 'external',
      cwd: session.project,
      sessionId: session.sessionId,
      version: '2.1.197',
      gitBranch: 'main',
      ...rest,
      type,
      uuid: uuid(this.#random),
      timestamp: new Date(session.clock).toISOString(),
    };
  }

  #save(path: string, rows: readonly Row[]): void {
    const last = rows.at(-1);
    const cut = chance(this.#random, CUT_SHARE) ? JSON.stringify(last).slice(0, whole(this.#random, 1, 200)) : '';
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('') + cut;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const at = Date.parse(String(last?.['timestamp'])) / 1_000;
    utimesSync(path, at, at);
    this.#paths.push(path);
    this.#bytes += Buffer.byteLength(text);
  }
}

type Beside = NonNullable<ClaudeAnswer['beside']>;
const BESIDES: readonly [Beside, Beside] = [
  { type: 'advisor_message', model: 'claude-opus-5' },
  { type: 'compaction', model: null },
];

/** A subagent's row as the session's own file repeats it: before the last of it was known. */
function progressOf(row: Row): Row {
  const message = row['message'] as { usage: Row };
  const { isSidechain: _, ...rest } = row;
  const partial = { ...message, usage: { ...message.usage, output_tokens: 2 } };
  return { data: { type: 'agent_progress', message: { ...rest, message: partial } } };
}
