import { ALERT_TYPES, type AlertType } from './alert.ts';
import { TollbookError } from '../errors.ts';
import { WEBHOOK_TYPES, type WebhookType } from './webhook-kinds.ts';

/** Schedules of the summary that a webhook gets. */
export const DIGESTS = ['off', 'weekly'] as const;
export type DigestSchedule = (typeof DIGESTS)[number];

/** Names from other tools for our event types. Every event type is also accepted in lower case. */
const EVENT_ALIASES: ReadonlyMap<string, readonly AlertType[]> = new Map([
  ['BUDGET_ALERT', ['BUDGET_WARNING', 'BUDGET_EXCEEDED']],
  ['ANOMALY', ['UNUSUAL_ACTIVITY']],
]);

/** Every name of an event that is accepted, in any case. */
export const EVENT_NAMES: readonly string[] = [...ALERT_TYPES, ...EVENT_ALIASES.keys()];

/** Reads a destination kind in any case. */
export function parseWebhookType(name: string): WebhookType {
  const type = WEBHOOK_TYPES.find((known) => known === name.trim().toUpperCase());
  if (!type)
    throw new TollbookError(
      'invalid',
      `Unknown webhook type "${name}"; choose from ${WEBHOOK_TYPES.join(', ')}.`,
      'type',
    );
  return type;
}

/** Reads event names in any case: aliases are expanded, repetitions dropped, the order of the table kept. */
export function parseEvents(names: readonly string[]): readonly AlertType[] {
  const wanted = new Set(names.flatMap(parseEvent));
  if (wanted.size === 0)
    throw new TollbookError('invalid', `Name at least one event: ${ALERT_TYPES.join(', ')}.`, 'events');
  return ALERT_TYPES.filter((type) => wanted.has(type));
}

function parseEvent(name: string): readonly AlertType[] {
  const upper = name.trim().toUpperCase();
  const type = ALERT_TYPES.find((known) => known === upper);
  const found = type ? [type] : EVENT_ALIASES.get(upper);
  if (found) return found;
  throw new TollbookError('invalid', `Unknown event "${name}"; choose from ${EVENT_NAMES.join(', ')}.`, 'events');
}
