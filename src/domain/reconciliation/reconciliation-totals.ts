import type { BilledCoverage, ReconciledDay, ReconciledLine } from './reconcile.ts';
import type { ReportClass } from './provider-report.ts';
import { isReported, type SeenProvenance } from './gateway-use.ts';
import type { RateDrift } from './billed-prices.ts';
import type { ProvenanceSums } from './day-cells.ts';
import { toNano, absoluteValue } from './exact-amounts.ts';
import { noSums, type ReasonName } from './reasons.ts';

/** Lines with the largest differences are kept. */
const LINES_MAX = 1_000;

/** The same usage at two prices, over all days, or at a price that the ledger does not know. */
export interface PriceDrift {
  readonly model: string | null;
  /** Price that the bill differs from: list, custom, or none. */
  readonly price: 'list' | 'custom' | 'none';
  /** Provenance of a custom price; else null. */
  readonly provenance: SeenProvenance | null;
  /** Classes of usage at the ledger's own price. */
  readonly classes: ReadonlySet<ReportClass>;
  /** Newest difference for each rate. */
  readonly rates: ReadonlyMap<string, RateDrift>;
  /** The first of the days that has it. */
  readonly since: number;
  /** Provider minus ledger, nano-USD. */
  readonly amount: bigint;
}

type MutableDrift = { -readonly [Name in keyof PriceDrift]: PriceDrift[Name] } & {
  readonly classes: Set<ReportClass>;
  readonly rates: Map<string, RateDrift>;
};

/** Adds up days, which are then released. All amounts are in nano-USD. */
export class ReconciliationTotals {
  ledgerCost = 0n;
  providerCost = 0n;
  /** Cost of reported usage at list price. */
  listCost = 0n;
  #billed: bigint | null = null;
  lines = 0;
  unpricedLines = 0;
  /** Recorded cost of lines without a provider price. */
  unpricedLedgerCost = 0n;
  readonly reasons: Record<ReasonName, bigint> = noSums();
  readonly coverage: { -readonly [Name in keyof BilledCoverage]: BilledCoverage[Name] } = {
    passed: 0n,
    unknown: 0n,
    total: 0n,
  };
  readonly apart = { calls: 0, cost: 0n };
  /** Calls corrected by reports. */
  readonly corrected = { calls: 0, cost: 0n };
  /** Reasons that are a matter of keys, by key. */
  readonly byKey = {
    outside_gateway: new Map<string | null, bigint>(),
    batch: new Map<string | null, bigint>(),
    uncertain_calls: new Map<string | null, bigint>(),
  };
  readonly #drifts = new Map<string, MutableDrift>();
  #largestLines: SizedLine[] = [];
  /** No line is kept that differs by so little. */
  #least = -1;

  /** Lines with the largest differences, those without a price first. */
  get largestLines(): readonly ReconciledLine[] {
    return sortLines(this.#largestLines).map(({ line }) => line);
  }

  get drifts(): readonly PriceDrift[] {
    return [...this.#drifts.values()].toSorted((a, b) => Number(absoluteValue(b.amount) - absoluteValue(a.amount)));
  }

  /** Total of the bill; null = no bill line. */
  get billedCost(): bigint | null {
    return this.#billed === null ? null : toNano(this.#billed);
  }

  add({ lines, fees, apart, billed, coverage }: ReconciledDay): void {
    if (billed !== null) this.#billed = (this.#billed ?? 0n) + billed;
    for (const { cost, calls } of apart) {
      this.apart.calls += calls;
      this.apart.cost += cost;
    }
    for (const name of ['passed', 'unknown', 'total'] as const) this.coverage[name] += coverage[name];
    for (const one of lines) {
      this.#addLine(one.line);
      this.#addDrifts(one);
      this.listCost += one.result.listCost;
      for (const version of one.cell.versions.values()) if (isReported(version.provenance)) this.#addCorrected(version);
    }
    for (const line of fees) this.#addLine(line);
  }

  #addCorrected({ calls, recorded }: ProvenanceSums): void {
    this.corrected.calls += calls;
    this.corrected.cost += toNano(recorded);
  }

  #addLine(line: ReconciledLine): void {
    const { ledgerCost, providerCost, reasons, key } = line;
    this.lines += 1;
    this.ledgerCost += ledgerCost;
    this.providerCost += providerCost ?? 0n;
    if (providerCost === null) {
      this.unpricedLines += 1;
      this.unpricedLedgerCost += ledgerCost;
    }
    for (const { reason, amount } of reasons) {
      this.reasons[reason] += amount;
      if (reason !== 'outside_gateway' && reason !== 'batch' && reason !== 'uncertain_calls') continue;
      const byKey = this.byKey[reason];
      byKey.set(key, (byKey.get(key) ?? 0n) + amount);
    }
    this.#keep(line);
  }

  #keep(line: ReconciledLine): void {
    const differs = differenceSize(line);
    if (differs <= this.#least) return;
    this.#largestLines.push({ line, differs });
    // Sorting now and then is cheaper than finding each one's place.
    if (this.#largestLines.length < 4 * LINES_MAX) return;
    this.#largestLines = sortLines(this.#largestLines);
    this.#least = this.#largestLines.at(-1)?.differs ?? -1;
  }

  #addDrifts({ line, result }: ReconciledDay['lines'][number]): void {
    if (result.unpriced.amount !== 0n) {
      const one = this.#driftAt(line, 'none', null);
      one.amount += toNano(result.unpriced.amount);
      for (const rate of result.unpriced.rates) one.rates.set(`${rate.name} ${rate.terms}`, rate);
    }
    // A custom price that equals the bill is not a drift.
    if (!line.reasons.some(({ reason }) => reason === 'price_drift')) return;
    for (const { drift, amount } of result.drifts) {
      const one = this.#driftAt(line, 'list', null);
      one.amount += toNano(amount);
      one.rates.set(`${drift.name} ${drift.terms}`, drift);
    }
    for (const [name, { version, amount }] of result.ownDrifts) {
      const one = this.#driftAt(line, 'custom', version.provenance, name);
      one.amount += toNano(amount);
      for (const used of version.classes) one.classes.add(used);
    }
  }

  #driftAt(
    { model, day }: ReconciledLine,
    price: PriceDrift['price'],
    provenance: SeenProvenance | null,
    versionName = '',
  ): MutableDrift {
    const name = JSON.stringify([model, price, versionName]);
    let one = this.#drifts.get(name);
    if (!one) {
      one = { model, price, provenance, classes: new Set(), rates: new Map(), since: day, amount: 0n };
      this.#drifts.set(name, one);
    }
    one.since = Math.min(one.since, day);
    return one;
  }
}

interface SizedLine {
  readonly line: ReconciledLine;
  readonly differs: number;
}

function sortLines(lines: readonly SizedLine[]): SizedLine[] {
  return lines.toSorted((a, b) => b.differs - a.differs).slice(0, LINES_MAX);
}

/** nano-USD, near enough to sort by. */
function differenceSize({ difference }: ReconciledLine): number {
  return difference === null ? Number.MAX_VALUE : Math.abs(Number(difference));
}
