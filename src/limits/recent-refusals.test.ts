import { expect, test } from 'vitest';
import { RecentRefusals } from './recent-refusals.ts';

const who = (number: number) => ({ at: number, callId: `call_${number}`, keyId: 'key_1', provider: 'anthropic' });
const FACTS = { reason: 'exceeds_limit', limit: 'lim_1', unit: 'usd', needed: 2, remaining: 1 };

test('the newest calls that a limit refused are kept, the newest first', () => {
  const refusals = new RecentRefusals();
  for (let number = 0; number < 30; number += 1) refusals.note(who(number), FACTS);
  expect(refusals.list('lim_1').map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, index) => 29 - index));
  expect(refusals.list('lim_1')[0]).toEqual({
    ...who(29),
    value: null,
    reason: 'exceeds_limit',
    needed: 2,
    remaining: 1,
  });
  expect(refusals.list('lim_2')).toEqual([]);
});

test('what no limit refused is left out', () => {
  const refusals = new RecentRefusals();
  refusals.note(who(1), { reason: 'policy_denied' });
  expect(refusals.list('undefined')).toEqual([]);
});

test('however many limits refuse, the idlest makes room for the next', () => {
  const refusals = new RecentRefusals();
  for (let number = 0; number < 1_000; number += 1) refusals.note(who(number), { ...FACTS, limit: `lim_${number}` });
  refusals.note(who(1), { ...FACTS, limit: 'lim_0' });
  refusals.note(who(2), { ...FACTS, limit: 'lim_more' });
  expect([refusals.list('lim_0').length, refusals.list('lim_1').length, refusals.list('lim_more').length]).toEqual([
    2, 0, 1,
  ]);
});
