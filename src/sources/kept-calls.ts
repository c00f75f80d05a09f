import type { LocalCall, LocalSource } from '../core/local-call.ts';
import {
  type Inference,
  NO_TERMS,
  type ServiceTerms,
  type TokenClass,
  type TokenCounts,
  type UseCounts,
} from '../core/usage.ts';
import { asciiJson } from './ascii-json.ts';
import type { CacheOf } from './cache.ts';
import { readChecked, writeChecked } from './checked-file.ts';

/** Goes up whenever the lists below change. */
const FORMAT = 2;
const CALLS_A_LINE = 2_000;
const NO_USES: UseCounts = {};
const OUTPUT: ReadonlySet<string> = new Set<TokenClass>(['output', 'outputAudio', 'outputImage']);

/** What the files of one source came to together. */
export interface KeptCalls {
  readonly calls: readonly LocalCall[];
  /** The session that each file's calls are listed under, in the order of the cache of files. */
  readonly sessionIds: readonly string[];
  readonly doubts: readonly string[];
}

/** Calls as lists, which are quick to read. Texts are kept once, and named by their place. */
interface Columns {
  readonly texts: readonly (string | null)[];
  readonly terms: readonly ServiceTerms[];
  /** Classes of tokens that calls tell of. */
  readonly classes: readonly (readonly TokenClass[])[];
  readonly times: readonly number[];
  /** Of each call: session, project, model, terms, thinking, classes; then a count of each of its classes. */
  readonly numbers: readonly number[];
  /** Calls that are not that plain, with their places. */
  readonly others: readonly (readonly [place: number, call: LocalCall])[];
}

interface Head extends Omit<KeptCalls, 'calls'> {
  /** Of the cache of files that the calls come from. */
  readonly of: number;
}

/** null = none are kept that come from the cache of files with this sum. */
export function readCalls(path: string, of: CacheOf, sum: number): KeptCalls | null {
  const checked = readChecked(path, labelOf(of));
  if (checked === null) return null;
  const [first = '', ...lines] = checked.body.toString('latin1').trimEnd().split('\n');
  const { of: from, ...kept } = JSON.parse(first) as Head;
  if (from !== sum) return null;
  const calls: LocalCall[] = [];
  for (const line of lines) addCalls(calls, of.source, JSON.parse(line) as Columns);
  return { ...kept, calls };
}

export function writeCalls(path: string, of: CacheOf, sum: number, { calls, sessionIds, doubts }: KeptCalls): void {
  const head: Head = { of: sum, sessionIds, doubts };
  const pieces = [`${asciiJson(head)}\n`];
  for (let at = 0; at < calls.length; at += CALLS_A_LINE)
    pieces.push(`${asciiJson(toColumns(calls.slice(at, at + CALLS_A_LINE)))}\n`);
  writeChecked(path, labelOf(of), pieces);
}

function toColumns(calls: readonly LocalCall[]): Columns {
  const texts = new Values<string | null>((text) => (text === null ? '' : `=${text}`));
  const terms = new Values<ServiceTerms>(({ tier, speed, geo }) => `${tier ?? ''} ${speed ?? ''} ${geo ?? ''}`);
  const classes = new Values<TokenClass[]>((names) => names.join(' '));
  const times: number[] = [];
  const numbers: number[] = [];
  const others: [number, LocalCall][] = [];
  calls.forEach((call, place) => {
    const inference = plainInference(call);
    if (inference === null) {
      others.push([place, call]);
      return;
    }
    const { sessionId, project, model, usage } = call;
    const names = Object.keys(inference.tokens) as TokenClass[];
    times.push(call.at);
    numbers.push(texts.of(sessionId), texts.of(project), texts.of(model), terms.of(usage.terms), usage.thinking);
    numbers.push(classes.of(names));
    for (const name of names) numbers.push(inference.tokens[name] ?? 0);
  });
  return { texts: texts.list, terms: terms.list, classes: classes.list, times, numbers, others };
}

function addCalls(calls: LocalCall[], source: LocalSource, columns: Columns): void {
  const { texts, terms, classes, times, numbers, others } = columns;
  const first = calls.length;
  let nextOther = 0;
  let at = 0;
  const number = (): number => numbers[at++] ?? 0;
  const text = (): string | null => texts[number()] ?? null;
  const addOthers = (): void => {
    for (let other = others[nextOther]; other?.[0] === calls.length - first; other = others[++nextOther])
      calls.push(other[1]);
  };
  for (const time of times) {
    addOthers();
    const [sessionId, project, model] = [text() ?? '', text(), text() ?? ''];
    const [ownTerms, thinking] = [terms[number()] ?? NO_TERMS, number()];
    const inference = inferenceOf(classes[number()] ?? [], number);
    const usage = { inferences: [inference], uses: NO_USES, thinking, terms: ownTerms };
    calls.push({ source, sessionId, project, model, at: time, usage });
  }
  addOthers();
}

function inferenceOf(names: readonly TokenClass[], number: () => number): Inference {
  const tokens: TokenCounts = {};
  let promptTokens = 0;
  for (const name of names) {
    const count = number();
    tokens[name] = count;
    if (!OUTPUT.has(name)) promptTokens += count;
  }
  return { model: null, tokens, promptTokens };
}

/** The only inference of a call that has nothing special; null = the call is none. */
function plainInference({ usage, modelAssumed }: LocalCall): Inference | null {
  const [inference, ...more] = usage.inferences;
  if (inference === undefined || more.length > 0 || inference.model !== null || modelAssumed) return null;
  if (Object.keys(usage.uses).length > 0) return null;
  let promptTokens = 0;
  for (const [name, count] of Object.entries(inference.tokens)) if (!OUTPUT.has(name)) promptTokens += count;
  return promptTokens === inference.promptTokens ? inference : null;
}

/** A list of values that are each in it once. */
class Values<Value> {
  readonly list: Value[] = [];
  readonly #places = new Map<string, number>();
  readonly #keyOf: (value: Value) => string;

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf;
  }

  of(value: Value): number {
    const key = this.#keyOf(value);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.list.push(value) - 1;
    this.#places.set(key, place);
    return place;
  }
}

function labelOf({ source, version }: CacheOf): string {
  return `calls ${FORMAT} ${source} ${version}`;
}
