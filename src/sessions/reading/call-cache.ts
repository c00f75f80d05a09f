import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';
import {
  type Inference,
  NO_TERMS,
  NO_USES,
  OUTPUT_CLASSES,
  type ServiceTerms,
  TOKEN_CLASSES,
  type TokenClass,
  type TokenCounts,
} from '../../domain/usage/usage.ts';
import { asciiJson, readChecked, writeChecked } from './checked-file.ts';
import type { CacheId } from './file-cache.ts';

/** Version of the format of head and numbers below. */
const FORMAT = 6;
const NEWLINE = 0x0a;
/** Numbers of a call: its time, indexes of the members below, thinking, total or 0, index of its classes, a count of each. */
const [SESSION, PROJECT, MODEL, TERMS, THINKING, TOTAL, CLASSES, COUNTS] = [1, 2, 3, 4, 5, 6, 7, 8];
const NUMBERS_MAX = COUNTS + TOKEN_CLASSES.length;
const OUTPUT: ReadonlySet<string> = new Set(OUTPUT_CLASSES);

/** Calls of all files of one source. */
export interface CachedCalls {
  readonly calls: readonly LocalCall[];
  /** Session of each file's calls, in the order of the file cache. */
  readonly sessionIds: readonly string[];
  readonly warnings: readonly string[];
}

/** Head of the cache, a line of JSON. The numbers of the calls follow as 64-bit floats in this machine's byte order. */
interface CallsHead extends Omit<CachedCalls, 'calls'> {
  /** Checksum of the file cache that the calls come from. */
  readonly of: number;
  /** Distinct texts, terms and classes, to which the numbers refer by index. */
  readonly texts: readonly (string | null)[];
  readonly terms: readonly ServiceTerms[];
  readonly classes: readonly (readonly TokenClass[])[];
  /** Calls that do not fit the number format, with their index. */
  readonly others: readonly (readonly [place: number, call: LocalCall])[];
}

/** Reads the calls cached for the file cache with this checksum; null = none. */
export function readCachedCalls(path: string, of: CacheId, sum: number): CachedCalls | null {
  const checked = readChecked(path, callsLabel(of));
  if (checked === null) return null;
  const { body } = checked;
  const start = body.indexOf(NEWLINE) + 1;
  const head = JSON.parse(body.toString('latin1', 0, start)) as CallsHead;
  if (head.of !== sum) return null;
  const numbers = new Float64Array((body.length - start) / Float64Array.BYTES_PER_ELEMENT);
  body.copy(new Uint8Array(numbers.buffer), 0, start);
  return { calls: decodeCalls(head, numbers, of.source), sessionIds: head.sessionIds, warnings: head.warnings };
}

export function writeCachedCalls(path: string, of: CacheId, sum: number, { calls, ...kept }: CachedCalls): void {
  const texts = new DistinctValues<string | null>((text) => (text === null ? '' : `=${text}`));
  const terms = new DistinctValues<ServiceTerms>(({ tier, speed, geo }) => `${tier ?? ''} ${speed ?? ''} ${geo ?? ''}`);
  const classes = new ClassLists();
  const others: [number, LocalCall][] = [];
  const numbers = new Float64Array(calls.length * NUMBERS_MAX);
  let end = 0;
  calls.forEach((call, place) => {
    const inference = plainInference(call);
    if (inference === null) {
      others.push([place, call]);
      return;
    }
    const { at, sessionId, project, model, total, usage } = call;
    numbers[end++] = at;
    numbers[end++] = texts.of(sessionId);
    numbers[end++] = texts.of(project);
    numbers[end++] = texts.of(model);
    numbers[end++] = terms.of(usage.terms);
    numbers[end++] = usage.thinking;
    numbers[end++] = total ?? 0;
    numbers[end++] = classes.of(inference.tokens);
    for (const name in inference.tokens) numbers[end++] = inference.tokens[name as TokenClass] ?? 0;
  });
  const head: CallsHead = { of: sum, ...kept, texts: texts.list, terms: terms.list, classes: classes.list, others };
  const bytes = new Uint8Array(numbers.buffer, 0, end * Float64Array.BYTES_PER_ELEMENT);
  writeChecked(path, callsLabel(of), [`${asciiJson(head)}\n`, bytes]);
}

function decodeCalls(
  { texts, terms, classes, others }: CallsHead,
  numbers: Float64Array,
  source: LocalSource,
): LocalCall[] {
  const calls: LocalCall[] = [];
  const text = (from: number): string | null => texts[numbers[from] ?? 0] ?? null;
  let nextOther = 0;
  const addOthers = (): void => {
    for (let other = others[nextOther]; other?.[0] === calls.length; other = others[++nextOther]) calls.push(other[1]);
  };
  addOthers();
  for (let from = 0; from < numbers.length;) {
    const names = classes[numbers[from + CLASSES] ?? 0] ?? [];
    const total = numbers[from + TOTAL] ?? 0;
    const call: LocalCall = {
      source,
      sessionId: text(from + SESSION) ?? '',
      project: text(from + PROJECT),
      model: text(from + MODEL) ?? '',
      at: numbers[from] ?? 0,
      usage: {
        inferences: [decodeInference(names, numbers, from + COUNTS)],
        uses: NO_USES,
        thinking: numbers[from + THINKING] ?? 0,
        terms: terms[numbers[from + TERMS] ?? 0] ?? NO_TERMS,
      },
    };
    calls.push(total === 0 ? call : { ...call, total });
    from += COUNTS + names.length;
    addOthers();
  }
  return calls;
}

function decodeInference(names: readonly TokenClass[], numbers: Float64Array, from: number): Inference {
  const tokens: TokenCounts = {};
  let promptTokens = 0;
  names.forEach((name, place) => {
    const count = numbers[from + place] ?? 0;
    tokens[name] = count;
    if (!OUTPUT.has(name)) promptTokens += count;
  });
  return { model: null, tokens, promptTokens };
}

/** Returns the only inference of a call that fits the number format; null = it does not fit. */
function plainInference({ usage, modelAssumed, copied }: LocalCall): Inference | null {
  const inference = usage.inferences[0];
  if (inference === undefined || usage.inferences.length > 1 || inference.model !== null || modelAssumed || copied)
    return null;
  if (usage.uses !== NO_USES && Object.keys(usage.uses).length > 0) return null;
  return sumPromptTokens(inference.tokens) === inference.promptTokens ? inference : null;
}

function sumPromptTokens(tokens: TokenCounts): number {
  let sum = 0;
  for (const name in tokens) if (!OUTPUT.has(name)) sum += tokens[name as TokenClass] ?? 0;
  return sum;
}

/** Distinct lists of classes. Nearly all calls have the same classes as the previous one. */
class ClassLists {
  readonly list: TokenClass[][] = [];
  #last = 0;

  of(tokens: TokenCounts): number {
    if (!this.#isAt(this.#last, tokens)) {
      this.#last = this.list.findIndex((_, place) => this.#isAt(place, tokens));
      if (this.#last === -1) this.#last = this.list.push(Object.keys(tokens) as TokenClass[]) - 1;
    }
    return this.#last;
  }

  #isAt(place: number, tokens: TokenCounts): boolean {
    const names = this.list[place];
    let count = 0;
    for (const name in tokens) if (names?.[count++] !== name) return false;
    return count === names?.length;
  }
}

/** A list of distinct values. */
class DistinctValues<Value> {
  readonly list: Value[] = [];
  readonly #places = new Map<Value, number>();
  readonly #byKey = new Map<string, number>();
  readonly #keyOf: (value: Value) => string;
  /** Consecutive calls have nearly all values in common. */
  #last: { readonly value: Value; readonly place: number } | null = null;

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf;
  }

  of(value: Value): number {
    if (this.#last === null || this.#last.value !== value) this.#last = { value, place: this.#placeOf(value) };
    return this.#last.place;
  }

  #placeOf(value: Value): number {
    let place = this.#places.get(value);
    if (place !== undefined) return place;
    const key = this.#keyOf(value);
    place = this.#byKey.get(key) ?? this.list.push(value) - 1;
    this.#byKey.set(key, place);
    this.#places.set(value, place);
    return place;
  }
}

function callsLabel({ source, version }: CacheId): string {
  return `calls ${FORMAT} ${source} ${version}`;
}
