import type { z } from 'zod';
import { TollbookError } from '../../core/errors.ts';
import { DEFAULT_THRESHOLDS, parseAmount, parseUncertain } from '../../core/limit-fields.ts';
import { type LimitScope, type Unit, type Window, WINDOWS } from '../../core/limit.ts';
import type { NewLimit } from '../../storage/records/records.ts';
import { limitFields } from '../contract-limits.ts';
import type { Services } from '../services.ts';

/** A limit as it is asked for: without a scope it counts the whole workspace, and it blocks unless it shall warn. */
export const limitInput = limitFields.partial().required({ unit: true, amount: true });

/** The limit that the records are given; they check what its fields may be. Throws `invalid`, naming the field. */
export function readNewLimit(
  input: z.output<typeof limitInput>,
  workspaceId: string,
  { providers }: Pick<Services, 'providers'>,
): NewLimit {
  const { unit, scope = { kind: 'workspace' } } = input;
  checkProvider(scope, providers);
  return {
    workspaceId,
    scope,
    unit,
    amount: parseAmount(unit, input.amount, 'amount'),
    window: input.window ?? defaultWindow(unit),
    action: input.action ?? 'block',
    thresholds: input.thresholds ?? DEFAULT_THRESHOLDS,
    uncertain: parseUncertain(input.uncertainRule ?? 'keep', 'uncertainRule'),
    label: input.label ?? null,
  };
}

/** A misspelt provider would never count a call. */
export function checkProvider(scope: LimitScope, providers: Services['providers']): void {
  if (scope.kind !== 'provider' || providers.has(scope.provider)) return;
  const known = [...providers.keys()].join(', ');
  throw new TollbookError('invalid', `There is no provider "${scope.provider}"; choose from ${known}.`, 'scope');
}

function defaultWindow(unit: Unit): Window {
  if (unit === 'concurrency') return 'total';
  throw new TollbookError('invalid', `window is missing; choose one of ${WINDOWS.join(', ')}.`, 'window');
}
