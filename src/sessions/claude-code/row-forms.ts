import { deriveForms, type MemberAsks } from '../../lib/json/form.ts';
import { contentEnd } from './content.ts';
import { asTime } from '../../lib/json/values.ts';
import { NO_MODEL, UNKNOWN_MODEL, type UsageRow } from './rows.ts';
import { COUNT_MAX, sumPass, toPass } from './usage.ts';

const CONTENT = '"content":[';
const RETURN = 0x0d;
/** Bytes before the content of a message, and after it. */
const BEGIN_MAX = 768;
const END_MAX = 4_096;
/** One version of Claude Code writes a few forms. */
const FORMS_MAX = 12;
/** V8 copies shorter texts anyway. */
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
  // Other values of these change the meaning of a row, so a form matches only the value that it was learned from.
  ['.type', 'same'],
  ['.isApiErrorMessage', 'same'],
  ['.forkedFrom', 'same'],
  ['.requestSessionId', 'same'],
  ['.data', 'same'],
  ['.data.type', 'same'],
  ['.message', 'same'],
  ['.message.usage', 'same'],
  ['.message.role', 'same'],
  ['.message.usage.server_tool_use.web_search_requests', 'same'],
  ['.message.usage.server_tool_use.web_fetch_requests', 'same'],
  ['.message.usage.iterations', 'same'],
  ['.message.usage.iterations.type', 'same'],
]);
const PATHS = [...ASKS.keys()];

/** Patterns of a row's text before and after the content of its message. */
interface RowForm {
  readonly begin: RegExp;
  readonly end: RegExp;
  /** Group of each member in `begin`; below 0, in `end`; 0 = the form lacks the member. */
  readonly groups: readonly number[];
}

interface FormMatch extends Pick<RowForm, 'groups'> {
  readonly begin: RegExpExecArray;
  readonly end: RegExpExecArray;
}

/**
 * Reads rows by patterns learned from parsed rows, without parsing them. Claude Code writes nearly all rows in a few
 * forms. Rows of any other form are left to the parser.
 */
export class RowForms {
  /** The form that matched last comes first. */
  readonly #forms: RowForm[] = [];
  /** Last text of each member, to reuse equal ones. The text of a match would keep the whole row in memory. */
  readonly #texts: string[] = [];
  readonly #copy = Buffer.allocUnsafeSlow(TEXT_MAX);

  /** Returns the row without its folder; null = no form matches. */
  read(bytes: Buffer, start: number, end: number): UsageRow | null {
    const to = endOfRow(bytes, end);
    const begin = readBegin(bytes, start, to);
    for (let place = 0, form = this.#forms[0]; form !== undefined; form = this.#forms[++place]) {
      const row = this.#readBy(form, begin, bytes, start, to);
      if (row === null) continue;
      if (place > 0) this.#putFirst(place, form);
      return row;
    }
    return null;
  }

  /** Learns the form of a parsed row, if the form reads this row as the parser does. */
  learn(row: UsageRow, bytes: Buffer, start: number, end: number): void {
    if (this.#forms.length >= FORMS_MAX) return;
    const to = endOfRow(bytes, end);
    const text = readBegin(bytes, start, to);
    const length = text.indexOf(CONTENT) + CONTENT.length;
    const rest = length < CONTENT.length ? null : readEnd(bytes, start + length, to);
    const [begin, last] = (rest === null ? null : deriveForms([text.slice(0, length), rest], ASKS)) ?? [];
    if (!begin || !last) return;
    const groups = PATHS.map((path) => begin.groups.get(path) ?? -(last.groups.get(path) ?? 0));
    const form = { begin: begin.pattern, end: last.pattern, groups };
    const again = this.#readBy(form, text, bytes, start, to);
    if (JSON.stringify(again) === JSON.stringify({ ...row, cwd: null })) this.#forms.push(form);
  }

  #putFirst(place: number, form: RowForm): void {
    const first = this.#forms[0];
    if (first !== undefined) this.#forms[place] = first;
    this.#forms[0] = form;
  }

  #readBy(form: RowForm, text: string, bytes: Buffer, start: number, to: number): UsageRow | null {
    const begin = form.begin.exec(text);
    const rest = begin === null ? null : readEnd(bytes, start + begin[0].length, to);
    const end = rest === null ? null : form.end.exec(rest);
    return begin === null || end === null ? null : this.#row({ begin, end, groups: form.groups });
  }

  #row(match: FormMatch): UsageRow | null {
    const id = this.#text(match, ID);
    const model = this.#text(match, MODEL) ?? UNKNOWN_MODEL;
    const input = groupCount(match, INPUT);
    const written = groupCount(match, WRITTEN);
    const [short, long] = [groupCount(match, SHORT), groupCount(match, LONG)];
    const pass = toPass(null, input, groupCount(match, OUTPUT), groupCount(match, READ), written, short, long);
    const thinking = groupCount(match, THINKING);
    if (id === null || model === NO_MODEL || sumPass(pass) + thinking > COUNT_MAX) return null;
    return {
      id,
      requestId: this.#text(match, REQUEST),
      sessionId: this.#text(match, SESSION),
      asked: false,
      cwd: null,
      model,
      at: asTime(groupText(match, TIME)),
      stopReason: this.#text(match, STOP),
      sidechain: groupText(match, SIDECHAIN) !== undefined,
      progress: false,
      forked: false,
      usage: { pass, thinking, more: undefined },
      terms: [this.#word(match, TIER), this.#word(match, SPEED), this.#word(match, GEO)],
    };
  }

  #word(match: FormMatch, member: number): string | null {
    return this.#text(match, member)?.toLowerCase() ?? null;
  }

  #text(match: FormMatch, member: number): string | null {
    const text = groupText(match, member);
    if (text === undefined || text === '') return null;
    const last = this.#texts[member];
    return text === last ? last : (this.#texts[member] = this.#copyText(text));
  }

  #copyText(text: string): string {
    if (text.length <= SHORT_TEXT_MAX) return text;
    if (text.length > TEXT_MAX) return Buffer.from(text, 'latin1').toString('latin1');
    return this.#copy.toString('latin1', 0, this.#copy.write(text, 'latin1'));
  }
}

function endOfRow(bytes: Buffer, end: number): number {
  return bytes[end - 1] === RETURN ? end - 1 : end;
}

function readBegin(bytes: Buffer, start: number, to: number): string {
  return bytes.toString('latin1', start, Math.min(to, start + BEGIN_MAX));
}

/** Returns the text after the content that starts at `from`; null = it does not have the expected form. */
function readEnd(bytes: Buffer, from: number, to: number): string | null {
  const at = contentEnd(bytes, from - 1, to);
  return at === -1 || to - at > END_MAX ? null : bytes.toString('latin1', at, to);
}

function groupText({ begin, end, groups }: FormMatch, member: number): string | undefined {
  const group = groups[member] ?? 0;
  return group > 0 ? begin[group] : group < 0 ? end[-group] : undefined;
}

function groupCount(match: FormMatch, member: number): number {
  return Number(groupText(match, member) ?? 0);
}
