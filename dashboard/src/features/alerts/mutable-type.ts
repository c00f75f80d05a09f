import type { MuteShape } from '../../../../src/contract/anomalies.ts';

type MutableType = NonNullable<MuteShape['type']>;

const MUTABLE: Readonly<Record<MutableType, true>> = {
  COST_SPIKE: true,
  UNUSUAL_ACTIVITY: true,
  ERROR_SPIKE: true,
  RATE_LIMIT: true,
  BUDGET_WARNING: true,
  BUDGET_EXCEEDED: true,
};

/** Alerts of spending can be muted; trouble of the installation is always told. null = it can't be. */
export function mutableType(type: string): MutableType | null {
  return type in MUTABLE ? (type as MutableType) : null;
}
