import { expect, test } from 'vitest';
import { reply } from './contract/destination-contract.ts';
import type { ReceiverReply } from './destination.ts';
import { judgeHttp } from './http.ts';

const DATE = 'Sat, 21 Nov 2026 06:00:00 GMT';

test.each<[string, ReceiverReply['headers'], number | null]>([
  ['nothing', {}, null],
  ['seconds', { 'retry-after': '30' }, 30_000],
  ['parts of seconds', { 'retry-after': '0.65' }, 650],
  ['several values', { 'retry-after': ['5', '9'] }, 5_000],
  ['a day, of which an hour is granted', { 'retry-after': '86400' }, 3_600_000],
  ['more digits than a number has', { 'retry-after': '9'.repeat(400) }, 3_600_000],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 06:02:00 GMT', date: DATE }, 120_000],
  ['a date that is over', { 'retry-after': 'Sat, 21 Nov 2026 05:00:00 GMT', date: DATE }, 0],
  ['a date without knowing what time it is there', { 'retry-after': 'Sat, 21 Nov 2026 06:02:00 GMT' }, null],
  ['words', { 'retry-after': 'soon', date: DATE }, null],
  ['a negative number', { 'retry-after': '-5', date: DATE }, null],
])('Retry-After with %s', (_what, headers, afterMs) => {
  expect(judgeHttp(reply(429, '', headers))).toEqual({ outcome: 'later', afterMs });
});
