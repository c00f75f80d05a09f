import { createPaint } from './colors.ts';
import { expect, test } from 'vitest';
import type { ReconciliationShape } from '../contract/reconciliation.ts';
import { REASONS } from '../domain/reconciliation/reasons.ts';
import { reasonsText } from './reconcile-reasons.ts';

type Compared = ReconciliationShape['organizations'][number];

test('the reason why lost responses are not corrected is below the amount of their key', () => {
  const none = Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Compared['reasons'];
  const why =
    'The report of 2026-03-01 has more usage than these calls can explain: the key is also used outside the gateway.';
  const lost = [
    { key: { id: 'apikey_1', name: 'Prod', wrapped: ['web'] }, amount: 3, why },
    { key: { id: 'apikey_2', name: null, wrapped: [] }, amount: 1.5, why: null },
  ];
  const compared = {
    reasons: { ...none, uncertain_calls: 4.5 },
    keys: [],
    prices: [],
    unresolvedCalls: lost,
  } as unknown as Compared;
  expect(reasonsText(compared, { width: 80, isPiped: false, paint: createPaint(false), timeZone: 'UTC' })).toContain(
    `Uncertain calls                $4.50
    Prod                       $3.00
      wrapped as web
      The report of 2026-03-01 has more usage than these calls can explain: the
      key is also used outside the gateway.
    apikey_2                   $1.50
  Lost responses.`,
  );
});
