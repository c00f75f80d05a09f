import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { exactCount } from '../../shared/format/number.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import type { FormFields } from '../../shared/ui/fields.ts';

/** A policy as it is sent: what was typed goes as it is where only the service can judge it. */
export type PolicyDraft = Readonly<Partial<Record<keyof PolicyShape, unknown>>>;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** All rules of the form; an empty field allows what the provider allows. */
export function readPolicy(fields: FormFields): PolicyDraft {
  return {
    allowedModels: listOrNull(fields('allowedModels')),
    deniedModels: splitList(fields('deniedModels')),
    maxOutputTokens: numberOrNull(fields('maxOutputTokens')),
    requiredTags: readRequired(fields('requiredTags')),
    addresses: listOrNull(fields('addresses')),
    activeHours: readHours(fields),
    whenOverLimit: fields('whenOverLimit'),
    assumedCostUsd: fields('assumedCostUsd') || null,
    unpriced: fields('unpriced'),
    onDisconnect: fields('onDisconnect'),
    geo: fields('geo') || null,
    tier: fields('tier') || null,
    bodyBytesMax: numberOrNull(fields('bodyBytesMax')),
  };
}

function listOrNull(text: string): readonly string[] | null {
  const list = splitList(text);
  return list.length === 0 ? null : list;
}

function numberOrNull(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** One tag in a line: `team=search,ads`, or `user` for any value. */
function readRequired(text: string): Record<string, readonly string[] | null> {
  const lines = text.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, null] : [line.slice(0, at).trim(), splitList(line.slice(at + 1))];
    }),
  );
}

function readHours(fields: FormFields): unknown {
  const [from, until] = [fields('from'), fields('until')];
  if (from === '' && until === '') return null;
  const days = WEEKDAYS.filter((day) => fields(day) === 'yes');
  return { from, until, timeZone: fields('timeZone'), ...(days.length > 0 && { days }) };
}

/** The rules that differ from what everybody may do, by their names. */
export function describePolicy(policy: PolicyShape): readonly (readonly [rule: string, text: string])[] {
  const { assumedCostUsd, activeHours: hours, requiredTags, maxOutputTokens, bodyBytesMax } = policy;
  const rules: readonly (readonly [string, string | null])[] = [
    ['Only models', policy.allowedModels?.join(', ') ?? null],
    ['Not models', policy.deniedModels.join(', ') || null],
    ['Largest output', maxOutputTokens === null ? null : `${exactCount(maxOutputTokens)} tokens`],
    ['Tags a call must carry', requiredTagsText(requiredTags, '; ') || null],
    ['Only from', policy.addresses?.join(', ') ?? null],
    ['Only then', hours && `${weekdaysText(hours.days)}, ${hours.from} to ${hours.until} (${hours.timeZone})`],
    ['Calls too large', policy.whenOverLimit === 'clamp' ? 'are shortened to what a limit has left' : null],
    ['Work without a bound', assumedCostUsd === null ? null : `is presumed to cost ${formatUsd(assumedCostUsd)}`],
    ['Models without a price', policy.unpriced === 'allow' ? 'are allowed under limits in dollars' : null],
    ['When a client leaves', policy.onDisconnect === 'abort' ? 'the call is ended' : null],
    ['Geography of the provider key', policy.geo],
    ['Service tier of the provider key', policy.tier],
    ['Largest request', bodyBytesMax === null ? null : `${exactCount(bodyBytesMax)} bytes`],
  ];
  return rules.flatMap(([rule, text]) => (text === null ? [] : [[rule, text] as const]));
}

const DAYS_OF_WEEK = 7;

function weekdaysText(days: readonly string[]): string {
  return days.length === DAYS_OF_WEEK ? 'every day' : days.join(', ');
}

/** `team=search,ads; user`: the values that a tag may have, where not any will do. */
export function requiredTagsText(required: PolicyShape['requiredTags'], between: string): string {
  return Object.entries(required)
    .map(([key, values]) => (values ? `${key}=${values.join(',')}` : key))
    .join(between);
}
