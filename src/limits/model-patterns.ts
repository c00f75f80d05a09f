import { compilePattern, mayMean, restrictedSpellings } from '../domain/policy/model-pattern.ts';
import { changeList } from './list-map.ts';

/** Names of a call's model. */
export interface ModelNames {
  readonly model: string;
  readonly pricedModel: string | null;
}

/** Cached models: most calls ask for few models. */
const REMEMBERED_MAX = 1_000;

interface WildcardPattern<T> {
  readonly matches: (name: string) => boolean;
  readonly items: T[];
}

/**
 * Items by pattern of model names. Exact names and prefixes (`claude-opus-*`), which nearly all patterns are, are
 * found by look-up, so their number does not matter. Only the others are tried one by one.
 */
export class ModelPatterns<T> {
  readonly #names = new Map<string, T[]>();
  readonly #prefixes = new Map<string, T[]>();
  readonly #patterns = new Map<string, WildcardPattern<T>>();
  /** Number of prefixes of each length. */
  readonly #lengths = new Map<number, number>();
  readonly #remembered = new Map<string, { readonly pricedModel: string | null; readonly items: readonly T[] }>();

  get size(): number {
    return this.#names.size + this.#prefixes.size + this.#patterns.size;
  }

  /** Changes the items of a pattern. A pattern without items is dropped. */
  change(written: string, act: (items: T[]) => void): void {
    this.#remembered.clear();
    const text = written.trim().toLowerCase();
    const star = text.indexOf('*');
    if (star < 0) changeList(this.#names, text, act);
    else if (star === text.length - 1) this.#changePrefix(text.slice(0, -1), act);
    else this.#changePattern(text, act);
  }

  find({ model, pricedModel }: ModelNames): readonly T[] {
    const known = this.#remembered.get(model);
    if (known?.pricedModel === pricedModel) return known.items;
    const items = new Set<T>();
    for (const name of restrictedSpellings(model, pricedModel)) this.#findName(name, items);
    this.#findByAlias(model, items);
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    const found = [...items];
    this.#remembered.set(model, { pricedModel, items: found });
    return found;
  }

  /** Items of all patterns. */
  *all(): Generator<T> {
    for (const items of this.#names.values()) yield* items;
    for (const items of this.#prefixes.values()) yield* items;
    for (const { items } of this.#patterns.values()) yield* items;
  }

  #findName(name: string, found: Set<T>): void {
    addItems(found, this.#names.get(name));
    for (const length of this.#lengths.keys())
      if (length <= name.length) addItems(found, this.#prefixes.get(name.slice(0, length)));
    for (const { matches, items } of this.#patterns.values()) if (matches(name)) addItems(found, items);
  }

  #findByAlias(model: string, found: Set<T>): void {
    for (const [text, items] of this.#names) if (mayMean(model, text)) addItems(found, items);
    for (const [text, items] of this.#prefixes) if (mayMean(model, text)) addItems(found, items);
    for (const [text, { items }] of this.#patterns) if (mayMean(model, text)) addItems(found, items);
  }

  #changePrefix(prefix: string, act: (items: T[]) => void): void {
    const before = this.#prefixes.size;
    changeList(this.#prefixes, prefix, act);
    const count = (this.#lengths.get(prefix.length) ?? 0) + this.#prefixes.size - before;
    if (count > 0) this.#lengths.set(prefix.length, count);
    else this.#lengths.delete(prefix.length);
  }

  #changePattern(text: string, act: (items: T[]) => void): void {
    const pattern = this.#patterns.get(text) ?? { matches: compilePattern(text), items: [] };
    act(pattern.items);
    if (pattern.items.length > 0) this.#patterns.set(text, pattern);
    else this.#patterns.delete(text);
  }
}

function addItems<T>(found: Set<T>, items: readonly T[] | undefined): void {
  if (items) for (const item of items) found.add(item);
}
