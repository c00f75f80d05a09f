import { type MemberAsks, deriveForms } from '../../lib/json/form.ts';
import { contentEnd } from './content.ts';
import { asTime } from './fields.ts';
import { TranscriptRowWalk } from './row-walk.ts';
import { NO_MODEL, UNKNOWN_MODEL, type UsageRow } from './rows.ts';
import { COUNT_MAX, toPass, sumPass } from './usage.ts';

const CONTENT = '"content":[';
const RETURN = 0x0d;
const QUOTE = '"';
/** Bytes in front of what was said, and behind it. */
const BEGIN_MAX = 768;
const END_MAX = 4_096;
/** One version of Claude Code writes some. */
const FORMS_MAX = 12;
/** Shorter texts are copies in any case. */
const SHORT_TEXT_MAX = 12;
const TEXT_MAX = 256;

const [TIME, REQUEST, SESSION, SIDECHAIN, ID, MODEL, STOP] = [0, 1, 2, 3, 4, 5, 6];
const [INPUT, OUTPUT, READ, WRITTEN, SHORT, LONG, THINKING, TIER, SPEED, GEO] = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const ASKS: MemberAsks = new Map([
  ['.timestamp', 'text'],
  ['.requestId', 'text'],
  ['.sessionId', 'text'],
  ['.isSidechain', 'truth'],
  ['.message.id', 'text'],
  ['.message.model', 'text'],
  ['.message.stop_reason', 'text'],
  ['.message.usage.input_tokens', 'count'],
  ['.message.usage.output_tokens', 'count'],
  ['.message.usage.cache_read_input_tokens', 'count'],
  ['.message.usage.cache_creation_input_tokens', 'count'],
  ['.message.usage.cache_creation.ephemeral_5m_input_tokens', 'count'],
  ['.message.usage.cache_creation.ephemeral_1h_input_tokens', 'count'],
  ['.message.usage.output_tokens_details.thinking_tokens', 'count'],
  ['.message.usage.service_tier', 'text'],
  ['.message.usage.speed', 'text'],
  ['.message.usage.inference_geo', 'text'],
  // In a row that is walked through these are so that they tell nothing more.
  ['.type', 'same'],
  ['.message.role', 'same'],
  ['.message.usage.server_tool_use.web_search_requests', 'same'],
  ['.message.usage.server_tool_use.web_fetch_requests', 'same'],
  ['.message.usage.iterations.type', 'same'],
]);
const PATHS = [...ASKS.keys()];

/** How rows look until what was said, and behind it. */
interface RowForm {
  readonly begin: RegExp;
  /** null = such rows tell of no usage, as their begin shows. */
  readonly end: RegExp | null;
  /** Of each member that is asked for, its group in the begin; below 0, in the end; 0 = in none. */
  readonly groups: readonly number[];
}

interface Found extends Pick<RowForm, 'groups'> {
  readonly begin: RegExpExecArray;
  readonly end: RegExpExecArray;
}

/**
 * Reads rows by the forms of rows that were walked through: Claude Code writes nearly all in a few. A pattern takes two
 * thirds of the time, and is fast at once. What has another form is walked through.
 */
export class RowForms {
  readonly #walk = new TranscriptRowWalk();
  /** The one that fitted last comes first. */
  readonly #forms: RowForm[] = [];
  /** The last text of each member is known again. What a pattern finds would hold all that it was found in. */
  readonly #texts: string[] = [];
  readonly #copy = Buffer.allocUnsafeSlow(TEXT_MAX);

  /** As `RowWalk` reads it. */
  read(bytes: Buffer, start: number, end: number, wantsFolder: boolean): UsageRow | null | undefined {
    const to = bytes[end - 1] === RETURN ? end - 1 : end;
    const begin = bytes.toString('latin1', start, Math.min(to, start + BEGIN_MAX));
    for (let place = 0, form = this.#forms[0]; form !== undefined; form = this.#forms[++place]) {
      const row = wantsFolder && form.end !== null ? undefined : this.#readBy(form, begin, bytes, start, to);
      if (row === undefined) continue;
      if (place > 0) this.#putFirst(place, form);
      return row;
    }
    const row = this.#walk.read(bytes, start, end, wantsFolder);
    if (row !== undefined && this.#forms.length < FORMS_MAX) {
      if (row === null) this.#learnOther(begin.slice(0, this.#walk.at - start));
      else if (!wantsFolder) this.#learnUsage(row, begin, bytes, start, to);
    }
    return row;
  }

  #putFirst(place: number, form: RowForm): void {
    const first = this.#forms[0];
    if (first !== undefined) this.#forms[place] = first;
    this.#forms[0] = form;
  }

  /** undefined = it has another form. */
  #readBy(form: RowForm, text: string, bytes: Buffer, start: number, to: number): UsageRow | null | undefined {
    const begin = form.begin.exec(text);
    if (begin === null) return undefined;
    if (form.end === null) return null;
    const rest = endOf(bytes, start + begin[0].length, to);
    const end = rest === null ? null : form.end.exec(rest);
    return end === null ? undefined : this.#row({ begin, end, groups: form.groups });
  }

  #learnUsage(row: UsageRow, text: string, bytes: Buffer, start: number, to: number): void {
    const length = text.indexOf(CONTENT) + CONTENT.length;
    const rest = length < CONTENT.length ? null : endOf(bytes, start + length, to);
    const [begin, end] = (rest === null ? null : deriveForms([text.slice(0, length), rest], ASKS)) ?? [];
    if (!begin || !end) return;
    const groups = PATHS.map((path) => begin.groups.get(path) ?? -(end.groups.get(path) ?? 0));
    const form = { begin: begin.pattern, end: end.pattern, groups };
    const again = this.#readBy(form, text, bytes, start, to);
    if (JSON.stringify(again) === JSON.stringify(row)) this.#forms.push(form);
  }

  /** A word showed that the row tells of no usage: the last that was looked at. */
  #learnOther(text: string): void {
    const [begin] = (text.endsWith(QUOTE) && text.length < BEGIN_MAX ? deriveForms([text], ASKS) : null) ?? [];
    if (begin?.pattern.test(text)) this.#forms.push({ begin: begin.pattern, end: null, groups: [] });
  }

  #row(found: Found): UsageRow | undefined {
    const id = this.#text(found, ID);
    const model = this.#text(found, MODEL) ?? UNKNOWN_MODEL;
    const input = count(found, INPUT);
    const written = count(found, WRITTEN);
    const [short, long] = [count(found, SHORT), count(found, LONG)];
    const pass = toPass(null, input, count(found, OUTPUT), count(found, READ), written, short, long);
    const thinking = count(found, THINKING);
    if (id === null || model === NO_MODEL || sumPass(pass) + thinking > COUNT_MAX) return undefined;
    return {
      id,
      requestId: this.#text(found, REQUEST),
      sessionId: this.#text(found, SESSION),
      asked: false,
      cwd: null,
      model,
      at: asTime(textOf(found, TIME)),
      stopReason: this.#text(found, STOP),
      sidechain: textOf(found, SIDECHAIN) !== undefined,
      progress: false,
      forked: false,
      usage: { pass, thinking, more: undefined },
      terms: [this.#word(found, TIER), this.#word(found, SPEED), this.#word(found, GEO)],
    };
  }

  #word(found: Found, member: number): string | null {
    return this.#text(found, member)?.toLowerCase() ?? null;
  }

  #text(found: Found, member: number): string | null {
    const text = textOf(found, member);
    if (text === undefined || text === '') return null;
    const last = this.#texts[member];
    return text === last ? last : (this.#texts[member] = this.#copyOf(text));
  }

  #copyOf(text: string): string {
    if (text.length <= SHORT_TEXT_MAX) return text;
    if (text.length > TEXT_MAX) return Buffer.from(text, 'latin1').toString('latin1');
    return this.#copy.toString('latin1', 0, this.#copy.write(text, 'latin1'));
  }
}

/** What follows what was said, which begins at `from`; null = it is not as expected. */
function endOf(bytes: Buffer, from: number, to: number): string | null {
  const at = contentEnd(bytes, from - 1, to);
  return at === -1 || to - at > END_MAX ? null : bytes.toString('latin1', at, to);
}

function textOf({ begin, end, groups }: Found, member: number): string | undefined {
  const group = groups[member] ?? 0;
  return group > 0 ? begin[group] : group < 0 ? end[-group] : undefined;
}

function count(found: Found, member: number): number {
  return Number(textOf(found, member) ?? 0);
}
