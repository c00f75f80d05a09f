import type { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import {
  DEFAULT_THRESHOLDS,
  formatUncertain,
  parseAmount,
  parseUncertain,
  shownAmount,
  trimScope,
} from '../../domain/limits/limit-fields.ts';
import {
  type Limit,
  type LimitScope,
  type UncertainRule,
  type Unit,
  type Window,
  WINDOWS,
} from '../../domain/limits/limit.ts';
import { unlessUnchanged } from '../../domain/unless-unchanged.ts';
import type { LimitKind, NewLimit } from '../../storage/records/records.ts';
import { limitFields } from '../../contract/limits.ts';
import type { Services } from '../services.ts';

/** A limit as it is asked for: without a scope it counts the whole workspace, and it blocks unless it shall warn. */
export const limitInput = limitFields.partial().required({ unit: true, amount: true });

/** Reads the fields by which a limit differs from the others of its workspace. */
export function readLimitKind(
  { unit, scope = { kind: 'workspace' }, window, action = 'block' }: z.output<typeof limitInput>,
  workspaceId: string,
): LimitKind {
  return { workspaceId, scope: trimScope(scope), unit, window: window ?? defaultWindow(unit), action };
}

/**
 * The limit that the records are given; they check what its fields may be. `stored` is the one of the same kind that is
 * there. Throws `invalid`, naming the field.
 */
export function readNewLimit(
  input: z.output<typeof limitInput>,
  kind: LimitKind,
  { providers }: Pick<Services, 'providers'>,
  stored?: Limit,
): NewLimit {
  checkLimitProvider(kind.scope, providers);
  return {
    ...kind,
    amount: readAmount(kind.unit, input.amount, stored),
    thresholds: input.thresholds ?? DEFAULT_THRESHOLDS,
    uncertain: readUncertainRule(input.uncertainRule ?? 'keep', stored),
    label: input.label ?? null,
  };
}

/** An amount as it is shown stays the stored one. */
export function readAmount(unit: Unit, written: number | string, stored: Limit | undefined): number {
  const before = stored?.unit === unit ? stored.amount : undefined;
  const shown = before === undefined ? undefined : shownAmount(unit, before);
  return unlessUnchanged(before, written, () => parseAmount(unit, written, 'amount'), shown);
}

/** The same of the rule for uncertain calls. */
export function readUncertainRule(written: string, stored: Limit | undefined): UncertainRule {
  const before = stored?.uncertain;
  const shown = before === undefined ? undefined : formatUncertain(before);
  return unlessUnchanged(before, written.trim(), () => parseUncertain(written, 'uncertainRule'), shown);
}

/** A misspelt provider would never count a call. */
export function checkLimitProvider(scope: LimitScope, providers: Services['providers']): void {
  if (scope.kind !== 'provider' || providers.has(scope.provider)) return;
  const known = [...providers.keys()].join(', ');
  throw new TollbookError('invalid', `There is no provider "${scope.provider}"; choose from ${known}.`, 'scope');
}

function defaultWindow(unit: Unit): Window {
  if (unit === 'concurrency') return 'total';
  throw new TollbookError('invalid', `window is missing; choose one of ${WINDOWS.join(', ')}.`, 'window');
}
