import { EMPTY_TOTALS, type UsageTotals } from '../domain/usage/usage-totals.ts';
import { type LocalSource, readSourceModel, type SourceModel } from '../domain/sessions/local-call.ts';
import { priceUse, type RecordUse, recordUse } from '../domain/pricing/price-record.ts';
import { lengthStep } from '../domain/pricing/record-terms.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { joinVersions } from '../domain/pricing/provenance.ts';
import {
  PART_CLASSES,
  type RecordPart,
  type SessionRecord,
  cacheWriteClass,
} from '../domain/sessions/session-record.ts';
import { CACHE_WRITE_CLASSES, inputTokens, outputTokens, sumClasses, type TokenCounts } from '../domain/usage/usage.ts';
import { floor } from './range-segments.ts';
import { USED_ITEMS, type SessionUse, type UsedItem } from './session-use.ts';
import { HOUR_MS } from '../domain/time/units.ts';
import type { SessionPricing } from './session-store.ts';

/** Usage of one record beyond the gateway calls of its session. */
export interface UnproxiedRecord {
  readonly totals: UsageTotals;
  /** null = no part has a price. */
  readonly priceVersion: string | null;
}

/** Value of a record that is not computed yet. */
export const NOTHING_UNPROXIED: UnproxiedRecord = { totals: EMPTY_TOTALS, priceVersion: null };

export interface SourcedRecord {
  readonly source: LocalSource;
  readonly record: SessionRecord;
}

/**
 * Returns the usage of each record of a session beyond its gateway calls, in the records' order: max(0, records -
 * calls) over the whole session, by model (under its price name) and class. A call is subtracted from its own hour
 * and terms first, then from the next best; the total is the same.
 */
export function subtractGatewayUse(
  records: readonly SourcedRecord[],
  uses: readonly SessionUse[],
  pricing: SessionPricing,
): UnproxiedRecord[] {
  const drafts = records.map(({ source, record }) => draftRecord(source, record, pricing));
  // A session has one source; a false claim gains nothing.
  for (const [source, ofSource] of Map.groupBy(drafts, (draft) => draft.source)) {
    const taken = new Set<SessionUse>();
    for (const [provider, ofProvider] of Map.groupBy(ofSource, (draft) => draft.model.provider)) {
      const left = uses.filter((use) => !taken.has(use));
      const usesByName = Map.groupBy(left, (use) => usedName(source, provider, use, pricing));
      for (const [name, own] of Map.groupBy(ofProvider, (draft) => draft.name)) {
        const used = usesByName.get(name) ?? [];
        for (const use of used) taken.add(use);
        takeOff(own, used);
      }
    }
  }
  return drafts.map((draft) => toUnproxied(draft, pricing));
}

/** Claude Code logs the answering model, others the requested one. */
function usedName(
  source: LocalSource,
  provider: string,
  { model, requested: asked }: SessionUse,
  pricing: SessionPricing,
): string {
  return priceName({ provider, name: source === 'claude_code' ? model : asked }, pricing);
}

/** Returns the name under which a model is priced. The use of a call has no provider, so it has that of the records. */
function priceName({ provider, name }: SourceModel, { pricedAs }: SessionPricing): string {
  return pricedAs(provider, name) ?? name.toLowerCase();
}

/** One class of one part of a record. */
interface RecordCell {
  readonly start: number;
  readonly terms: string;
  readonly item: UsedItem;
  left: number;
}

interface RecordDraft extends SourcedRecord {
  readonly use: RecordUse;
  readonly model: SourceModel;
  readonly name: string;
  readonly at: number;
  readonly card: RateCard | null;
  /** Cells by part, then by class. */
  readonly cells: readonly (readonly RecordCell[])[];
  readonly searches: RecordCell;
  isWhole: boolean;
}

function draftRecord(source: LocalSource, record: SessionRecord, pricing: SessionPricing): RecordDraft {
  const at = Date.parse(record.timestamp);
  const start = floor(at, HOUR_MS);
  const model = readSourceModel(source, record.model);
  const card = pricing.resolve(model.provider, model.name, at);
  const use = recordUse(record, source);
  const cell = (terms: string, item: UsedItem, left: number): RecordCell => ({ start, terms, item, left });
  return {
    source,
    record,
    use,
    model,
    name: priceName(model, pricing),
    at,
    card,
    cells: use.parts.map((part) => {
      const terms = termsKey(part.terms, stepOf(card, part.promptTokens));
      const classes = PART_CLASSES.map((name) => cell(terms, name, part.tokens[name] ?? 0));
      return [...classes, cell(terms, 'calls', part.calls)];
    }),
    searches: cell(termsKey({}, 0), 'webSearch', use.webSearches),
    isWhole: true,
  };
}

function termsKey(terms: { speed?: string | null; tier?: string | null; geo?: string | null }, step: number): string {
  return [terms.speed || '', terms.tier || '', terms.geo || '', terms.speed ? 0 : step].join(' ');
}

function stepOf(card: RateCard | null, promptTokens: number): number {
  if (!card) return lengthStep(promptTokens);
  return Math.max(0, card.tiers.findLast(({ above }) => promptTokens > above)?.above ?? 0);
}

/** Keys by which a matching cell is searched, best first. */
const PLACES: readonly ((cell: Pick<RecordCell, 'start' | 'terms'>) => string)[] = [
  ({ start, terms }) => `${start} ${terms}`,
  ({ start }) => `${start}`,
  ({ terms }) => terms,
  () => '',
];

/** Subtracts the use of calls from the records of one model. */
function takeOff(drafts: readonly RecordDraft[], uses: readonly SessionUse[]): void {
  const [first] = drafts;
  if (first === undefined || uses.length === 0) return;
  const ordered = drafts.toSorted((a, b) => a.at - b.at);
  const cells = ordered.flatMap((draft) => [...draft.cells.flat(), draft.searches]);
  const card = ordered[0]?.card ?? null;
  const plainWrite = cacheWriteClass(first.model);
  const taken = uses
    .toSorted((a, b) => a.start - b.start)
    .flatMap((use) => {
      const terms = termsKey(use, stepOf(card, use.step === 0 ? 0 : use.step + 1));
      return USED_ITEMS.map((item) => ({
        start: use.start,
        terms,
        item: item === 'cacheWrite' || item === 'cacheWrite5m' ? plainWrite : item,
        left: use.used[item],
      }));
    });
  const before = cells.map(({ left }) => left);
  for (const item of USED_ITEMS) takeItem(cells, taken, [item]);
  // A record may not say how long its cache writes last.
  takeItem(cells, taken, ['cacheWrite', 'cacheWrite5m', 'cacheWrite1h']);
  const touched = new Set(cells.filter(({ left }, index) => left !== before[index]));
  const leavesTokens = cells.some(({ item, left }) => item !== 'calls' && left > 0);
  for (const draft of ordered) {
    const own = [...draft.cells.flat(), draft.searches];
    if (own.some((cell) => touched.has(cell))) draft.isWhole = false;
    // Without remaining tokens, the remaining calls are calls of the gateway.
    if (!leavesTokens) for (const cell of own) cell.left = 0;
  }
}

function takeItem(allCells: readonly RecordCell[], allTaken: readonly RecordCell[], items: readonly UsedItem[]): void {
  const cells = allCells.filter(({ item, left }) => left > 0 && items.includes(item));
  const taken = allTaken.filter(({ item, left }) => left > 0 && items.includes(item));
  for (const place of PLACES) {
    const left = cells.filter((cell) => cell.left > 0);
    const there = new Map([...Map.groupBy(left, place)].map(([name, own]) => [name, groupByHour(own)]));
    for (const use of taken) {
      const spot = use.left > 0 ? there.get(place(use)) : undefined;
      if (spot) takeNearest(spot, use);
    }
  }
}

/** Cells that are searched together, by hour, earliest first. */
interface CellGroup {
  readonly hours: readonly (readonly RecordCell[])[];
  readonly starts: readonly number[];
  /** Sum of all its cells. */
  left: number;
}

function groupByHour(cells: readonly RecordCell[]): CellGroup {
  const hours = [...Map.groupBy(cells, ({ start }) => start)].toSorted(([a], [b]) => a - b);
  return {
    hours: hours.map(([, own]) => own),
    starts: hours.map(([start]) => start),
    left: cells.reduce((sum, { left }) => sum + left, 0),
  };
}

/** Subtracts from the nearest hours: a call may start in one hour and be logged in the next. */
function takeNearest(spot: CellGroup, use: RecordCell): void {
  const { hours, starts } = spot;
  const found = starts.findIndex((start) => start >= use.start);
  let after = found === -1 ? hours.length : found;
  let before = after - 1;
  while (use.left > 0 && spot.left > 0) {
    const gapBefore = use.start - (starts[before] ?? -Infinity);
    const gapAfter = (starts[after] ?? Infinity) - use.start;
    const hour = hours[gapBefore <= gapAfter ? before-- : after++];
    if (hour === undefined) return;
    spot.left -= takeFrom(hour, use);
  }
}

/** Subtracts a use from cells. Returns the amount. */
function takeFrom(cells: readonly RecordCell[], use: RecordCell): number {
  const before = use.left;
  for (const cell of cells) {
    if (use.left === 0) break;
    const count = Math.min(cell.left, use.left);
    cell.left -= count;
    use.left -= count;
  }
  return before - use.left;
}

function toUnproxied(draft: RecordDraft, { resolve }: SessionPricing): UnproxiedRecord {
  const { record, use, at, cells, searches } = draft;
  const parts = use.parts.map((part, index): RecordPart => {
    const own = cells[index] ?? [];
    const tokens: TokenCounts = {};
    for (const { item, left } of own) if (item !== 'calls' && item !== 'webSearch') tokens[item] = left;
    return { ...part, tokens, calls: own.find(({ item }) => item === 'calls')?.left ?? 0 };
  });
  // Rounding applies to all calls of a record, not to a part.
  const rest = { parts, webSearches: searches.left, roundingPico: draft.isWhole ? use.roundingPico : 0 };
  const priced = priceUse(rest, draft.model.name, (model) => resolve(draft.model.provider, model, at));
  const sum = (read: (tokens: TokenCounts) => number): number =>
    parts.reduce((total, { tokens }) => total + read(tokens), 0);
  const input = sum(inputTokens);
  const output = sum(outputTokens);
  const isCounted = record.calls !== undefined || input + output + searches.left === 0;
  return {
    totals: {
      ...EMPTY_TOTALS,
      calls: parts.reduce((total, { calls }) => total + calls, 0),
      uncountedRecords: isCounted ? 0 : 1,
      cost: BigInt(priced.cost),
      inputTokens: input,
      cacheReadTokens: sum((tokens) => tokens.cacheRead ?? 0),
      cacheWriteTokens: sum((tokens) => sumClasses(tokens, CACHE_WRITE_CLASSES)),
      outputTokens: output,
      unpricedCalls: priced.unpricedCalls,
      unpricedUses: priced.unpricedUsage ? 1 : 0,
    },
    priceVersion: priced.versions.length === 0 ? null : joinVersions(priced.versions),
  };
}
