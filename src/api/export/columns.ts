import { usdFromNano } from '../../domain/money/money.ts';
import { iso } from '../../domain/time/period.ts';
import { inputTokens, outputTokens, totalTokens } from '../../domain/usage/usage.ts';
import { believedCost } from '../../storage/booked.ts';
import type { BookedEntry } from '../../storage/store.ts';
import { entryView } from '../entries/entry-view.ts';
import type { Cell } from '../../lib/csv.ts';

/** What an export says beyond the entry itself. */
export interface ExportContext {
  readonly workspace: { readonly id: string; readonly name: string };
  /** Name of a provider for people. */
  providerName(id: string): string;
  /** null = there is none, or it is not known any more. */
  keyName(id: string): string | null;
}

type ExportColumns = Readonly<Record<string, (booked: BookedEntry, context: ExportContext) => Cell>>;

/** One column per field of an entry, and the name of its key; what has several parts is JSON. */
export const ENTRY_COLUMNS: ExportColumns = Object.fromEntries(
  (
    [
      'id',
      'beganAt',
      'endedAt',
      'source',
      'provider',
      'operation',
      'model',
      'askedModel',
      'keyId',
      'keyName',
      'status',
      'outcome',
      'doubt',
      'stream',
      'inputTokens',
      'outputTokens',
      'thinkingTokens',
      'tokens',
      'uses',
      'cost',
      'uncertainUpTo',
      'costFrom',
      'priceVersion',
      'usageSource',
      'firstByteMs',
      'durationMs',
      'requestId',
      'responseId',
      'sessionHash',
      'tags',
    ] as const
  ).map((name) => [name, name === 'keyName' ? keyNameCell : (booked: BookedEntry) => toCell(entryView(booked)[name])]),
);

function keyNameCell({ entry }: BookedEntry, { keyName }: ExportContext): Cell {
  return keyName(entry.keyId);
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean);
}

/** FOCUS gives times in whole seconds. */
const SECOND_MS = 1_000;

function focusTime(ms: number): string {
  return iso(ms - (ms % SECOND_MS)).replace('.000Z', 'Z');
}

function focusMonth(ms: number, monthsAhead: number): string {
  const date = new Date(ms);
  return focusTime(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsAhead, 1));
}

function costUsd(booked: BookedEntry): number | null {
  const cost = believedCost(booked);
  return cost === null ? null : usdFromNano(cost);
}

function entryModel({ entry }: BookedEntry): string | null {
  return entry.model ?? entry.askedModel;
}

function entryTokens({ entry }: BookedEntry): number | null {
  if (!entry.usage) return null;
  const tokens = totalTokens(entry.usage);
  return inputTokens(tokens) + outputTokens(tokens);
}

/**
 * The FinOps Open Cost and Usage Specification, version 1.2 (focus.finops.org), one row per call and
 * per row of organizations’ reports. A cost that isn't known is
 * empty, where FOCUS asks for a number: a 0 would be a lie. Columns that begin with `x_` are Tollbook's own.
 */
export const FOCUS_COLUMNS: ExportColumns = {
  BilledCost: costUsd,
  EffectiveCost: costUsd,
  ListCost: costUsd,
  ContractedCost: costUsd,
  BillingCurrency: () => 'USD',
  BillingAccountId: (_, { workspace }) => workspace.id,
  BillingAccountName: (_, { workspace }) => workspace.name,
  BillingPeriodStart: ({ entry }) => focusMonth(entry.beganAt, 0),
  BillingPeriodEnd: ({ entry }) => focusMonth(entry.beganAt, 1),
  ChargePeriodStart: ({ entry }) => focusTime(entry.beganAt),
  // Exclusive, and never equal to the start.
  ChargePeriodEnd: ({ entry }) => focusTime(Math.max(entry.endedAt, entry.beganAt) + SECOND_MS),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => null,
  ChargeDescription: (booked) => `${booked.entry.operation} by ${entryModel(booked) ?? 'an unknown model'}`,
  ChargeFrequency: () => 'Usage-Based',
  PricingCategory: () => 'Standard',
  PricingQuantity: entryTokens,
  PricingUnit: () => 'Tokens',
  ConsumedQuantity: entryTokens,
  ConsumedUnit: () => 'Tokens',
  ProviderName: ({ entry }, { providerName }) => providerName(entry.provider),
  PublisherName: ({ entry }, { providerName }) => providerName(entry.provider),
  InvoiceIssuerName: ({ entry }, { providerName }) => providerName(entry.provider),
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceSubcategory: () => 'Generative AI',
  ServiceName: ({ entry }, { providerName }) => `${providerName(entry.provider)} API`,
  SkuId: (booked) => `${booked.entry.provider}/${entryModel(booked) ?? 'unknown'}`,
  SkuPriceId: (booked) => entryView(booked).priceVersion,
  ResourceId: ({ entry }) => entry.keyId || null,
  ResourceName: keyNameCell,
  ResourceType: ({ entry }) => (entry.keyId === '' ? null : 'Wrapped key'),
  Tags: ({ entry }) => JSON.stringify(entry.tags),
  x_CallId: ({ entry }) => (entry.source === 'provider_report' ? null : entry.callId),
  x_Model: entryModel,
  x_Source: ({ entry }) => entry.source,
  x_Outcome: ({ entry }) => entry.outcome,
  x_Doubt: ({ entry }) => entry.doubt,
  x_UncertainUpTo: (booked) => entryView(booked).uncertainUpTo ?? null,
};
