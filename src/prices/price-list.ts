import { baseModels } from './base-prices.ts';
import { type ClassRules, parseDraft, finishPeriod, type DraftCard, type PricePeriod } from './draft-card.ts';
import { priceNames } from '../domain/pricing/model-names.ts';
import type { PatchRow, PriceRow, SourcedFile, WithdrawnRow } from './price-rows.ts';

/** A model of a price list, and the periods of its price, which are built on first use. */
interface ModelListing {
  readonly model: string;
  /** Why it has no price; null = nothing was withdrawn. */
  readonly withdrawn: WithdrawnRow | null;
  periods(): readonly PricePeriod[];
}

/** Prices of one provider: the base list, then the dated rows of the files in order. */
export interface PriceList {
  find(model: string): ModelListing | null;
  listings(): readonly ModelListing[];
  /** Returns every name that the list has, in lower case. */
  names(): Iterable<string>;
}

/** Cached and image tokens cost as much as input at a provider that lists no other price for them. */
const NO_DISCOUNT: ClassRules['sameAs'] = { cacheRead: 'input', inputImage: 'input' };

interface ListingDraft {
  readonly model: string;
  withdrawn: WithdrawnRow | null;
  readonly drafts: (() => readonly DraftCard[])[];
}

export function createPriceList(provider: string, files: readonly SourcedFile[]): PriceList {
  const own = draftModels(provider, files);
  const included = ownFiles(provider, files).flatMap(({ file }) => file.includes ?? []);
  const listings = new Map<ListingDraft, ModelListing>();
  const found = new Map<string, ModelListing>();
  for (const models of [own, ...included.map((each) => draftModels(each, files))]) {
    const extra = models === own ? [] : own.patches;
    for (const [name, building] of models.names) {
      const patches = [...models.patches, ...extra];
      const listing = listings.get(building) ?? toListing(provider, building, patches, models);
      listings.set(building, listing);
      if (!found.has(name)) found.set(name, listing);
    }
  }
  return {
    find: (model) => {
      for (const name of priceNames(model)) {
        const listing = found.get(name);
        if (listing) return listing;
      }
      return null;
    },
    listings: () => [...new Set(found.values())],
    names: () => found.keys(),
  };
}

/** Models of one price list, by every name, with what applies to their prices. */
interface ModelDrafts {
  readonly names: ReadonlyMap<string, ListingDraft>;
  readonly patches: readonly PatchRow[];
  readonly rules: ClassRules;
}

function ownFiles(provider: string, files: readonly SourcedFile[]): SourcedFile[] {
  return files.filter(({ file }) => file.provider === provider);
}

function draftModels(provider: string, files: readonly SourcedFile[]): ModelDrafts {
  const own = ownFiles(provider, files);
  const names = new Map<string, ListingDraft>();
  addBase(names, provider);
  for (const { file } of own) for (const row of file.withdrawn ?? []) withdraw(names, row);
  for (const { origin, file } of own) for (const row of file.prices) addRow(names, origin, row);
  for (const { file } of own) for (const { models, of } of file.aliases ?? []) addAliases(names, models, of);
  const rules: ClassRules = { sameAs: own.length > 0 ? {} : NO_DISCOUNT, multiples: {} };
  for (const { file } of own) {
    Object.assign(rules.sameAs, file.sameAs);
    Object.assign(rules.multiples, file.multiples);
  }
  return { names, patches: own.flatMap(({ file }) => file.patches ?? []), rules };
}

function addBase(names: Map<string, ListingDraft>, provider: string): void {
  const models = baseModels(provider).map((base) => ({
    base,
    building: { model: base.model, withdrawn: null, drafts: [() => base.drafts()] },
  }));
  const add = (name: string, building: ListingDraft) => {
    if (!names.has(name)) names.set(name, building);
  };
  for (const { base, building } of models) for (const name of base.names) add(name, building);
  for (const { base, building } of models) for (const name of base.alsoNames) add(name, building);
}

/**
 * Removes prices. The main name of a model withdraws all its names, another name only itself. The names stay listed
 * without a price, so that they do not get the price of a shorter name.
 */
function withdraw(names: Map<string, ListingDraft>, row: WithdrawnRow): void {
  for (const model of row.models) {
    const name = model.toLowerCase();
    const known = names.get(name);
    const listing = known?.model.toLowerCase() === name ? known : { model, withdrawn: null, drafts: [] };
    listing.drafts.length = 0;
    listing.withdrawn = row;
    names.set(name, listing);
  }
}

/** Adds a price row. A row for a secondary name of a listed model makes that name a separate model. */
function addRow(names: Map<string, ListingDraft>, origin: string, row: PriceRow): void {
  const [first = ''] = row.models;
  const known = names.get(first.toLowerCase());
  const building =
    known?.model.toLowerCase() === first.toLowerCase() ? known : { model: first, withdrawn: null, drafts: [] };
  building.withdrawn = null;
  building.drafts.push(() => [parseDraft(origin, row)]);
  for (const name of row.models) names.set(name.toLowerCase(), building);
}

function addAliases(names: Map<string, ListingDraft>, models: readonly string[], of: string): void {
  const building = names.get(of.toLowerCase());
  if (building) for (const model of models) names.set(model.toLowerCase(), building);
}

function selectPatches(
  building: ListingDraft,
  patches: readonly PatchRow[],
  names: ReadonlyMap<string, ListingDraft>,
): PatchRow[] {
  return patches.filter(({ models }) =>
    models.some((name) => name === '*' || names.get(name.toLowerCase()) === building),
  );
}

function toListing(
  provider: string,
  building: ListingDraft,
  patches: readonly PatchRow[],
  { names, rules }: ModelDrafts,
): ModelListing {
  const { model, withdrawn, drafts } = building;
  const own = selectPatches(building, patches, names);
  let made: readonly PricePeriod[] | null = null;
  return {
    model,
    withdrawn,
    periods: () =>
      (made ??= drafts.flatMap((of) => of()).map((each) => finishPeriod(provider, model, each, own, rules))),
  };
}
