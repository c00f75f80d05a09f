import type { Json } from './json-tree.ts';

/** Stands for what no reader is known to understand, and which might mean anything. */
export const ANYTHING = Symbol('anything');
export type Word = string | typeof ANYTHING;

/** `NULL`, absent and false say that a feature is not used. */
export function isUsed(value: Json): boolean {
  return !(value.kind === 'scalar' && (value.value === null || value.value === false));
}

/** All values that some reader finds under a name: one without regard to case or underscores, first or last of several. */
export function at(from: readonly Json[], ...path: readonly string[]): Json[] {
  let values = [...from];
  for (const name of path) values = values.flatMap((value) => inside(value, name));
  return values;
}

function inside(value: Json, name: string): Json[] {
  if (value.kind === 'list') return value.items.flatMap((item) => inside(item, name));
  if (value.kind === 'scalar') return [];
  return value.members.filter(([other]) => folded(other) === folded(name)).map(([, inner]) => inner);
}

export function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll('_', '');
}

export function used(from: readonly Json[], ...path: readonly string[]): boolean {
  return at(from, ...path).some(isUsed);
}

/** The objects in a value, however deep its lists are. */
export function objects(values: readonly Json[]): Json[] {
  return values.flatMap((value) =>
    value.kind === 'object' ? [value] : value.kind === 'list' ? objects(value.items) : [],
  );
}

/** The words that readers may see: trimmed, in lower case, of an enum by its number. */
export function words(values: readonly Json[], numbered: readonly string[] = []): Word[] {
  return values.flatMap((value): Word[] => {
    if (value.kind === 'list') return words(value.items, numbered);
    if (value.kind === 'object') return [ANYTHING];
    return value.value === null ? [] : [wordOf(value.value, numbered)];
  });
}

function wordOf(value: string | number | boolean, numbered: readonly string[]): Word {
  if (typeof value === 'boolean') return ANYTHING;
  const word = String(value).trim().toLowerCase();
  if (!/^\d+$/.test(word)) return word === '' ? ANYTHING : word;
  return numbered[Number(word)] ?? ANYTHING;
}

/** A whole number that readers may see; null = none, or one that the provider takes for unset. */
export function counts(values: readonly Json[]): (number | null)[] {
  return values.flatMap((value): (number | null)[] => {
    if (value.kind === 'list') return value.items.length === 1 ? counts(value.items) : [null];
    if (value.kind === 'object' || typeof value.value === 'boolean') return [null];
    const number = value.value === null ? NaN : Math.trunc(Number(String(value.value).trim() || NaN));
    return [number >= 0 && Number.isSafeInteger(number) ? number : null];
  });
}

/** UTF-8 bytes of all texts and names: no tokenizer makes more tokens of them. */
export function textBytes(values: readonly Json[]): number {
  let bytes = 0;
  for (const value of values)
    if (value.kind === 'list') bytes += textBytes(value.items);
    else if (value.kind === 'scalar') bytes += typeof value.value === 'string' ? Buffer.byteLength(value.value) : 0;
    else for (const [name, inner] of value.members) bytes += Buffer.byteLength(name) + textBytes([inner]);
  return bytes;
}

/** Every member of that name, wherever it stands. */
export function anywhere(values: readonly Json[], name: string): Json[] {
  return values.flatMap((value) => {
    if (value.kind === 'scalar') return [];
    if (value.kind === 'list') return anywhere(value.items, name);
    return value.members.flatMap(([other, inner]) =>
      folded(other) === folded(name) ? [inner] : anywhere([inner], name),
    );
  });
}
