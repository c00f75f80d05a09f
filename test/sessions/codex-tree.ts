import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import { NO_TERMS } from '../../src/domain/usage/usage.ts';
import type { Random } from '../seeded.ts';
import { chance, id, lognormal, pick, uuid, whole } from './chance.ts';
import { type CodexUsage, RolloutDraft, timedId } from './codex-rollout.ts';
import type { Prose } from './prose.ts';

/** Shares and sizes as they were counted in users' folders. */
const FILE_BYTES_MEDIAN = 180_000;
const FILE_BYTES_SIGMA = 1;
const FILE_BYTES_MAX = 8_000_000;
const META_BYTES = 9_000;
const OUTPUT_BYTES_MEDIAN = 2_600;
const PROJECTS = 20;
const MODELS = ['gpt-5.6-sol', 'gpt-5.5', 'gpt-5.4', 'gpt-5.1-codex'] as const;
const CONTEXT_MAX = 190_000;
const FORK_SHARE = 0.15;
const PAGED_SHARE = 0.08;
const SUBAGENT_SHARE = 0.1;
const NAMED_SHARE = 0.5;
const REPEAT_SHARE = 0.3;
const COMPACTION_SHARE = 0.02;
const ARCHIVED_SHARE = 0.1;
const COMPRESSED_SHARE = 0.1;
const COPY_SHARE = 0.05;
const LOST_SHARE = 0.03;
const CUT_SHARE = 0.01;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface CodexTreeWish {
  /** A `CODEX_HOME`. */
  readonly folder: string;
  /** About how many bytes the rollouts come to, before any is compressed. */
  readonly bytes: number;
  /** Epoch ms: sessions begin in the 30 days before. */
  readonly until: number;
}

export interface CodexTree {
  readonly calls: readonly LocalCall[];
  /** Of the files that count: not of older copies, nor of what Codex was just writing. */
  readonly paths: readonly string[];
  readonly bytes: number;
}

/** One thread while its rollout is written. */
interface Thread {
  readonly draft: RolloutDraft;
  readonly sessionId: string;
  readonly project: string;
  /** Answers have ids in the rows: newer versions of Codex. */
  readonly named: boolean;
  /** Ids of turns begin with their time. */
  readonly timed: boolean;
  model: string;
  tier: string | null;
  context: number;
  /** Calls that its rows have, made by it, with the time of their turn where its id has one. */
  readonly calls: { readonly call: LocalCall; readonly turnAt: number | null }[];
}

/** A fork that repeats the rows of its parent. */
interface Heir {
  readonly parent: Thread;
  readonly thread: Thread;
  readonly at: number;
}

/** Writes rollouts as Codex leaves them, and tells what was truly used. */
export function writeCodexTree(random: Random, prose: Prose, wish: CodexTreeWish): CodexTree {
  return new CodexTreeWriter(random, prose, wish).write();
}

class CodexTreeWriter {
  readonly #random: Random;
  readonly #prose: Prose;
  readonly #wish: CodexTreeWish;
  readonly #calls: LocalCall[] = [];
  readonly #paths: string[] = [];
  readonly #parents: Thread[] = [];
  readonly #lost = new Set<Thread>();
  readonly #heirs: Heir[] = [];
  #turnAt: number | null = null;
  #bytes = 0;

  constructor(random: Random, prose: Prose, wish: CodexTreeWish) {
    this.#random = random;
    this.#prose = prose;
    this.#wish = wish;
  }

  write(): CodexTree {
    const random = this.#random;
    while (this.#bytes < this.#wish.bytes) {
      const parent = this.#parents.length > 2 ? this.#parents[whole(random, 0, this.#parents.length - 1)] : undefined;
      if (parent && chance(random, FORK_SHARE)) this.#writeFork(parent);
      else if (parent && chance(random, SUBAGENT_SHARE)) this.#writeSubagent(parent);
      else this.#writeSession();
    }
    this.#recordCopies();
    return { calls: this.#calls, paths: this.#paths, bytes: this.#bytes };
  }

  #writeSession(): void {
    const at = Math.floor(this.#wish.until - 30 * DAY * (0.1 + 0.9 * this.#random()));
    const named = chance(this.#random, NAMED_SHARE);
    const thread = this.#begin({ at, named });
    // Calls of a lost file are in the truth only where a fork repeats them.
    const isLost = chance(this.#random, LOST_SHARE) && !named;
    const before = this.#calls.length;
    this.#fill(thread);
    if (isLost) {
      this.#calls.length = before;
      this.#lost.add(thread);
    } else this.#save(thread.draft);
    this.#parents.push(thread);
    if (!isLost && chance(this.#random, PAGED_SHARE)) this.#writePage(thread);
  }

  /** Calls of lost files count under the first fork that repeats them. */
  #recordCopies(): void {
    for (const lost of this.#lost) {
      const heirs = this.#heirs.filter(({ parent }) => parent === lost);
      const [first] = heirs.toSorted((a, b) => a.at - b.at || (a.thread.draft.thread < b.thread.draft.thread ? -1 : 1));
      if (first === undefined) continue;
      const { sessionId, project } = first.thread;
      for (const { call, turnAt } of lost.calls)
        this.#calls.push({ ...call, sessionId, project, at: Math.min(first.at, turnAt ?? first.at), copied: true });
    }
  }

  /** Older forks repeat all rows of their parent; newer ones name it and go on from its total. */
  #writeFork(parent: Thread): void {
    const { draft: old, project, named, model } = parent;
    const at = old.at + whole(this.#random, 1, 48) * HOUR;
    const base = { thread_id: old.thread, end_ordinal_exclusive: old.rows.length, end_byte_offset: old.size };
    const meta = { forked_from_id: old.thread, ...(named && { history_mode: 'paginated', history_base: base }) };
    const isCounterOnly = named || chance(this.#random, 0.2);
    const thread = this.#begin({ at, named, project, meta, ...(isCounterOnly && { total: old.total }) });
    thread.model = model;
    const { draft } = thread;
    if (!isCounterOnly) {
      this.#heirs.push({ parent, thread, at });
      draft.replay(old.rows).wait(whole(this.#random, 1, 30));
      draft.total = old.total;
      thread.tier = parent.tier;
    } else if (!named) draft.tell({ input: 0, output: 0 });
    this.#fill(thread);
    this.#save(draft);
  }

  /** Its counter is its own. */
  #writeSubagent(parent: Thread): void {
    const { draft: old, sessionId, project, named } = parent;
    const meta = { forked_from_id: old.thread, parent_thread_id: old.thread, thread_source: 'subagent' };
    const at = old.at - whole(this.#random, 0, MINUTE);
    const thread = this.#begin({ at, named, project, sessionId, meta });
    this.#fill(thread, 0.3);
    this.#save(thread.draft);
  }

  /** The thread goes on in another file. */
  #writePage(thread: Thread): void {
    const { draft: old, sessionId, project, named } = thread;
    const base = { thread_id: old.thread, end_ordinal_exclusive: old.rows.length, end_byte_offset: old.size };
    const at = old.at + whole(this.#random, 1, 20) * HOUR;
    const meta = { history_mode: 'paginated', history_base: base };
    const page = this.#begin({ at, named, project, sessionId, meta, thread: old.thread, total: old.total });
    page.model = thread.model;
    if (chance(this.#random, 0.5)) page.draft.tell({ input: 0, output: 0 });
    this.#fill(page, 0.5);
    this.#save(page.draft, `_${uuid(this.#random)}`);
  }

  #begin(wish: {
    at: number;
    named: boolean;
    project?: string;
    sessionId?: string;
    thread?: string;
    meta?: Readonly<Record<string, unknown>>;
    total?: CodexUsage;
  }): Thread {
    const { at, named, total } = wish;
    const random = this.#random;
    const timed = named || chance(random, 0.5);
    const thread = wish.thread ?? (timed ? timedId(at, uuid(random).slice(-12)) : uuid(random));
    const sessionId = wish.sessionId ?? thread;
    const project = wish.project ?? `/srv/prøjects/app-${whole(random, 1, PROJECTS)}`;
    const session = named || sessionId !== thread ? { session_id: sessionId } : {};
    const meta = { ...session, cwd: project, base_instructions: { text: this.#prose.text(META_BYTES) }, ...wish.meta };
    const draft = new RolloutDraft({ thread, at, meta, ...(total && { total }) });
    return { draft, sessionId, project, named, timed, model: pick(random, MODELS), tier: null, context: 0, calls: [] };
  }

  #fill(thread: Thread, share = 1): void {
    const { draft } = thread;
    const random = this.#random;
    const bytes = lognormal(random, FILE_BYTES_MEDIAN * share, FILE_BYTES_SIGMA, FILE_BYTES_MAX);
    const start = draft.size;
    draft.wait(2 * SECOND);
    for (let size = 0; size < bytes; size = draft.size - start) {
      if (chance(random, 0.05)) thread.model = pick(random, MODELS);
      this.#turnAt = thread.timed ? draft.at : null;
      draft.turn(thread.timed ? timedId(draft.at, uuid(random).slice(-12)) : uuid(random), thread.model);
      if (chance(random, 0.1)) this.#chooseTier(thread);
      draft.row('response_item', { type: 'message', role: 'user', content: [{ text: this.#prose.text(400) }] });
      for (let left = whole(random, 1, 8); left > 0; left--) this.#request(thread);
      draft
        .tell()
        .event('task_complete', { duration_ms: 1 })
        .wait(whole(random, SECOND, 20 * MINUTE));
    }
  }

  #chooseTier(thread: Thread): void {
    const tier = pick(this.#random, ['priority', 'default'] as const);
    thread.tier = tier;
    thread.draft.settings({ model: thread.model, service_tier: tier });
  }

  #request(thread: Thread): void {
    const random = this.#random;
    const { draft } = thread;
    draft.wait(whole(random, 2 * SECOND, MINUTE));
    const text = this.#prose.text(lognormal(random, OUTPUT_BYTES_MEDIAN, 1.2, 400_000));
    draft.row('response_item', { type: 'function_call_output', call_id: id(random, 'call_'), output: text });
    if (thread.named && chance(random, COMPACTION_SHARE)) {
      const response = this.#answer(thread, this.#usage(thread), null);
      draft.row('compacted', { message: this.#prose.text(2_000), compaction_response_id: response }).tell();
      thread.context = 0;
    }
    const usage = this.#usage(thread);
    const total = draft.total.input + draft.total.output + usage.input + usage.output;
    if (thread.named) this.#answer(thread, usage, total);
    draft.wait(whole(random, 0, 90));
    if (!thread.named) this.#record(thread, usage, total);
    draft.count(usage);
    if (chance(random, REPEAT_SHARE)) draft.wait(5).tell();
  }

  #usage(thread: Thread): CodexUsage {
    const random = this.#random;
    const cached = thread.context;
    const fresh = whole(random, 300, 9_000);
    const input = cached + fresh;
    thread.context = input > CONTEXT_MAX - 20_000 ? 0 : input;
    const output = lognormal(random, 300, 1, 8_000) + 1;
    const written = thread.model === 'gpt-5.6-sol' ? whole(random, 0, fresh) : 0;
    return { input, cached, written, output, thinking: whole(random, 0, output) };
  }

  #answer(thread: Thread, usage: CodexUsage, total: number | null): string {
    const response = id(this.#random, 'resp_');
    thread.draft.record(response, usage, { session_id: thread.sessionId });
    this.#record(thread, usage, total);
    return response;
  }

  /** `total`: of its thread, after it; null = a compaction, which that leaves out. */
  #record(thread: Thread, used: CodexUsage, total: number | null): void {
    const { input, cached = 0, written = 0, output, thinking = 0 } = used;
    const tokens = {
      input: input - cached - written,
      ...(cached > 0 && { cacheRead: cached }),
      ...(written > 0 && { cacheWrite: written }),
      output,
    };
    const call: LocalCall = {
      source: 'codex',
      sessionId: thread.sessionId,
      project: thread.project,
      model: thread.model,
      at: thread.draft.at,
      ...(total !== null && { total }),
      usage: {
        inferences: [{ model: null, tokens, promptTokens: input }],
        uses: {},
        thinking,
        terms: { ...NO_TERMS, tier: thread.tier },
      },
    };
    this.#calls.push(call);
    thread.calls.push({ call, turnAt: this.#turnAt });
  }

  /** Where and how Codex keeps a rollout: in use, archived, compressed; or twice, while it is on its way. */
  #save(draft: RolloutDraft, page = ''): void {
    const random = this.#random;
    const began = (JSON.parse(draft.rows[0] ?? '{}') as { timestamp: string }).timestamp;
    const name = `rollout-${began.slice(0, 19).replaceAll(':', '-')}-${draft.thread}${page}.jsonl`;
    const active = join(this.#wish.folder, 'sessions', ...began.slice(0, 10).split('-'), name);
    const archived = join(this.#wish.folder, 'archived_sessions', name);
    const torn = chance(random, CUT_SHARE) ? (draft.rows.at(-1) ?? '').slice(0, 90) : '';
    const text = draft.text + torn;
    const isArchived = chance(random, ARCHIVED_SHARE);
    const isCompressed = chance(random, COMPRESSED_SHARE);
    const path = (isArchived ? archived : active) + (isCompressed ? '.zst' : '');
    this.#put(path, text);
    this.#paths.push(path);
    this.#bytes += Buffer.byteLength(text);
    const older = draft.rows.slice(0, draft.rows.length / 2).join('\n');
    if (!isArchived && chance(random, COPY_SHARE)) this.#put(archived, older);
    if (!isCompressed && chance(random, COPY_SHARE)) this.#put(`${path}.zst`, older);
    if (chance(random, COPY_SHARE)) this.#put(`${path}.zst.tmp`, text);
  }

  #put(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith('.zst') ? zstdCompressSync(text) : text);
  }
}
