import { BATCHES, type Entry, isUncertain, uncertainUpTo } from '../domain/usage/call.ts';
import type { GatewayTerms, GatewayUse } from '../domain/reconciliation/gateway-use.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import { lengthStep, shareTerms } from '../domain/pricing/record-terms.ts';
import { type Inference, NO_TERMS, NO_USES, reportedUses, type Usage } from '../domain/usage/usage.ts';
import { floor } from './range-segments.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** The use that one entry adds; money in nano-USD. */
export type EntryUse = Omit<GatewayUse, 'cost' | 'uncertainUpTo'> & {
  readonly cost: number;
  readonly uncertainUpTo: number;
};

const ORDINARY = { tier: '', geo: '', speed: '', step: 0 };
const NOTHING = { calls: 0, failedCalls: 0, cost: 0, uncertainUpTo: 0 };

/**
 * Splits an effective entry into parts of its key's use, one per model pass. The first has the call and its cost. An
 * uncertain call has its cost bound first, then its estimated usage. Empty for a call that was not sent or did not go
 * through the gateway.
 */
export function keyUseParts(entry: Entry, provenance: CostProvenance | null): EntryUse[] {
  const { source, outcome, usage, counted, cost, model } = entry;
  if (source !== 'proxy' || outcome === 'not_sent' || provenance?.from === 'subscription') return [];
  const isSure = !isUncertain(entry);
  const call = {
    calls: 1,
    failedCalls: outcome === 'failed' ? 1 : 0,
    cost: cost ?? 0,
    uncertainUpTo: uncertainUpTo(entry),
  };
  const terms = (step: number): GatewayTerms => ({
    provider: entry.provider,
    ...priceTerms(usage),
    step,
    provenance,
    certainty: isSure ? 'used' : 'at_most',
  });
  const [first, ...others] = isSure && usage ? usage.inferences : [];
  if (!first) {
    const amounts = isSure
      ? reportedUses(usage?.uses ?? NO_USES)
      : { input: counted.inputTokens, output: counted.outputTokens };
    const whole = { model, callModel: null, terms: terms(0), amounts, ...call };
    return isSure || !usage ? [whole] : [whole, ...uncertainUses(entry, usage, provenance)];
  }
  const part = ({ model: of, tokens, promptTokens }: Inference): EntryUse => ({
    model: of ?? model,
    callModel: of === null || of === model ? null : model,
    terms: terms(lengthStep(promptTokens ?? 0)),
    amounts: tokens,
    ...NOTHING,
  });
  return [
    { ...part(first), amounts: { ...first.tokens, ...reportedUses(usage?.uses ?? NO_USES) }, ...call },
    ...others.map(part),
  ];
}

/** Returns the estimated usage of an uncertain call by the model of each pass, on ordinary terms. */
function uncertainUses(
  { provider, model, cost, usageSource }: Entry,
  { inferences, uses }: Usage,
  provenance: CostProvenance | null,
): EntryUse[] {
  const terms: GatewayTerms = {
    provider,
    ...ORDINARY,
    provenance: cost === null ? null : provenance,
    certainty: usageSource === 'counted' ? 'estimated' : 'noted',
  };
  const part = (of: string | null, amounts: EntryUse['amounts']): EntryUse => ({
    model: of ?? model,
    callModel: of === null || of === model ? null : model,
    terms,
    amounts,
    ...NOTHING,
  });
  const parts = [...inferences.map(({ model: of, tokens }) => part(of, tokens)), part(null, reportedUses(uses))];
  return parts.filter(({ amounts }) => countAmounts(amounts) > 0);
}

function countAmounts(amounts: EntryUse['amounts']): number {
  return Object.values(amounts).reduce((sum, count) => sum + count, 0);
}

/**
 * Returns true for a call that ran past the end of its UTC day, or a batch, on which the provider may work until then: the
 * provider may report it on the next day.
 */
export function endsLate({
  operation,
  startedAt,
  endedAt,
}: Pick<Entry, 'operation' | 'startedAt' | 'endedAt'>): boolean {
  return operation === BATCHES || floor(endedAt, DAY_MS) > floor(startedAt, DAY_MS);
}

function priceTerms(usage: Usage | null): Pick<GatewayTerms, 'tier' | 'geo' | 'speed'> {
  const { tier = '', geo = '', speed = '' } = shareTerms(usage?.terms ?? NO_TERMS);
  return { tier, geo, speed };
}
