import type { FactsReader } from '../source.ts';
import { Counters, type CounterReading } from './counters.ts';
import { countsOf, isSameRequest, sumOf } from './counts.ts';
import { contextOf, NO_FACTS, type CodexFacts, type Context, type Step } from './facts.ts';
import type { CounterRow } from './row-walk.ts';
import { type Fields, fieldsOf, isOfInterest, modelNamed, readRow, type Row, textOf, timeOf, wholeOf } from './rows.ts';
import { isOwnTurn, timeOfId } from './turns.ts';

type Draft = { -readonly [Name in keyof CodexFacts]: CodexFacts[Name] };

/** A line of interest is far shorter: the longest is a session's description with its instructions. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
/** The two rows of one request stand close together. */
const PAIR_STEPS_MAX = 16;
const NEWLINE = 0x0a;

/** Reads the rows of one rollout, in their order. */
export class RolloutReader implements FactsReader<CodexFacts> {
  readonly #facts: Draft;
  readonly #contexts: Context[];
  readonly #steps: Step[];
  readonly #counters: Counters;
  #longLine: Buffer[] | null = null;
  #longLineBytes = 0;

  constructor(before: CodexFacts | null) {
    this.#facts = { ...(before ?? NO_FACTS) };
    this.#contexts = [...this.#facts.contexts];
    this.#steps = [...this.#facts.steps];
    this.#counters = new Counters(this.#facts.counters, this.#steps);
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

  #row(row: Row | CounterRow): void {
    const payload = fieldsOf(row.payload);
    this.#facts.startedAt ??= timeOf(row.timestamp);
    switch (row.type === 'event_msg' ? payload['type'] : row.type) {
      case 'session_meta':
        return this.#session(payload);
      case 'turn_context':
        return this.#turnContext(payload);
      case 'task_started':
        return this.#turnStarted(payload);
      case 'thread_settings_applied':
        return this.#settings(fieldsOf(payload['thread_settings']));
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

  /** The first is the file's own; one of another thread is an ancestor's, whose rows follow. */
  #session(payload: Fields): void {
    const facts = this.#facts;
    const thread = textOf(payload['id']) ?? textOf(payload['session_id']);
    if (thread === null) return;
    if (facts.thread !== null) {
      if (facts.thread !== thread) this.#ancestor(thread);
      return;
    }
    const base = textOf(fieldsOf(payload['history_base'])['thread_id']);
    const spawn = fieldsOf(fieldsOf(fieldsOf(payload['source'])['subagent'])['thread_spawn']);
    const named = [payload['forked_from_id'], payload['parent_thread_id'], spawn['parent_thread_id'], base];
    const parents = named.map(textOf).filter((id) => id !== null && id !== thread);
    facts.thread = thread;
    facts.session = textOf(payload['session_id']) ?? thread;
    facts.parents = [...new Set(parents as string[])];
    facts.continues = facts.parents.length > 0 || base !== null;
    facts.isLaterPage = base === thread;
    facts.project = textOf(payload['cwd']);
    facts.provider = textOf(payload['model_provider']);
    facts.createdAt = timeOfId(thread) ?? timeOf(payload['timestamp']);
    facts.ownFrom = wholeOf(payload['subagent_history_start_ordinal']);
  }

  #ancestor(thread: string): void {
    const facts = this.#facts;
    facts.replays = true;
    facts.continues = true;
    facts.ownMark = null;
    facts.triggerMark = null;
    if (!facts.parents.includes(thread)) facts.parents = [...facts.parents, thread];
  }

  /** Only the first since the last ancestor's description counts. */
  #markOwn(): void {
    if (this.#facts.replays) this.#facts.ownMark ??= this.#steps.length;
  }

  #turnStarted(payload: Fields): void {
    this.#markOwn();
    this.#turn(textOf(payload['turn_id']), wholeOf(payload['started_at']));
  }

  #turnContext(payload: Fields): void {
    const turn = textOf(payload['turn_id']);
    if (turn !== this.#facts.now.turn) this.#turn(turn, null);
    const model = modelNamed(payload);
    if (model !== null) {
      this.#facts.isModelOfRow = false;
      this.#now({ model });
    }
    this.#facts.project ??= textOf(payload['cwd']);
  }

  #turn(turn: string | null, startedAtSeconds: number | null): void {
    this.#now({ turn, own: isOwnTurn(this.#facts.createdAt, turn, startedAtSeconds) });
  }

  /** What settings leave out stays as it was. A model set here may be for later turns: it stands until a turn tells. */
  #settings(settings: Fields): void {
    const tier = textOf(settings['service_tier'])?.toLowerCase();
    if (tier !== undefined) this.#now({ tier });
    if (this.#facts.now.model === null) this.#now({ model: textOf(settings['model']) });
  }

  /** Where no turn names the model, rows of usage may. */
  get #wantsModel(): boolean {
    return this.#facts.now.model === null || this.#facts.isModelOfRow;
  }

  #modelOfRow(model: string | null): void {
    if (model === null || !this.#wantsModel) return;
    this.#facts.isModelOfRow = true;
    this.#now({ model });
  }

  #now(change: Partial<Context>): void {
    this.#facts.now = { ...this.#facts.now, ...change };
  }

  /** The running total of the thread, and the usage of its last request. */
  #tokenCount(row: Row, reading: CounterReading & Pick<CounterRow, 'model'>): void {
    const { startedAt, continues } = this.#facts;
    const at = timeOf(row.timestamp) ?? startedAt;
    if (at === null) return;
    this.#modelOfRow(reading.model);
    const counted = this.#counters.read(reading, continues);
    if (counted === null) return;
    const total = reading.total && sumOf(reading.total);
    const step: Step = { at, ...counted, total, context: this.#context(row, null), response: null };
    const isPaired = this.#joinPair(step, (other) =>
      other.response !== null && other.total === null ? { ...other, total: step.total } : null,
    );
    if (!isPaired) this.#steps.push(step);
  }

  /** One answer of the provider, named. Most are told of as a total too. */
  #usageRecord(row: Row, payload: Fields): void {
    const at = timeOf(row.timestamp) ?? this.#facts.startedAt;
    const counts = countsOf(payload['usage']);
    const response = textOf(payload['response_id']);
    if (at === null || counts === null || response === null || sumOf(counts) === 0) return;
    this.#modelOfRow(modelNamed(payload));
    const session = textOf(payload['session_id']);
    const context = this.#context(row, session === this.#facts.session ? null : session);
    const step: Step = { at, counts, total: null, context, response };
    const isPaired = this.#joinPair(step, (other) =>
      other.response === null ? { ...step, at: other.at, total: other.total } : null,
    );
    if (!isPaired) this.#steps.push(step);
  }

  /** The other row of the same request, as many tokens in the same turn, becomes one with it. */
  #joinPair(step: Step, join: (other: Step) => Step | null): boolean {
    const facts = { contexts: this.#contexts };
    const { turn } = contextOf(facts, step);
    for (let back = 1; back <= PAIR_STEPS_MAX; back++) {
      const other = this.#steps.at(-back);
      if (other === undefined || contextOf(facts, other).turn !== turn) return false;
      const joined = isSameRequest(step.counts, other.counts) ? join(other) : null;
      if (joined === null) continue;
      this.#steps[this.#steps.length - back] = joined;
      return true;
    }
    return false;
  }

  #context(row: Row, session: string | null): number {
    const { now, ownFrom } = this.#facts;
    const ordinal = wholeOf(row.ordinal);
    const own = ownFrom !== null && ordinal !== null ? ordinal >= ownFrom : now.own;
    const isSameContext = (other: Context) =>
      other.turn === now.turn &&
      other.model === now.model &&
      other.tier === now.tier &&
      other.own === own &&
      other.session === session;
    const known = this.#contexts.findLastIndex(isSameContext);
    return known === -1 ? this.#contexts.push({ ...now, own, session }) - 1 : known;
  }
}

function counterIn(payload: Fields): CounterReading & Pick<CounterRow, 'model'> {
  const info = fieldsOf(payload['info']);
  const last = countsOf(info['last_token_usage']);
  return {
    total: countsOf(info['total_token_usage']),
    last,
    lane: last === null ? textOf(fieldsOf(payload['rate_limits'])['limit_id']) : null,
    model: modelNamed(info, payload),
  };
}
