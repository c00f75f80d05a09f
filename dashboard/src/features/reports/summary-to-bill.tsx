import type { ReactNode } from 'react';
import { Money } from '../../shared/theme/money.tsx';
import type { ReconciledOrganization } from './use-reconciliation.ts';

const STEP_TEXTS = {
  beside: 'for use beside the gate, as charged',
  gate: 'for calls through the gate, by the reasons above',
  open: 'of days that still change, and keys or prices not told',
  elsewhere: 'of calls of other workspaces or organizations',
} as const;

/** From the figure of the overview to what the provider charges. */
export function SummaryToBill({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { summary, provider, providerCost } = organization;
  if (summary === null)
    return (
      <p className="soft">
        The usage summary has all organizations of {provider} in one figure, which leads to none of their bills alone.
      </p>
    );
  const { gate, beside, total, toBill } = summary;
  const steps = (['beside', 'gate', 'open', 'elsewhere'] as const).filter((name) => toBill[name] !== 0);
  return (
    <div className="soft">
      <p>
        The usage summary has <Money usd={total} /> of these days: <Money usd={gate} /> through the gate and{' '}
        <Money usd={beside} /> beside it, at list price or your own. The provider charges{' '}
        {steps.length === 0 ? (
          'the same.'
        ) : (
          <>
            <Money usd={providerCost} />. What is between:
          </>
        )}
      </p>
      {steps.map((name) => (
        <div key={name}>
          <Money usd={toBill[name]} /> {STEP_TEXTS[name]}
        </div>
      ))}
    </div>
  );
}
