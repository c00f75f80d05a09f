/** Source of the cost of a call. Unknown costs have none, and neither do calls that the provider did not charge. */
export type CostProvenance =
  | FromPrice
  | FromReport
  /** A person entered it. */
  | { readonly from: 'person' }
  /** The provider stated it in its answer. */
  | { readonly from: 'provider' }
  /** A subscription of the client covers the call, which costs nothing more. */
  | { readonly from: 'subscription' };

/** Usage was multiplied with the rates of price cards. */
export interface FromPrice {
  readonly from: 'price';
  /** Versions of the cards, at least one. */
  readonly versions: readonly string[];
}

/** The provider's report said what the call used. */
export interface FromReport {
  readonly from: 'report';
  /** Custom prices that priced the reported usage; empty = the report also gave the cost. */
  readonly versions: readonly string[];
}

export const PROVENANCES = [
  'price',
  'person',
  'report',
  'provider',
  'subscription',
] as const satisfies readonly CostProvenance['from'][];

const SEPARATOR = ' + ';
/** Begins a source that is no price card. The version of a card begins with its origin and a slash, never with this. */
const OTHER_SOURCE = 'by:';
const PERSON = `${OTHER_SOURCE}person`;
const PROVIDER = `${OTHER_SOURCE}provider`;
const REPORT = `${OTHER_SOURCE}report`;
const SUBSCRIPTION = `${OTHER_SOURCE}subscription`;
/** Begins the version of a custom price. */
const CUSTOM_ORIGIN = 'user/';

/** Returns null if no card priced anything. */
export function fromPrices(versions: readonly string[]): FromPrice | null {
  return versions.length === 0 ? null : { from: 'price', versions };
}

/** Versions of the cards behind a cost. */
export function cardVersions(provenance: CostProvenance): readonly string[] {
  return 'versions' in provenance ? provenance.versions : [];
}

export function isCustomVersion(version: string): boolean {
  return version.startsWith(CUSTOM_ORIGIN);
}

/** Returns whether the cost depends, at least in part, on a custom price. */
export function hasCustomPrice(provenance: CostProvenance): boolean {
  return cardVersions(provenance).some(isCustomVersion);
}

/** Formats a provenance for the journal and the store: the versions of its cards, or `by:` and its source. */
export function formatProvenance(provenance: CostProvenance): string {
  switch (provenance.from) {
    case 'price':
      return joinVersions(provenance.versions);
    case 'report':
      return provenance.versions.length === 0 ? REPORT : `${REPORT} ${joinVersions(provenance.versions)}`;
    case 'person':
      return PERSON;
    case 'provider':
      return PROVIDER;
    case 'subscription':
      return SUBSCRIPTION;
    default:
      return provenance satisfies never;
  }
}

/** Throws a `SyntaxError` for a text that `formatProvenance` does not make. */
export function parseProvenance(text: string): CostProvenance {
  if (!text.startsWith(OTHER_SOURCE)) return { from: 'price', versions: splitVersions(text) };
  if (text === PERSON) return { from: 'person' };
  if (text === PROVIDER) return { from: 'provider' };
  if (text === SUBSCRIPTION) return { from: 'subscription' };
  if (text === REPORT) return { from: 'report', versions: [] };
  if (text.startsWith(`${REPORT} `)) return { from: 'report', versions: splitVersions(text.slice(REPORT.length + 1)) };
  throw new SyntaxError(`"${text.slice(0, 100)}" does not say where a cost comes from.`);
}

/** Joins the versions of cards. One version, the usual case, is returned without a copy. */
export function joinVersions(versions: readonly string[]): string {
  return versions.length === 1 ? (versions[0] ?? '') : versions.join(SEPARATOR);
}

function splitVersions(text: string): readonly string[] {
  return text.includes(SEPARATOR) ? text.split(SEPARATOR) : [text];
}
