import { expect, test } from 'vitest';
import type { BillRow } from '../doubles/bill.ts';
import type { Plan } from '../doubles/plan.ts';
import type { ExportedCall } from '../e2e/recorded-call.ts';
import { drawCall, type DrawnCall } from './drawn-call.ts';
import { providerKeyOf, type Observation, verdict } from './verdict.ts';

const drawn = drawCall(1, 1);

function told(
  of: {
    plan?: Plan;
    leaves?: DrawnCall['leaves'];
    received?: Partial<Observation['received']>;
    row?: Partial<BillRow>;
    entry?: Partial<ExportedCall>;
  } = {},
): Observation {
  const row: BillRow = {
    id: '1',
    provider: drawn.provider,
    model: 'm',
    key: providerKeyOf(drawn),
    nano: 110_000n,
    unsure: false,
    delivered: true,
    ...of.row,
  };
  const entry = {
    id: 'call_1',
    uncertainReason: null,
    outcome: 'completed',
    cost: 0.000_11,
    ...of.entry,
  } as ExportedCall;
  return {
    call: { ...drawn, plan: of.plan ?? {}, leaves: of.leaves ?? null },
    received: { status: 200, whole: true, callId: 'call_1', costUsd: '0.00011', ...of.received },
    rows: [row],
    entries: [entry],
  };
}

const NOT_ALL = { whole: false, costUsd: null };
const CRASHED = { uncertainReason: 'crash', outcome: 'lost', cost: null };

test.each([
  ['that is booked as billed', told(), false],
  [
    'of an unpriced model',
    told({ row: { nano: null }, entry: { uncertainReason: 'no_price', cost: null }, received: NOT_ALL }),
    false,
  ],
  [
    'that failed',
    told({ plan: { status: 500 }, row: { nano: 0n, delivered: false }, entry: { cost: 0 }, received: NOT_ALL }),
    false,
  ],
  [
    'that was left before its end came',
    told({
      leaves: { turns: 1 },
      row: { delivered: false },
      entry: { uncertainReason: 'client_left' },
      received: NOT_ALL,
    }),
    false,
  ],
  ['that was lost in a crash', told({ entry: CRASHED, received: NOT_ALL }), true],
  [
    'that was sent to nobody and is marked',
    { ...told({ entry: { uncertainReason: 'reset', cost: null } }), rows: [] },
    false,
  ],
])('a call %s is right', (_, call, crashes) => expect(verdict(call, crashes)).toBeNull());

test.each([
  ['a nano-dollar too much', told({ entry: { cost: 0.000_110_001 } }), /wanted 110000|header/],
  ['no entry', { ...told(), entries: [] }, /does not have it/],
  ['two entries', { ...told(), entries: [...told().entries, ...told().entries] }, /has it twice/],
  ['two rows on the bill', { ...told(), rows: [...told().rows, ...told().rows] }, /saw it twice/],
  ['an entry that is sure of what was never sent', { ...told(), rows: [] }, /never saw it/],
  ['an answer under another id', told({ received: { callId: 'call_2' } }), /answered as/],
  ['a header with another cost', told({ received: { costUsd: '0.1' } }), /header/],
  [
    'a header with a cost that is not sure',
    told({ row: { unsure: true }, entry: { uncertainReason: 'length_tier' } }),
    /header/,
  ],
  ['the key of another', told({ row: { key: 'k' } }), /key k/],
  ['a doubt without a reason', told({ entry: { uncertainReason: 'client_left' }, received: NOT_ALL }), /wanted/],
  ['a price for what has none', told({ row: { nano: null }, received: NOT_ALL }), /wanted null/],
  [
    'a cost for what broke off',
    told({ plan: { noUsage: true }, row: { delivered: false }, received: NOT_ALL }),
    /wanted null/,
  ],
  ['a crash that nobody made', told({ entry: CRASHED, received: NOT_ALL }), /wanted/],
] as const)('a call with %s is found', (_, call, finding) => expect(verdict(call, false)).toMatch(finding));

test('a call with a complete answer is not a crash', () =>
  expect(verdict(told({ entry: CRASHED, received: { costUsd: null } }), true)).toMatch(/wanted/));
