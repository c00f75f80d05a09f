import { OTHER_VALUES } from './stack.ts';

/** Colors of theme.css: `--series-1` and so on. */
const SERIES_COLORS = 8;
const OTHER_COLOR = '--series-other';

const MEMORY_KEY = 'tollbook-colors';
/** Names whose color this browser remembers; the oldest are forgotten first. */
const REMEMBERED_MAX = 500;

/** Colors by name; both are decided once, so that a name has the same color on every page and after every filter. */
type ColorMemory = ReadonlyMap<string, number>;

/**
 * Chooses a color for each name: the remembered one, or else one that follows from the name alone. Of two names with the
 * same color, the later in the alphabet gets the next free one. The order of `names` is irrelevant.
 */
export function chooseColors(names: readonly string[], remembered: ColorMemory): ReadonlyMap<string, number> {
  const chosen = new Map<string, number>();
  const taken = new Set<number>();
  const byAge = [...new Set(names)].toSorted(
    (a, b) => Number(remembered.has(b)) - Number(remembered.has(a)) || (a < b ? -1 : 1),
  );
  for (const name of byAge) {
    const color = nextFree(remembered.get(name) ?? hash(name) % SERIES_COLORS, taken);
    chosen.set(name, color);
    taken.add(color);
  }
  return chosen;
}

/** Returns the wanted color or the next free one; the wanted one if none is free. */
function nextFree(wanted: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < SERIES_COLORS; step += 1) {
    const color = (wanted + step) % SERIES_COLORS;
    if (!taken.has(color)) return color;
  }
  return wanted;
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return state;
}

/** Adds colors of new names; known names keep theirs, also where another name had it on one chart. */
export function rememberColors(remembered: ColorMemory, chosen: ColorMemory): ColorMemory {
  const all = new Map([...remembered, ...[...chosen].filter(([name]) => !remembered.has(name))]);
  return new Map([...all].slice(-REMEMBERED_MAX));
}

let memory: ColorMemory | null = null;

/** Returns a color variable of theme.css for each value; missing and other values are gray. */
export function seriesColors(values: readonly (string | null)[]): readonly string[] {
  memory ??= readMemory();
  const known = memory;
  const names = values.filter((value): value is string => value !== null && value !== OTHER_VALUES);
  const chosen = chooseColors(names, known);
  if (names.some((name) => !known.has(name))) saveMemory((memory = rememberColors(known, chosen)));
  return values.map((value) => {
    // A single layer without a value is everything together.
    if (value === null && values.length === 1) return '--series-1';
    const color = value === null ? undefined : chosen.get(value);
    return color === undefined ? OTHER_COLOR : `--series-${color + 1}`;
  });
}

function readMemory(): ColorMemory {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(MEMORY_KEY) ?? '[]');
    return new Map(Array.isArray(kept) ? kept.filter(isColorEntry) : []);
  } catch {
    // A browser may forbid storage. The colors then follow from the names alone.
    return new Map();
  }
}

function isColorEntry(entry: unknown): entry is [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Number.isInteger(entry[1]) && entry[1] >= 0;
}

function saveMemory(colors: ColorMemory): void {
  try {
    localStorage.setItem(MEMORY_KEY, JSON.stringify([...colors]));
  } catch {
    // Full or forbidden storage: the colors hold until the page is closed.
  }
}
