import { expect, onTestFinished, test, vi } from 'vitest';
import { NodeLeases } from '../../src/leases/node-leases.ts';
import { LeaseCell } from '../../src/leases/lease-cell.ts';
import { CounterLease } from '../../src/limits/counter-lease.ts';
import { Violation } from '../simulation/violation.ts';
import { SimulatedGateways } from './gateways.ts';

const STEPS = 120;
const SCHEDULES = Number(process.env['SIMULATE_GATEWAYS'] ?? 40);

/** Plays schedules until one breaks an invariant. Returns its sentence; null = none does. */
async function findViolation(schedules: number, first = 1): Promise<string | null> {
  for (let seed = first; seed < first + schedules; seed += 1) {
    try {
      await new SimulatedGateways(seed).play(STEPS);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return `${seed}: ${error.message}`;
    }
  }
  return null;
}

test('gateways that share limits exceed none, and use all, whatever happens to them and their messages', async () => {
  expect(await findViolation(SCHEDULES, Number(process.env['SIMULATE_SEED'] ?? 1))).toBeNull();
}, 120_000);

const { settle } = LeaseCell.prototype;

test.each([
  ['a call holds nothing under its cell', () => vi.spyOn(CounterLease.prototype, 'hold').mockReturnValue(), '1'],
  [
    'an ended call is not counted in its cell',
    () =>
      vi.spyOn(LeaseCell.prototype, 'settle').mockImplementation(function mistaken(this: LeaseCell, need, _, uptime) {
        settle.call(this, need, 0, uptime);
      }),
    '1',
  ],
  [
    'a process begins its cells before the calls of the last one are in the ledger',
    () => vi.spyOn(NodeLeases.prototype, 'uncountedTo').mockReturnValue(),
    '1',
  ],
  ['a call does not ask for what it lacks', () => vi.spyOn(CounterLease.prototype, 'ask').mockReturnValue(), '6'],
  ['a changed limit keeps its leases', () => vi.spyOn(NodeLeases.prototype, 'changed').mockReturnValue(), '1'],
])(
  'finds that %s',
  async (_, plant, invariant) => {
    const planted = plant();
    onTestFinished(() => planted.mockRestore());
    expect(await findViolation(200)).toMatch(new RegExp(`^\\d+: ${invariant}:`));
  },
  120_000,
);
