import { expect, test } from 'vitest';
import { WEBHOOK_TYPES } from './webhook-kinds.ts';
import { parseEvents, parseWebhookType } from './webhook.ts';

test.each([
  [['cost_spike'], ['COST_SPIKE']],
  [['budget_alert'], ['BUDGET_WARNING', 'BUDGET_EXCEEDED']],
  [
    ['Budget_Exceeded', 'budget_alert', 'BUDGET_WARNING'],
    ['BUDGET_WARNING', 'BUDGET_EXCEEDED'],
  ],
  [['anomaly', 'unusual_activity'], ['UNUSUAL_ACTIVITY']],
  [
    ['RATE_LIMIT', 'error_spike', 'unpriced_model'],
    ['ERROR_SPIKE', 'RATE_LIMIT', 'UNPRICED_MODEL'],
  ],
])('events %j become %j', (names, events) => expect(parseEvents(names)).toEqual(events));

test.each([[['bogus']], [['']], [['COST_SPIKE', 'constructor']]])('events %j are refused with the list', (names) =>
  expect(() => parseEvents(names)).toThrow(/choose from COST_SPIKE, .*BUDGET_ALERT, ANOMALY/),
);

test('no events are refused', () => expect(() => parseEvents([])).toThrow('Name at least one event'));

test('webhook types are read in any case, others refused with the list', () => {
  expect(parseWebhookType('slack')).toBe('SLACK');
  expect(() => parseWebhookType('pager')).toThrow(WEBHOOK_TYPES.join(', '));
});
