import type { PolicyShape, WrittenPolicyShape } from '../../../../src/contract/limits.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import type { FormFields } from '../../shared/ui/fields.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Reads the policy form; an empty field means no restriction. */
export function readPolicy(fields: FormFields): WrittenPolicyShape {
  return {
    allowedModels: listOrNull(fields('allowedModels')),
    deniedModels: splitList(fields('deniedModels')),
    maxOutputTokens: numberOrNull(fields('maxOutputTokens')),
    requiredTags: readRequired(fields('requiredTags')),
    requiredNames: readRequiredNames(fields),
    maxSessionsPerHour: numberOrNull(fields('maxSessionsPerHour')),
    allowedAddresses: listOrNull(fields('allowedAddresses')),
    activeHours: readHours(fields),
    whenOverLimit: fields('whenOverLimit') === 'refuse' ? 'refuse' : 'shorten',
    minOutputTokens: numberOrNull(fields('minOutputTokens')),
    assumedCostUsd: fields('assumedCostUsd') || null,
    unpricedModels: fields('unpricedModels') === 'allow' ? 'allow' : 'refuse',
    onDisconnect: fields('onDisconnect') === 'abort' ? 'abort' : 'drain',
    geo: fields('geo') || null,
    tier: fields('tier') || null,
    maxBodyBytes: numberOrNull(fields('maxBodyBytes')),
  };
}

function listOrNull(text: string): readonly string[] | null {
  const list = splitList(text);
  return list.length === 0 ? null : list;
}

function numberOrNull(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** Names that a policy can require of every call. */
export const REQUIRED_CONTEXT = [
  { name: 'session', label: 'Session' },
  { name: 'run', label: 'Run' },
] as const;

/** Returns the names whose boxes are ticked. */
export function readRequiredNames(fields: FormFields): readonly string[] {
  return REQUIRED_CONTEXT.map(({ name }) => name).filter((name) => fields(requiredNameField(name)) !== '');
}

/** Returns the field of the box that requires a name. */
export function requiredNameField(name: string): string {
  return `requires-${name}`;
}

/** Reads one tag per line: `team=search,ads`, or `user` for any value. */
function readRequired(text: string): Record<string, readonly string[] | null> {
  const lines = text.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, null] : [line.slice(0, at).trim(), splitList(line.slice(at + 1))];
    }),
  );
}

function readHours(fields: FormFields): WrittenPolicyShape['activeHours'] {
  const [from, until] = [fields('from'), fields('until')];
  if (from === '' && until === '') return null;
  const days = WEEKDAYS.filter((day) => fields(day) === 'yes');
  return { from, until, timeZone: fields('timeZone'), ...(days.length > 0 && { days }) };
}

/** Default of the service, which is not shown as a rule. */
const MIN_OUTPUT_DEFAULT = 4_096;

/** Lists the rules that restrict the key, as name and text. */
export function describePolicy(policy: PolicyShape): readonly (readonly [rule: string, text: string])[] {
  const { assumedCostUsd, activeHours: hours, requiredTags, maxOutputTokens, minOutputTokens, maxBodyBytes } = policy;
  const rules: readonly (readonly [string, string | null])[] = [
    ['Allowed models', policy.allowedModels?.join(', ') ?? null],
    ['Denied models', policy.deniedModels.join(', ') || null],
    ['Maximum output', maxOutputTokens === null ? null : `${formatCount(maxOutputTokens)} tokens`],
    ['Required tags', requiredTagsText(requiredTags, '; ') || null],
    ['Required context', policy.requiredNames.join(', ') || null],
    ['New sessions per hour', policy.maxSessionsPerHour === null ? null : formatCount(policy.maxSessionsPerHour)],
    ['Allowed addresses', policy.allowedAddresses?.join(', ') ?? null],
    ['Allowed hours', hours && `${weekdaysText(hours.days)}, ${hours.from} to ${hours.until} (${hours.timeZone})`],
    ['Calls that would exceed a limit', policy.whenOverLimit === 'refuse' ? 'Refused' : null],
    [
      'Minimum output of shortened calls',
      minOutputTokens === MIN_OUTPUT_DEFAULT ? null : `${formatCount(minOutputTokens)} tokens`,
    ],
    ['Calls without a maximum', assumedCostUsd === null ? null : `Assumed to cost ${shortDollars(assumedCostUsd)}`],
    ['Models without a price', policy.unpricedModels === 'allow' ? 'Allowed under dollar limits' : null],
    ['When the client disconnects', policy.onDisconnect === 'abort' ? 'Cancel the call' : null],
    ['Region of the provider key', policy.geo],
    ['Service tier of the provider key', policy.tier],
    ['Maximum request size', maxBodyBytes === null ? null : `${formatCount(maxBodyBytes)} bytes`],
  ];
  return rules.flatMap(([rule, text]) => (text === null ? [] : [[rule, text] as const]));
}

const DAYS_OF_WEEK = 7;

function weekdaysText(days: readonly string[]): string {
  return days.length === DAYS_OF_WEEK ? 'Every day' : days.join(', ');
}

/** Writes required tags: `team=search,ads; user`. */
export function requiredTagsText(required: PolicyShape['requiredTags'], between: string): string {
  return Object.entries(required)
    .map(([key, values]) => (values ? `${key}=${values.join(',')}` : key))
    .join(between);
}
