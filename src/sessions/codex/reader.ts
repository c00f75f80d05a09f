import { asMembers, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import type { FactsReader } from '../reading/source.ts';
import { type CounterReading, isSameRequest, readCounts, sumCounts, UsageCounters } from './counters.ts';
import {
  type CodexFacts,
  idTime,
  isOwnTurn,
  NO_FACTS,
  type RequestStep,
  type RowContext,
  stepContext,
} from './facts.ts';
import type { CounterRow } from './row-walk.ts';
import { isOfInterest, findModelName, readRow, type RolloutRow, asWhole } from './rows.ts';

type FactsDraft = { -readonly [Name in keyof CodexFacts]: CodexFacts[Name] };

/** Longest relevant line. The largest ones are session rows with instructions. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
/** Distance within which the two rows of one request are found. */
const PAIR_STEPS_MAX = 16;
const NEWLINE = 0x0a;

/** Reads the rows of one rollout in order. */
export class RolloutReader implements FactsReader<CodexFacts> {
  readonly #facts: FactsDraft;
  readonly #contexts: RowContext[];
  readonly #steps: RequestStep[];
  readonly #counters: UsageCounters;
  #longLine: Buffer[] | null = null;
  #longLineBytes = 0;

  constructor(before: CodexFacts | null) {
    this.#facts = { ...(before ?? NO_FACTS) };
    this.#contexts = [...this.#facts.contexts];
    this.#steps = [...this.#facts.steps];
    this.#counters = new UsageCounters(this.#facts.counters, this.#steps);
  }

  block(bytes: Buffer, start: number, end: number): void {
    let from = start;
    while (from < end) {
      const newline = bytes.indexOf(NEWLINE, from);
      const to = newline === -1 || newline >= end ? end : newline;
      const row = readRow(bytes, from, to, this.#wantsModel);
      if (row) this.#row(row);
      from = to + 1;
    }
  }

  longLine(piece: Buffer, last: boolean): void {
    if (this.#longLine === null) {
      this.#longLine = [];
      this.#longLineBytes = isOfInterest(piece) === false ? LINE_BYTES_MAX : 0;
    }
    this.#longLineBytes += piece.length;
    if (this.#longLineBytes > LINE_BYTES_MAX) this.#longLine.length = 0;
    else this.#longLine.push(Buffer.from(piece));
    if (!last) return;
    const line = Buffer.concat(this.#longLine);
    this.#longLine = null;
    this.block(line, 0, line.length);
  }

  facts(): CodexFacts {
    return {
      ...this.#facts,
      contexts: [...this.#contexts],
      steps: [...this.#steps],
      counters: this.#counters.state,
    };
  }

  #row(row: RolloutRow | CounterRow): void {
    const payload = asMembers(row.payload);
    this.#facts.startedAt ??= asTime(row.timestamp);
    switch (row.type === 'event_msg' ? payload['type'] : row.type) {
      case 'session_meta':
        return this.#session(payload);
      case 'turn_context':
        return this.#turnContext(payload);
      case 'task_started':
        return this.#turnStarted(payload);
      case 'thread_settings_applied':
        return this.#settings(asMembers(payload['thread_settings']));
      case 'inter_agent_communication_metadata':
        if (payload['trigger_turn'] === true) this.#facts.triggerMark ??= this.#steps.length;
        return;
      case 'turn.completed':
        this.#facts.isExecOutput = true;
        return;
      case 'token_count':
        return this.#tokenCount(row, 'total' in row ? row : counterIn(payload));
      case 'token_usage_record':
        return this.#usageRecord(row, payload);
    }
  }

  /** Reads a session row. The first is the file's own. One of another thread is an ancestor's, whose rows follow. */
  #session(payload: JsonObject): void {
    const facts = this.#facts;
    const thread = asText(payload['id']) ?? asText(payload['session_id']);
    if (thread === null) return;
    if (facts.thread !== null) {
      if (facts.thread !== thread) this.#ancestor(thread);
      return;
    }
    const base = asText(asMembers(payload['history_base'])['thread_id']);
    const spawn = asMembers(asMembers(asMembers(payload['source'])['subagent'])['thread_spawn']);
    const named = [payload['forked_from_id'], payload['parent_thread_id'], spawn['parent_thread_id'], base];
    const parents = named.map(asText).filter((id) => id !== null && id !== thread);
    facts.thread = thread;
    facts.session = asText(payload['session_id']) ?? thread;
    facts.parents = [...new Set(parents as string[])];
    facts.continues = facts.parents.length > 0 || base !== null;
    facts.isLaterPage = base === thread;
    facts.project = asText(payload['cwd']);
    facts.provider = asText(payload['model_provider']);
    facts.createdAt = idTime(thread) ?? asTime(payload['timestamp']);
    facts.ownFrom = asWhole(payload['subagent_history_start_ordinal']);
  }

  #ancestor(thread: string): void {
    const facts = this.#facts;
    facts.replays = true;
    facts.continues = true;
    facts.ownMark = null;
    facts.triggerMark = null;
    if (!facts.parents.includes(thread)) facts.parents = [...facts.parents, thread];
  }

  /** Marks the first turn after the last ancestor's session row. */
  #markOwn(): void {
    if (this.#facts.replays) this.#facts.ownMark ??= this.#steps.length;
  }

  #turnStarted(payload: JsonObject): void {
    this.#markOwn();
    this.#turn(asText(payload['turn_id']), asWhole(payload['started_at']));
  }

  #turnContext(payload: JsonObject): void {
    const turn = asText(payload['turn_id']);
    if (turn !== this.#facts.now.turn) this.#turn(turn, null);
    const model = findModelName(payload);
    if (model !== null) {
      this.#facts.isModelOfRow = false;
      this.#now({ model });
    }
    this.#facts.project ??= asText(payload['cwd']);
  }

  #turn(turn: string | null, startedAtSeconds: number | null): void {
    this.#now({ turn, own: isOwnTurn(this.#facts.createdAt, turn, startedAtSeconds) });
  }

  /** Reads settings. A model in settings may be for later turns, so it applies only until a turn names one. */
  #settings(settings: JsonObject): void {
    const tier = asText(settings['service_tier'])?.toLowerCase();
    if (tier !== undefined) this.#now({ tier });
    if (this.#facts.now.model === null) this.#now({ model: asText(settings['model']) });
  }

  /** True if no turn has named the model, so that usage rows may. */
  get #wantsModel(): boolean {
    return this.#facts.now.model === null || this.#facts.isModelOfRow;
  }

  #modelOfRow(model: string | null): void {
    if (model === null || !this.#wantsModel) return;
    this.#facts.isModelOfRow = true;
    this.#now({ model });
  }

  #now(change: Partial<RowContext>): void {
    this.#facts.now = { ...this.#facts.now, ...change };
  }

  /** Reads a row with the running total of the thread and the usage of its last request. */
  #tokenCount(row: RolloutRow, reading: CounterReading & Pick<CounterRow, 'model'>): void {
    const { startedAt, continues } = this.#facts;
    const at = asTime(row.timestamp) ?? startedAt;
    if (at === null) return;
    this.#modelOfRow(reading.model);
    const counted = this.#counters.read(reading, continues);
    if (counted === null) return;
    const total = reading.total && sumCounts(reading.total);
    const step: RequestStep = { at, ...counted, total, context: this.#context(row, null), response: null };
    const isPaired = this.#joinPair(step, (other) =>
      other.response !== null && other.total === null ? { ...other, total: step.total } : null,
    );
    if (!isPaired) this.#steps.push(step);
  }

  /** Reads a row with the id and usage of one answer. Most answers have a total row too. */
  #usageRecord(row: RolloutRow, payload: JsonObject): void {
    const at = asTime(row.timestamp) ?? this.#facts.startedAt;
    const counts = readCounts(payload['usage']);
    const response = asText(payload['response_id']);
    if (at === null || counts === null || response === null || sumCounts(counts) === 0) return;
    this.#modelOfRow(findModelName(payload));
    const session = asText(payload['session_id']);
    const context = this.#context(row, session === this.#facts.session ? null : session);
    const step: RequestStep = { at, counts, total: null, context, response };
    const isPaired = this.#joinPair(step, (other) =>
      other.response === null ? { ...step, at: other.at, total: other.total } : null,
    );
    if (!isPaired) this.#steps.push(step);
  }

  /** Merges a step with the other row of the same request: the same tokens in the same turn. */
  #joinPair(step: RequestStep, join: (other: RequestStep) => RequestStep | null): boolean {
    const facts = { contexts: this.#contexts };
    const { turn } = stepContext(facts, step);
    for (let back = 1; back <= PAIR_STEPS_MAX; back++) {
      const other = this.#steps.at(-back);
      if (other === undefined || stepContext(facts, other).turn !== turn) return false;
      const joined = isSameRequest(step.counts, other.counts) ? join(other) : null;
      if (joined === null) continue;
      this.#steps[this.#steps.length - back] = joined;
      return true;
    }
    return false;
  }

  #context(row: RolloutRow, session: string | null): number {
    const { now, ownFrom } = this.#facts;
    const ordinal = asWhole(row.ordinal);
    const own = ownFrom !== null && ordinal !== null ? ordinal >= ownFrom : now.own;
    const isSameContext = (other: RowContext) =>
      other.turn === now.turn &&
      other.model === now.model &&
      other.tier === now.tier &&
      other.own === own &&
      other.session === session;
    const known = this.#contexts.findLastIndex(isSameContext);
    return known === -1 ? this.#contexts.push({ ...now, own, session }) - 1 : known;
  }
}

function counterIn(payload: JsonObject): CounterReading & Pick<CounterRow, 'model'> {
  const info = asMembers(payload['info']);
  const last = readCounts(info['last_token_usage']);
  return {
    total: readCounts(info['total_token_usage']),
    last,
    lane: last === null ? asText(asMembers(payload['rate_limits'])['limit_id']) : null,
    model: findModelName(info, payload),
  };
}
