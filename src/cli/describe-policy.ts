import type { KeyPolicyShape, PolicyShape } from '../contract/limits.ts';
import { formatAmount } from '../domain/limits/limit-fields.ts';
import { renderActiveHours } from './active-hours.ts';
import { plainText } from './table.ts';

/** The rules that differ from what everybody may do, one in a line. */
export function describePolicy({ keyId, keyName, policy }: KeyPolicyShape): string {
  const rules = rulesOf(policy);
  const who = plainText(`Key ${keyId} "${keyName}"`);
  if (rules.length === 0) return `${who} may do all that its provider allows.`;
  return [`${who}:`, ...rules.map(([rule, text]) => plainText(`  ${rule.padEnd(19)} ${text}`))].join('\n');
}

function rulesOf(policy: PolicyShape): [rule: string, text: string][] {
  const { presumeUsd, activeHours, requireTags } = policy;
  const required = Object.entries(requireTags).map(([key, values]) => (values ? `${key}=${values.join(',')}` : key));
  const rules: [string, string | number | false | null][] = [
    ['models allowed', policy.allowModels?.join(', ') ?? null],
    ['models denied', policy.denyModels.join(', ')],
    ['largest output', policy.outputTokensMax && `${policy.outputTokensMax.toLocaleString('en-US')} tokens`],
    ['tags required', required.join('; ')],
    ['addresses', policy.addresses?.join(', ') ?? null],
    ['hours', activeHours && renderActiveHours(activeHours)],
    ['too large calls', policy.whenTooLarge === 'clamp' && 'are shortened'],
    ['work without bound', presumeUsd && `is presumed to cost ${formatAmount('usd', presumeUsd)}`],
    ['models unpriced', policy.unpriced === 'allow' && 'are allowed'],
    ['clients that leave', policy.whenClientLeaves === 'abort' && 'end the call'],
    ['geography', policy.geo],
    ['service tier', policy.tier],
    ['largest request', policy.bodyBytesMax && `${policy.bodyBytesMax.toLocaleString('en-US')} bytes`],
  ];
  return rules.flatMap(([rule, text]) => (text ? [[rule, String(text)]] : []));
}
