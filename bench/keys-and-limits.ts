import type { GatewayKey } from '../src/domain/identity/wrapped-key.ts';
import type { Limit } from '../src/domain/limits/limit.ts';
import { OPEN_POLICY } from '../src/domain/policy/policy.ts';
import { SECRET_PREFIX } from '../src/domain/identity/secret.ts';
import { hashSecret } from '../src/lib/crypto/cipher.ts';

const WORKSPACE = 'ws_default';
const SECRET_DIGITS = 44;
/** Never reached. */
const AMOUNT = 1_000_000_000_000_000;

/** Text of the wrapped key with this number, as long as a real one. */
export function benchSecret(number: number): string {
  return SECRET_PREFIX + String(number).padStart(SECRET_DIGITS, '0');
}

export function benchKeys(count: number): GatewayKey[] {
  return Array.from({ length: count }, (_, number) => ({
    id: keyId(number),
    hash: hashSecret(benchSecret(number)),
    workspaceId: WORKSPACE,
    provider: 'anthropic',
    name: `bench ${number}`,
    credential: 'provider_key',
    tags: { team: `team-${number % 10}` },
    expiresAt: null,
    revokedAt: null,
    policy: OPEN_POLICY,
    providerKey: 'sk-ant-bench',
  }));
}

type Kind = Pick<Limit, 'scope' | 'unit' | 'window'>;

/** Each of them matches every call. */
const COMMON: readonly Kind[] = [
  { scope: { kind: 'workspace' }, unit: 'usd', window: 'month' },
  { scope: { kind: 'provider', provider: 'anthropic' }, unit: 'calls', window: 'minute' },
  { scope: { kind: 'model', pattern: 'claude-sonnet-*' }, unit: 'tokens', window: 'hour' },
  { scope: { kind: 'each_tag', key: 'team' }, unit: 'usd', window: 'week' },
];

/** The common ones, and one for each key: a call counts under five. */
export function benchLimits(keys: number): Limit[] {
  const own = Array.from({ length: keys }, (_, number): Kind => {
    return { scope: { kind: 'key', keyId: keyId(number) }, unit: 'usd', window: 'day' };
  });
  return [...COMMON, ...own].map(toLimit);
}

/** One on each session and one on each agent. */
export function benchSessionLimits(): Limit[] {
  const names = ['session', 'agent'] as const;
  return names.map((of, index) =>
    toLimit({ scope: { kind: 'each', of, keyId: null }, unit: 'usd', window: 'total' }, SESSION_LIMITS_FROM + index),
  );
}

const SESSION_LIMITS_FROM = 1_000_000;

function toLimit({ scope, unit, window }: Kind, index: number): Limit {
  return {
    id: `lim_${index}`,
    counter: index + 1,
    workspaceId: WORKSPACE,
    scope,
    unit,
    amount: AMOUNT,
    raise: null,
    window,
    action: 'block',
    thresholds: [50, 80, 95],
    uncertain: 'keep',
    label: null,
    countsObserved: false,
    zones: [{ zone: 'UTC', since: 0 }],
    countsPast: true,
  };
}

function keyId(number: number): string {
  return `key_${String(number).padStart(26, '0')}`;
}
