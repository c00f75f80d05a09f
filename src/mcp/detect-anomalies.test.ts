import { expect, test } from 'vitest';
import type { AnomalyReportShape } from '../contract/anomalies.ts';
import { ApiClient } from './client.ts';
import { detectAnomalies } from './detect-anomalies.ts';
import type { ToolContext } from './tool.ts';

const anomaly: AnomalyReportShape['anomalies'][number] = {
  type: 'COST_SPIKE',
  severity: 'critical',
  title: 'Cost spike',
  message: 'the workspace spent $62.96 in one hour, 21 times the usual $3.00.',
  scope: {},
  value: 62.96,
  baseline: 3,
  factor: 21,
  threshold: 7.6,
  period: { start: '2026-03-16T12:00:00.000Z', end: '2026-03-16T13:00:00.000Z' },
  evidence: {
    kind: 'cost',
    unit: 'usd',
    excessUsd: 59.96,
    basis: 'hour_of_day',
    sampleSize: 28,
    movers: [{ scope: { model: 'a|b' }, name: 'model a|b', value: 60, baseline: 1.5, share: 0.976, isNew: true }],
    alsoMatches: [],
    judgedHour: '2026-03-16T12:00:00.000Z',
  },
};

const report: AnomalyReportShape = {
  enabled: true,
  message: '1 anomaly at present.',
  at: '2026-03-16T12:20:00.000Z',
  anomalies: [anomaly],
  muted: 0,
  settings: { sensitivity: 'normal', minExcessUsd: 1 },
  series: [
    { kind: 'workspace', scope: {}, name: 'the workspace', verdict: 'finding', hours: 900, hoursNeeded: 72 },
    { kind: 'key', scope: { key: 'k' }, name: 'key "new"', verdict: 'not_enough_history', hours: 5, hoursNeeded: 72 },
  ],
};

async function answer(format: 'markdown' | 'json'): Promise<{ text: string; data: unknown }> {
  const client = new ApiClient({
    url: 'http://tollbook.test',
    apiKey: 'svc_sk_x',
    send: () => Response.json(report),
    advice: { noKey: '', newKey: '', unreachable: () => '' },
  });
  const context: ToolContext = {
    client,
    machine: { env: {}, timeZone: 'UTC', codexSync: true },
    clock: () => 0,
    signal: new AbortController().signal,
    timeZone: async () => 'Europe/Berlin',
    progress: () => undefined,
  };
  return await detectAnomalies.call({ format }, context);
}

test('an anomaly has its time in the workspace and its cause, which cannot break the table', async () => {
  expect((await answer('markdown')).text).toBe(
    `1 anomaly at present.

## Cost spike (critical)

the workspace spent $62.96 in one hour, 21 times the usual $3.00.

16 Mar 2026, 13:00 to 16 Mar 2026, 14:00

| Contributed by | Value | Normal | Share | New |
| --- | ---: | ---: | ---: | --- |
| model a\\|b | $60.00 | $1.50 | 98% | yes |

Not enough history to judge: key "new".

Checked at 16 Mar 2026, 13:20 (Europe/Berlin); sensitivity normal, at least $1.00 above normal.`,
  );
});

test('the structured result is the whole report, and so is the text as JSON', async () => {
  const { text, data } = await answer('json');
  expect(data).toEqual(report);
  expect(JSON.parse(text)).toEqual(report);
});
