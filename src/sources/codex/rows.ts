/** A row of a rollout: the fields that are looked at, none of them sure. */
export interface Row {
  readonly timestamp?: unknown;
  readonly ordinal?: unknown;
  readonly type?: unknown;
  readonly payload?: unknown;
}

/** Longer than any head of a row. */
const HEAD_BYTES = 192;
/** Longer than a counter's row up to where its limits begin. */
const COUNTER_BYTES = 768;
/** As Codex writes rows: type first, then the payload, whose own type is first. */
const HEAD = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(?<type>\w+)",("payload":\{"type":"(?<event>\w+)")?/;
const KINDS: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'token_usage_record',
  'inter_agent_communication_metadata',
]);
const EVENTS: ReadonlySet<string> = new Set(['token_count', 'task_started', 'thread_settings_applied']);
/** What a row of interest has somewhere, however it is written. */
const MARKS = [...KINDS, ...EVENTS];
/** The row that there are most of, as Codex writes it. What else is in it need not be parsed. */
const COUNTER =
  /^\{"timestamp":"(?<timestamp>[^"]*)",(?:"ordinal":(?<ordinal>\d+),)?"type":"event_msg","payload":\{"type":"token_count","info":(?<info>\{"total_token_usage":\{[^{}]*\},"last_token_usage":\{[^{}]*\})/;

/** Whether a row may tell of usage, judged by its first bytes; null = they don't say. */
export function isOfInterest(bytes: Buffer, start: number, end: number): boolean | null {
  const head = HEAD.exec(bytes.toString('latin1', start, Math.min(end, start + HEAD_BYTES)))?.groups;
  const type = head?.['type'];
  if (type === undefined) return null;
  if (type !== 'event_msg') return KINDS.has(type);
  const event = head?.['event'];
  return event === undefined ? null : EVENTS.has(event);
}

/** Reads one line, if it may tell of usage. A torn line is none. */
export function readRow(bytes: Buffer, start: number, end: number): Row | null {
  const wanted = isOfInterest(bytes, start, end);
  if (wanted === false) return null;
  if (wanted === null && !hasMark(bytes.subarray(start, end))) return null;
  try {
    if (wanted === true) {
      const counter = COUNTER.exec(bytes.toString('latin1', start, Math.min(end, start + COUNTER_BYTES)))?.groups;
      if (counter) return counterRow(counter);
    }
    const row: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return typeof row === 'object' && row !== null ? row : null;
  } catch {
    return null;
  }
}

function counterRow({ timestamp, ordinal, info = '' }: Readonly<Record<string, string | undefined>>): Row {
  const payload = { type: 'token_count', info: JSON.parse(`${info}}`) as unknown };
  return { timestamp, ordinal: ordinal === undefined ? null : Number(ordinal), type: 'event_msg', payload };
}

function hasMark(line: Buffer): boolean {
  return MARKS.some((mark) => line.includes(mark));
}

/** The fields of an object; nothing else has any. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function wholeOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** Epoch ms. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
