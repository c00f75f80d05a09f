import {
  contextRange,
  type ContextRange,
  REPORT_CLASSES,
  type ReportClass,
  type ReportedCost,
} from './provider-report.ts';
import { type GatewayUse, isPartialUse, provenanceName, type SeenProvenance } from './gateway-use.ts';
import type { KeyMatch } from './match-provider-keys.ts';
import { shareTerms } from '../pricing/record-terms.ts';
import type { ReportedPart } from './residual.ts';
import { TOKEN_CLASSES, USE_CLASSES } from '../usage/usage.ts';
import { toFemto } from './exact-amounts.ts';
import type { ListRates, ListRate, RateTerms } from './list-rates.ts';

/** Usage through the gateway with one provider key, of any workspace. */
export interface HeldUse extends GatewayUse<SeenProvenance> {
  readonly heldId: string;
  /** Calls whose maximum cost is based on a custom price of their workspace. */
  readonly isOwnPriced?: boolean;
}

interface ReportedCell {
  readonly key: string | null;
  readonly model: string | null;
  readonly rows: readonly ReportedPart[];
}

/** Report, ledger and bill of one UTC day. */
export interface DayFacts {
  readonly day: number;
  /** The provider's figures are final. */
  readonly isClosed: boolean;
  readonly reported: readonly ReportedCell[];
  readonly proxied: readonly HeldUse[];
  readonly costs: readonly ReportedCost[];
}

/** One class on the same terms, as both sides have it. */
export interface ClassSlot {
  readonly name: ReportClass;
  readonly terms: RateTerms;
  /** Prompts are no longer than this. */
  readonly upTo: number;
  readonly rate: ListRate;
  reported: number;
  passed: number;
  /** femto-USD at list price, of all proxied usage, by the gateway's prompt lengths; null = without a price. */
  passedCost: bigint | null;
  /** femto-USD: what the provider's own bill has beyond list price for what passed, and for the rest. */
  drift: bigint;
  unproxiedMore: bigint;
  /** femto-USD of all that is reported, by the bill; null = list prices are known. */
  billed: bigint | null;
}

/** Sums of calls with one provenance. */
export interface ProvenanceSums {
  /** null = these calls were recorded without a price. */
  readonly provenance: SeenProvenance | null;
  /** femto-USD at list price, of what has one, and as recorded. */
  list: bigint;
  recorded: bigint;
  /** Amounts without a list price, by slot. */
  readonly unlisted: Map<ClassSlot, number>;
  calls: number;
  readonly classes: Set<ReportClass>;
}

/** One provider key and model. */
export interface DayCell {
  readonly key: string | null;
  readonly model: string | null;
  readonly match: KeyMatch['is'];
  readonly slots: Map<string, ClassSlot>;
  /** Sums by the name of their provenance. */
  readonly versions: Map<string, ProvenanceSums>;
  calls: number;
  /** Calls of unknown usage: recorded cost and maximum cost in femto-USD, and maximum tokens. */
  readonly unsure: { calls: number; recorded: bigint; upTo: bigint; input: number; output: number };
}

interface CellContext {
  readonly rates: ListRates;
  readonly matches: ReadonlyMap<string, KeyMatch>;
  nameOf(model: string): string;
}

/** Names the version of calls that were recorded without a price. */
const NO_VERSION = '';
/** Range for usage of unknown prompt length. */
export const ANY_LENGTH: ContextRange = { above: 0, upTo: Infinity };
const GATE_CLASSES = [...TOKEN_CLASSES, ...USE_CLASSES] as const;

/**
 * Builds the cells of a day with both sides in their slots. `apart` is usage with keys that the report does not
 * identify.
 */
export function* buildCells(
  { reported, proxied: gateway }: DayFacts,
  parts: CellContext,
): Generator<undefined, { cells: DayCell[]; apart: HeldUse[] }, undefined> {
  const cells = new DayCells(parts);
  for (const cell of reported) for (const row of cell.rows) cells.report(cell, row);
  yield;
  const keyOf = new Map<string, string>();
  for (const [key, match] of parts.matches) if (match.is === 'one') for (const id of match.heldIds) keyOf.set(id, key);
  const apart: HeldUse[] = [];
  for (const use of gateway) {
    const key = keyOf.get(use.heldId);
    if (key === undefined) apart.push(use);
    else cells.pass(key, use);
  }
  return { cells: [...cells.all.values()], apart };
}

class DayCells {
  readonly all = new Map<string, DayCell>();
  readonly #parts: CellContext;
  readonly #places = new Map<string, SlotPlace>();
  /** Slot terms of report rows and of gateway usage, by their words and model. */
  readonly #reported = new Map<string, SlotTerms>();
  readonly #passed = new Map<string, SlotTerms>();

  constructor(parts: CellContext) {
    this.#parts = parts;
  }

  report({ key, model }: ReportedCell, { amounts, ...words }: ReportedPart): void {
    const cell = this.#at(key, model);
    const at = this.#reportedAt(cell.model, words);
    for (const name of REPORT_CLASSES) {
      const count = amounts[name];
      if (count) slotAt(cell, at, name).reported += count;
    }
  }

  #reportedAt(model: string | null, { tier, geo, speed, context }: Omit<ReportedPart, 'amounts'>): SlotTerms {
    const text = `${tier} ${geo} ${speed} ${context} ${model}`;
    let at = this.#reported.get(text);
    if (at) return at;
    const words = shareTerms({ tier, geo, speed });
    const { above, upTo } = contextRange(context) ?? ANY_LENGTH;
    // The vendor's word decides the price; the word that both sides share decides the place.
    const terms = {
      tier: words.tier ? (tier ?? '') : '',
      geo: words.geo ? (geo ?? '') : '',
      speed: words.speed ?? '',
      above,
    };
    at = { place: this.#placeOf(words, above), terms, upTo, rateOf: this.#parts.rates.at(model, terms) };
    this.#reported.set(text, at);
    return at;
  }

  pass(key: string, use: HeldUse): void {
    const { terms, amounts, calls } = use;
    // The effective usage of a call is within its bound.
    if (isPartialUse(terms)) return;
    const cell = this.#at(key, use.model);
    const payer = use.callModel === null ? cell : this.#at(key, use.callModel);
    payer.calls += calls;
    if (terms.certainty === 'at_most') return addUnsure(payer, use, this.#parts.rates);

    const rateTerms = { tier: terms.tier, geo: terms.geo, speed: terms.speed, above: terms.step };
    const at = this.#placeFor(cell, terms);
    const rateOf = this.#parts.rates.at(cell.model, rateTerms);
    let list = 0n;
    const unlisted = new Map<ClassSlot, number>();
    for (const name of GATE_CLASSES) {
      const count = amounts[name];
      if (!count) continue;
      const { femto } = rateOf(name);
      const cost = femto === null ? null : femto * BigInt(count);
      const slot = slotAt(cell, at, name);
      slot.passed += count;
      slot.passedCost = addKnown(slot.passedCost, cost);
      if (cost === null) unlisted.set(slot, count);
      else list += cost;
    }
    enterUse(payer, cell, use, { list, unlisted });
  }

  #at(key: string | null, spelled: string | null): DayCell {
    const { matches, nameOf } = this.#parts;
    const model = spelled === null ? null : nameOf(spelled);
    const name = `${key ?? ''} ${model ?? ''}`;
    let cell = this.all.get(name);
    if (!cell) {
      const match = key === null ? 'none' : (matches.get(key)?.is ?? 'unknown');
      const unsure = { calls: 0, recorded: 0n, upTo: 0n, input: 0, output: 0 };
      cell = { key, model, match, slots: new Map(), versions: new Map(), calls: 0, unsure };
      this.all.set(name, cell);
    }
    return cell;
  }

  /** Returns the report's range of prompt lengths that contains the gateway's, or else the gateway's own. */
  #placeFor(cell: DayCell, { tier, geo, speed, step }: HeldUse['terms']): SlotTerms {
    let range: Pick<ClassSlot, 'terms' | 'upTo'> | null = null;
    for (const slot of cell.slots.values())
      if (slot.terms.above <= step && step < slot.upTo && slot.terms.above >= (range?.terms.above ?? 0)) range = slot;
    const above = range?.terms.above ?? (cell.slots.size === 0 ? 0 : step);
    const upTo = range?.upTo ?? Infinity;
    const text = `${above} ${upTo} ${tier} ${geo} ${speed} ${cell.model}`;
    let at = this.#passed.get(text);
    if (at) return at;
    const terms = { tier, geo, speed, above };
    at = { place: this.#placeOf(terms, above), terms, upTo, rateOf: this.#parts.rates.at(cell.model, terms) };
    this.#passed.set(text, at);
    return at;
  }

  /** Returns the place for terms in the words that both sides share. */
  #placeOf({ tier = '', geo = '', speed = '' }: TermWords, above: number): SlotPlace {
    const text = `${above} ${tier} ${geo} ${speed}`;
    let place = this.#places.get(text);
    if (!place) this.#places.set(text, (place = new SlotPlace(text)));
    return place;
  }
}

interface SlotTerms extends Pick<ClassSlot, 'terms' | 'upTo'> {
  readonly place: SlotPlace;
  readonly rateOf: (name: ReportClass) => ListRate;
}

function slotAt(cell: DayCell, { place, terms, upTo, rateOf }: SlotTerms, name: ReportClass): ClassSlot {
  const at = place.slotOf(name);
  let slot = cell.slots.get(at);
  if (!slot) {
    const rate = rateOf(name);
    slot = {
      name,
      terms,
      upTo,
      rate,
      reported: 0,
      passed: 0,
      passedCost: 0n,
      drift: 0n,
      unproxiedMore: 0n,
      billed: null,
    };
    cell.slots.set(at, slot);
  }
  return slot;
}

/** Place of usage with the same terms. A day has few places and many slots for each. */
class SlotPlace {
  readonly #text: string;
  readonly #slots = new Map<ReportClass, string>();

  constructor(text: string) {
    this.#text = text;
  }

  slotOf(name: ReportClass): string {
    let slot = this.#slots.get(name);
    if (slot === undefined) this.#slots.set(name, (slot = `${name} ${this.#text}`));
    return slot;
  }
}

interface TermWords {
  readonly tier?: string | undefined;
  readonly geo?: string | undefined;
  readonly speed?: string | undefined;
}

function addUnsure({ unsure, model }: DayCell, use: HeldUse, rates: ListRates): void {
  const { calls, cost, uncertainUpTo, amounts, isOwnPriced = false } = use;
  const { input = 0, output = 0 } = amounts;
  // A bound at a custom price includes fees, and may be too low for the tokens; the one at list price is of tokens only. The larger
  // of two sums is not the sum of what is larger for each call, and one row may have calls with and without searches.
  const listed = isOwnPriced ? rates.boundOf(model, input, output) : 0n;
  unsure.calls += calls;
  unsure.recorded += toFemto(cost);
  unsure.upTo += toFemto(cost + uncertainUpTo) + listed;
  unsure.input += input;
  unsure.output += output;
}

/** A pass of another model is recorded with its call: what it costs by list moves to its own model. */
function enterUse(
  payer: DayCell,
  cell: DayCell,
  use: HeldUse,
  { list, unlisted }: Pick<ProvenanceSums, 'list' | 'unlisted'>,
): void {
  const [version, own] = [sumsOfProvenance(payer, use), sumsOfProvenance(cell, use)];
  version.recorded += toFemto(use.cost);
  version.calls += use.calls;
  if (version !== own && use.terms.provenance !== null && unlisted.size === 0) {
    version.recorded -= list;
    own.recorded += list;
  }
  own.list += list;
  for (const [slot, count] of unlisted) own.unlisted.set(slot, (own.unlisted.get(slot) ?? 0) + count);
  for (const name of GATE_CLASSES) if (use.amounts[name]) version.classes.add(name);
}

function sumsOfProvenance(cell: DayCell, { terms }: HeldUse): ProvenanceSums {
  const { provenance } = terms;
  const name = provenance ? provenanceName(provenance) : NO_VERSION;
  let version = cell.versions.get(name);
  if (!version) {
    version = { provenance, list: 0n, recorded: 0n, unlisted: new Map(), calls: 0, classes: new Set() };
    cell.versions.set(name, version);
  }
  return version;
}

function addKnown(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}
