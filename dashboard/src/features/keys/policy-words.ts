import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { exactCount } from '../../shared/format/number.ts';

/** The rules that differ from what everybody may do, by their names. */
export function describePolicy(policy: PolicyShape): readonly (readonly [rule: string, text: string])[] {
  const { presumeUsd, activeHours: hours, requireTags, outputTokensMax, bodyBytesMax } = policy;
  const rules: readonly (readonly [string, string | null])[] = [
    ['Only models', policy.allowModels?.join(', ') ?? null],
    ['Not models', policy.denyModels.join(', ') || null],
    ['Largest output', outputTokensMax === null ? null : `${exactCount(outputTokensMax)} tokens`],
    ['Tags a call must carry', requiredTagsText(requireTags, '; ') || null],
    ['Only from', policy.addresses?.join(', ') ?? null],
    ['Only then', hours && `${weekdaysText(hours.days)}, ${hours.from} to ${hours.until} (${hours.timeZone})`],
    ['Calls too large', policy.whenTooLarge === 'clamp' ? 'are shortened to what a limit has left' : null],
    ['Work without a bound', presumeUsd === null ? null : `is presumed to cost ${formatUsd(presumeUsd)}`],
    ['Models without a price', policy.unpriced === 'allow' ? 'are allowed under limits in dollars' : null],
    ['When a client leaves', policy.whenClientLeaves === 'abort' ? 'the call is ended' : null],
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
export function requiredTagsText(required: PolicyShape['requireTags'], between: string): string {
  return Object.entries(required)
    .map(([key, values]) => (values ? `${key}=${values.join(',')}` : key))
    .join(between);
}
