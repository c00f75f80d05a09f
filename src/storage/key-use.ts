import { type Entry, isUncertain, uncertainUpTo } from '../domain/usage/call.ts';
import type { GatewayTerms, GatewayUse } from '../domain/reconciliation/gateway-use.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import { lengthStep, shareTerms } from '../domain/pricing/record-terms.ts';
import { type Inference, NO_TERMS, NO_USES, reportedUses, type Usage } from '../domain/usage/usage.ts';
import { floor } from './range-segments.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** What one entry adds; money in nano-USD. */
export type EntryUse = Omit<GatewayUse, 'cost' | 'uncertainUpTo'> & {
  readonly cost: number;
  readonly uncertainUpTo: number;
};

const ORDINARY = { tier: '', geo: '', speed: '', step: 0 };
const NOTHING = { calls: 0, failedCalls: 0, cost: 0, uncertainUpTo: 0 };

/**
 * What an entry, as the book believes it now, says of the use of its key: a part for each pass, of which the first has
 * the call and its cost; of an unsure one its bound with these, and what is believed of it. Nothing where it was not
 * sent, or did not pass the gate.
 */
export function keyUseParts(entry: Entry, provenance: CostProvenance | null): EntryUse[] {
  const { source, outcome, usage, counted, cost, model } = entry;
  if (source !== 'proxy' || outcome === 'not_sent') return [];
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
    tells: isSure ? 'used' : 'at_most',
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

/** By the model of each pass, all on ordinary terms: of these nothing is known for sure. */
function uncertainUses(
  { provider, model, cost, usageSource }: Entry,
  { inferences, uses }: Usage,
  provenance: CostProvenance | null,
): EntryUse[] {
  const terms: GatewayTerms = {
    provider,
    ...ORDINARY,
    provenance: cost === null ? null : provenance,
    tells: usageSource === 'counted' ? 'estimated' : 'noted',
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

/** Under way when its UTC day ended: its provider may have it on the next one. */
export function endsLate({ startedAt, endedAt }: Pick<Entry, 'startedAt' | 'endedAt'>): boolean {
  return floor(endedAt, DAY_MS) > floor(startedAt, DAY_MS);
}

function priceTerms(usage: Usage | null): Pick<GatewayTerms, 'tier' | 'geo' | 'speed'> {
  const { tier = '', geo = '', speed = '' } = shareTerms(usage?.terms ?? NO_TERMS);
  return { tier, geo, speed };
}
