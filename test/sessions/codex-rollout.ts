/** Tokens of one request, as Codex logs them: cached and written ones inside the input, thinking inside the output. */
export interface CodexUsage {
  readonly input: number;
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
  readonly thinking?: number;
}

export const NO_USAGE: CodexUsage = { input: 0, output: 0 };

type Fields = Readonly<Record<string, unknown>>;

export interface RolloutStart {
  readonly thread: string;
  /** Epoch ms of the first row. */
  readonly at: number;
  /** More fields of the file's own description. */
  readonly meta?: Fields;
  /** The running total that the file begins with. */
  readonly total?: CodexUsage;
  /** Its first row is not its own description. */
  readonly bare?: boolean;
}

/** Writes the rows of one rollout, with the running total and a clock. */
export class RolloutDraft {
  readonly thread: string;
  readonly rows: string[] = [];
  /** Characters so far. */
  size = 0;
  at: number;
  total: CodexUsage;
  /** The limit that counters report on. */
  lane: string | null = 'codex';
  #turn: string | null = null;
  #ordinal = 0;
  #last: CodexUsage = NO_USAGE;

  constructor({ thread, at, meta, total, bare }: RolloutStart) {
    this.thread = thread;
    this.at = at;
    this.total = total ?? NO_USAGE;
    if (!bare) this.describe(thread, meta);
  }

  get text(): string {
    return this.rows.map((row) => `${row}\n`).join('');
  }

  row(type: string, payload: Fields): this {
    const row = JSON.stringify({ timestamp: new Date(this.at).toISOString(), ordinal: this.#ordinal++, type, payload });
    this.rows.push(row);
    this.size += row.length + 1;
    return this;
  }

  event(type: string, payload: Fields): this {
    return this.row('event_msg', { type, ...payload });
  }

  wait(ms: number): this {
    this.at += ms;
    return this;
  }

  /** The row that says whose rollout this is; of another thread: that its rows follow. */
  describe(thread: string, meta: Fields = {}): this {
    const timestamp = new Date(this.at).toISOString();
    const own = {
      id: thread,
      timestamp,
      cwd: '/w/shop',
      originator: 'codex_exec',
      cli_version: '0.169.0',
      source: 'exec',
    };
    return this.row('session_meta', { ...own, model_provider: 'openai', base_instructions: { text: '' }, ...meta });
  }

  turn(turn: string | null, model: string | null = 'gpt-5.6-sol'): this {
    this.#turn = turn;
    const id = turn === null ? {} : { turn_id: turn };
    this.event('task_started', { ...id, model_context_window: 258_400 });
    return model === null ? this : this.row('turn_context', { ...id, cwd: '/w/shop', model, summary: 'none' });
  }

  settings(fields: Fields): this {
    return this.event('thread_settings_applied', { thread_settings: fields });
  }

  /** One answered request, as the counter tells of it. */
  count(usage: CodexUsage): this {
    this.total = added(this.total, usage);
    this.#last = usage;
    return this.tell();
  }

  /** The counter as it is. */
  tell(last: CodexUsage | null = this.#last, fields: { info?: Fields; payload?: Fields } = {}): this {
    const info = {
      total_token_usage: usageRow(this.total),
      ...(last && { last_token_usage: usageRow(last) }),
      model_context_window: 258_400,
      ...fields.info,
    };
    const limits = { ...(this.lane && { limit_id: this.lane }), plan_type: null };
    return this.event('token_count', { info, rate_limits: limits, ...fields.payload });
  }

  /** A counter of its own, which one limit has. */
  tellLane(lane: string, total: CodexUsage, last: CodexUsage | null): this {
    [this.lane, this.total] = [lane, total];
    return this.tell(last);
  }

  /** One answered request by its id. The counter is left alone. */
  record(response: string, usage: CodexUsage, fields: Fields = {}): this {
    return this.row('token_usage_record', {
      thread_id: this.thread,
      turn_id: this.#turn,
      session_id: this.thread,
      response_id: response,
      usage: usageRow(usage),
      turn_token_usage: usageRow(usage),
      thread_token_usage: usageRow(added(this.total, usage)),
      ...fields,
    });
  }

  /** Repeats rows of another rollout, all with the present time, as forks do. */
  replay(rows: readonly string[], gapMs = 0): this {
    for (const row of rows) {
      const parsed = JSON.parse(row) as { type: string; payload: Fields };
      this.row(parsed.type, parsed.payload).wait(gapMs);
    }
    return this;
  }
}

function added(a: CodexUsage, b: CodexUsage): CodexUsage {
  return {
    input: a.input + b.input,
    cached: (a.cached ?? 0) + (b.cached ?? 0),
    written: (a.written ?? 0) + (b.written ?? 0),
    output: a.output + b.output,
    thinking: (a.thinking ?? 0) + (b.thinking ?? 0),
  };
}

export function usageRow({ input, cached = 0, written = 0, output, thinking = 0 }: CodexUsage): Fields {
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    cache_write_input_tokens: written,
    output_tokens: output,
    reasoning_output_tokens: thinking,
    total_tokens: input + output,
  };
}

/** An id whose first digits are its time, as Codex makes them for threads and turns. */
export function timedId(at: number, tail: string): string {
  const digits = at.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${tail.padStart(12, '0')}`;
}
