import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type LocalCall, type LocalSource, readSourceModel } from '../../domain/sessions/local-call.ts';
import { cardAt } from '../../prices/price-periods.ts';
import type { PricePeriod } from '../../prices/draft-card.ts';
import { BASE_ORIGIN, OVERRIDES } from '../../prices/overrides.ts';
import type { PriceBook } from '../../prices/price-book.ts';
import { within } from '../../prices/remembered-periods.ts';
import type { FindCard } from './model-use.ts';

/** A larger file was not written by this program. */
const MODELS_MAX = 1_000;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

type KnownPeriods = Record<string, readonly PricePeriod[]>;

export interface LocalPricesOptions {
  /** File that caches prices; null = no cache. */
  readonly file: string | null;
  /** Version of this program. A cache of another version is ignored. */
  readonly version: string;
}

/**
 * Returns a function that finds list prices for calls. The prices of a machine's few models are cached in a file, because
 * reading the whole price list takes longer than a report. The list is read if the file or a model is missing. Reading starts
 * immediately, while session files are still being read. Each result includes the models of earlier calls of the function.
 */
export function localPrices({ file, version }: LocalPricesOptions): (calls: Iterable<LocalCall>) => Promise<FindCard> {
  const key = cacheKey(version);
  const kept: Promise<KnownPeriods> = file === null ? Promise.resolve({}) : readKnown(file, key);
  const list = kept.then((known) => (Object.keys(known).length === 0 ? importPriceBook() : null));
  let book: PriceBook | null = null;
  return async (calls) => {
    const known = await kept;
    const missing = listModelKeys(calls).filter((name) => !Object.hasOwn(known, name));
    if (missing.length > 0) {
      const { createPriceBook } = (await list) ?? (await importPriceBook());
      book ??= createPriceBook();
      for (const name of missing) known[name] = book.periods(...splitModelKey(name));
      if (file !== null) writeKnown(file, JSON.stringify({ key, known }));
    }
    return toFindCard(known);
  };
}

function importPriceBook() {
  return import('../../prices/price-book.ts');
}

function toFindCard(known: KnownPeriods): FindCard {
  const periods = new Map<string, Map<string, readonly PricePeriod[]>>();
  for (const [name, found] of Object.entries(known)) {
    const [provider, model] = splitModelKey(name);
    within(periods, provider).set(model, found);
  }
  return (provider, model, at) => cardAt(periods.get(provider)?.get(model) ?? [], at);
}

function cacheKey(version: string): string {
  return [version, BASE_ORIGIN, crc32(JSON.stringify(OVERRIDES)).toString(16)].join(' ');
}

function toModelKey(source: LocalSource, model: string): string {
  const { provider, name } = readSourceModel(source, model);
  return `${provider} ${name}`;
}

function splitModelKey(name: string): [provider: string, model: string] {
  const space = name.indexOf(' ');
  return [name.slice(0, space), name.slice(space + 1)];
}

function listModelKeys(calls: Iterable<LocalCall>): string[] {
  const models = new Map<LocalSource, Set<string>>();
  for (const { source, model, usage } of calls) {
    let own = models.get(source);
    if (own === undefined) models.set(source, (own = new Set()));
    own.add(model);
    // Nearly every call has one inference, of the same model.
    for (let index = 0; index < usage.inferences.length; index += 1) own.add(usage.inferences[index]?.model ?? model);
  }
  return Array.from(models, ([source, names]) => Array.from(names, (name) => toModelKey(source, name))).flat();
}

/** Reads cached prices; a damaged file counts as empty. */
async function readKnown(file: string, key: string): Promise<KnownPeriods> {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8')) as { key?: unknown; known?: KnownPeriods };
    if (kept.key !== key || !kept.known) return {};
    return Object.keys(kept.known).length > MODELS_MAX ? {} : kept.known;
  } catch {
    return {};
  }
}

/** Writes cached prices. A failure only makes the next run slower. */
function writeKnown(file: string, text: string): void {
  const next = `${file}.${process.pid}.next`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
    writeFileSync(next, text, { mode: FILE_MODE });
    renameSync(next, file);
  } catch {
    if (existsSync(next)) rmSync(next, { force: true });
  }
}
