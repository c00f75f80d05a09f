import { shareTerms } from '../pricing/record-terms.ts';
import { contextRange, type ReportClass, type ReportedCost } from './provider-report.ts';
import { ANY_LENGTH, type DayCell, type ClassSlot } from './day-cells.ts';
import { absoluteValue, FEMTO_PER_NANO, proportion, readBilledAmount, splitAmount } from './exact-amounts.ts';
import type { ListRates } from './list-rates.ts';

/**
 * Compares the provider's bill with list prices. Bill lines name no keys, so the lines of a model, class and terms are
 * compared with all usage of the organization, and the difference is divided among keys in proportion.
 */

/** A price that is another one on the bill. Rates are femto-USD for each token or use. */
export interface RateDrift {
  readonly model: string | null;
  readonly name: ReportClass;
  /** Words of the terms that matter; '' = ordinary. */
  readonly terms: string;
  /** null = there is none. */
  readonly listed: bigint | null;
  readonly billed: bigint;
}

/** A charge for which the provider reports no usage: of containers or sessions, for instance. */
export interface BilledFee {
  readonly model: string | null;
  readonly line: string | null;
  /** femto-USD. */
  readonly amount: bigint;
}

export interface BillComparison {
  readonly drifts: ReadonlyMap<ClassSlot, RateDrift>;
  readonly fees: readonly BilledFee[];
  /** femto-USD of all lines; null = there are none. */
  readonly total: bigint | null;
}

interface BillGroup {
  amount: bigint;
  roundedBy: bigint;
  readonly members: { readonly cell: DayCell; readonly slot: ClassSlot }[];
}

/** Matches all words of a dimension that a bill line leaves out. */
const ANY = '*';
/** Some providers leave what was paid for in advance out of the bill. */
const PREPAID = 'priority';
/** Kinds of lines that have no counterpart in usage. */
const WITH_USAGE: ReadonlySet<string | null> = new Set([null, 'tokens', 'web_search']);

export function compareBill(
  cells: readonly DayCell[],
  costs: readonly ReportedCost[],
  rates: ListRates,
  nameOf: (model: string) => string,
): BillComparison {
  const groups = new BillGroups(nameOf);
  const fees: BilledFee[] = [];
  for (const line of costs) {
    const fee = readFee(line, nameOf);
    if (fee) fees.push(fee);
    else groups.bill(line);
  }
  if (!groups.isEmpty) for (const cell of cells) for (const slot of cell.slots.values()) groups.use(cell, slot);
  const drifts = new Map<ClassSlot, RateDrift>();
  for (const group of groups.all)
    for (const [slot, drift] of distributeDifference(group, rates)) drifts.set(slot, drift);
  const amounts = costs.flatMap((line) => readBilledAmount(line)?.amount ?? []);
  const total = amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount, 0n);
  return { drifts, fees, total };
}

function readFee(line: ReportedCost, nameOf: (model: string) => string): BilledFee | null {
  const billed = readBilledAmount(line);
  if (!billed || WITH_USAGE.has(line.kind)) return null;
  return { model: line.model === null ? null : nameOf(line.model), line: line.line, amount: billed.amount };
}

/** Groups bill lines and usage by the dimensions that the lines of a model and class have. */
class BillGroups {
  readonly #byName = new Map<string, BillGroup>();
  /** Dimensions of the lines, by model and class. */
  readonly #patterns = new Map<string, readonly boolean[]>();
  /** Groups by terms, then by class and model; null = no bill line. */
  readonly #ofTerms = new Map<ClassSlot['terms'], Map<string, BillGroup | null>>();
  readonly #nameOf: (model: string) => string;

  constructor(nameOf: (model: string) => string) {
    this.#nameOf = nameOf;
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  get all(): Iterable<BillGroup> {
    return this.#byName.values();
  }

  bill(line: ReportedCost): void {
    const billed = readBilledAmount(line);
    if (!billed || line.class === null) return;
    const model = line.model === null ? ANY : this.#nameOf(line.model);
    const { tier = '', geo = '' } = shareTerms({ tier: line.tier, geo: line.geo, speed: null });
    const pattern = [line.tier !== null, line.context !== null, line.geo !== null];
    const known = this.#patterns.get(`${line.class} ${model}`);
    if (!known) this.#patterns.set(`${line.class} ${model}`, pattern);
    // Lines of one model and class with different dimensions cannot be separated: the first decides.
    const { above } = contextRange(line.context) ?? ANY_LENGTH;
    const name = groupName(line.class, model, known ?? pattern, [tier, above, geo]);
    const group = this.#byName.get(name);
    if (group) {
      group.amount += billed.amount;
      group.roundedBy += billed.roundedBy;
    } else this.#byName.set(name, { ...billed, members: [] });
  }

  use(cell: DayCell, slot: ClassSlot): void {
    // Many slots have the same terms.
    let known = this.#ofTerms.get(slot.terms);
    if (!known) this.#ofTerms.set(slot.terms, (known = new Map<string, BillGroup | null>()));
    const place = `${slot.name} ${cell.model}`;
    let group = known.get(place);
    if (group === undefined) known.set(place, (group = this.#groupOf(cell.model, slot)));
    group?.members.push({ cell, slot });
  }

  #groupOf(of: string | null, { name, terms: { tier, geo, above } }: ClassSlot): BillGroup | null {
    const words = shareTerms({ tier: tier || null, geo: geo || null, speed: null });
    for (const model of [of, ANY]) {
      const pattern = this.#patterns.get(`${name} ${model}`);
      if (!pattern) continue;
      const group = groupName(name, model ?? ANY, pattern, [words.tier ?? '', above, words.geo ?? '']);
      return this.#byName.get(group) ?? null;
    }
    return null;
  }
}

function groupName(
  name: ReportClass,
  model: string,
  pattern: readonly boolean[],
  words: readonly (string | number)[],
): string {
  return [name, ...words.map((word, index) => (pattern[index] ? word : ANY)), model].join(' ');
}

/** femto-USD of `count` of a slot at the bill's price; `null` where list prices are known, or nothing was billed. */
export function billedCost({ billed, reported }: ClassSlot, count: number): bigint | null {
  return billed === null || reported === 0 ? null : proportion(billed, count, reported);
}

/** femto-USD of a slot at list price: proxied usage by the gateway's prompt lengths, the rest by the report's. */
export function listCost({ reported, passed, passedCost, rate }: ClassSlot): bigint | null {
  if (reported <= passed)
    return passedCost === null || passed === 0 ? passedCost : proportion(passedCost, reported, passed);
  if (rate.femto === null) return null;
  return passedCost === null ? null : passedCost + BigInt(reported - passed) * rate.femto;
}

/** Gives each slot its part of what the bill has more or less than list prices; says where a price differs. */
function distributeDifference(
  { amount, roundedBy, members }: BillGroup,
  rates: ListRates,
): (readonly [ClassSlot, RateDrift])[] {
  const used = members.filter(({ slot }) => slot.reported > 0);
  const slots = used.map(({ slot }) => slot);
  const costs = slots.map((slot) => listCost(slot));
  const rests = slots.map((slot) => BigInt(Math.max(0, slot.reported - slot.passed)));
  if (slots.length === 0) return [];
  if (costs.includes(null)) {
    distributeUnlisted(amount, slots);
    return [];
  }
  const listed = costs.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n);
  const more = amount - listed;
  const tolerance = roundedBy > FEMTO_PER_NANO ? roundedBy : FEMTO_PER_NANO;
  const prepaid = slots.reduce(
    (sum, slot, index) => sum + (slot.terms.tier === PREPAID ? (costs[index] ?? 0n) : 0n),
    0n,
  );
  if (more === 0n || (prepaid > 0n && absoluteValue(more + prepaid) <= tolerance)) return [];
  const isLength = more > 0n && more <= longestMore(used, rates);
  const passed = slots.map((slot) => (isLength ? 0n : BigInt(Math.min(slot.passed, slot.reported))));
  const parts = splitAmount(more, [...passed, ...rests]);
  slots.forEach((slot, index) => {
    slot.drift += parts[index] ?? 0n;
    slot.unproxiedMore += parts[slots.length + index] ?? 0n;
  });
  if (isLength) return [];
  if (absoluteValue(more) <= tolerance) return [];
  const count = slots.reduce((sum, slot) => sum + BigInt(slot.reported), 0n);
  return used.map(({ cell, slot }) => [
    slot,
    {
      model: cell.model,
      name: slot.name,
      terms: termsText(slot),
      listed: listed / count,
      billed: amount / count,
    },
  ]);
}

/** Divides the billed amount among usage without a list price, in proportion. */
function distributeUnlisted(amount: bigint, slots: readonly ClassSlot[]): void {
  const parts = splitAmount(
    amount,
    slots.map(({ reported }) => BigInt(reported)),
  );
  slots.forEach((slot, index) => {
    slot.billed = parts[index] ?? 0n;
  });
}

/** Returns the additional cost of unproxied usage if all its prompts were as long as their range allows. */
function longestMore(used: BillGroup['members'], rates: ListRates): bigint {
  let more = 0n;
  for (const { cell, slot } of used) {
    const { terms, upTo, name, rate, reported, passed } = slot;
    if (reported <= passed || rate.femto === null || !rates.hangsOnLength(cell.model, terms, upTo)) continue;
    const steps = rates.cardOf(cell.model)?.tiers.filter(({ above }) => above > terms.above && above < upTo) ?? [];
    const highest = steps.reduce<bigint>((most, { above }) => {
      const { femto } = rates.of(cell.model, { ...terms, above }, name);
      return femto !== null && femto > most ? femto : most;
    }, rate.femto);
    more += (highest - rate.femto) * BigInt(reported - passed);
  }
  return more;
}

export function termsText({ terms: { tier, geo, speed, above } }: ClassSlot): string {
  return [tier, geo, speed, above === 0 ? '' : `above ${above}`].filter((word) => word !== '').join(' ');
}
