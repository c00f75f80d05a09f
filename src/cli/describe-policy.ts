import type { KeyPolicyShape, PolicyShape } from '../contract/limits.ts';
import { formatAmount } from '../domain/limits/limit-fields.ts';
import { renderActiveHours } from './active-hours.ts';
import { plainText } from './table.ts';

/** The rules that differ from what everybody may do, one in a line. */
export function describePolicy({ keyId, keyName, policy }: KeyPolicyShape): string {
  const rules = policyRules(policy);
  const who = plainText(`Key ${keyId} "${keyName}"`);
  if (rules.length === 0) return `${who} may do all that its provider allows.`;
  return [`${who}:`, ...rules.map(([rule, text]) => plainText(`  ${rule.padEnd(19)} ${text}`))].join('\n');
}

function policyRules(policy: PolicyShape): [rule: string, text: string][] {
  const { assumedCostUsd, activeHours, requiredTags } = policy;
  const required = Object.entries(requiredTags).map(([key, values]) => (values ? `${key}=${values.join(',')}` : key));
  const rules: [string, string | number | false | null][] = [
    ['models allowed', policy.allowedModels?.join(', ') ?? null],
    ['models denied', policy.deniedModels.join(', ')],
    ['largest output', policy.maxOutputTokens && `${policy.maxOutputTokens.toLocaleString('en-US')} tokens`],
    ['tags required', required.join('; ')],
    ['addresses', policy.addresses?.join(', ') ?? null],
    ['hours', activeHours && renderActiveHours(activeHours)],
    ['too large calls', policy.whenOverLimit === 'clamp' && 'are shortened'],
    ['work without bound', assumedCostUsd && `is presumed to cost ${formatAmount('usd', assumedCostUsd)}`],
    ['models unpriced', policy.unpriced === 'allow' && 'are allowed'],
    ['clients that leave', policy.onDisconnect === 'abort' && 'end the call'],
    ['geography', policy.geo],
    ['service tier', policy.tier],
    ['largest request', policy.bodyBytesMax && `${policy.bodyBytesMax.toLocaleString('en-US')} bytes`],
  ];
  return rules.flatMap(([rule, text]) => (text ? [[rule, String(text)]] : []));
}
