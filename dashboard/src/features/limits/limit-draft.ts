import type { LimitShape } from '../../../../src/contract/limits.ts';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import { FieldError } from '../../shared/ui/form-errors.ts';
import {
  type DescribedLimit,
  type LimitScope,
  type LimitUnit,
  type LimitWindow,
  writeAmount,
} from '../../shared/limits/limit-text.ts';

/** A limit on each session, agent or run. */
export type EachScope = Extract<LimitScope, { readonly kind: 'each' }>;

/** A limit in the form: typed values stay text until they are sent. */
export interface LimitDraft {
  readonly kind: LimitScope['kind'];
  /** Name that is counted separately, for `each`. */
  readonly of: EachScope['of'];
  readonly keyId: string;
  readonly provider: string;
  readonly pattern: string;
  readonly tagKey: string;
  readonly tagValue: string;
  readonly unit: LimitUnit;
  readonly amount: string;
  readonly window: LimitWindow;
  readonly action: LimitShape['action'];
  readonly thresholds: string;
  readonly label: string;
  readonly uncertainRule: string;
  readonly countsObserved: boolean;
}

/** Props of a part of the form. */
export interface DraftProps {
  readonly draft: LimitDraft;
  readonly onChange: (change: Partial<LimitDraft>) => void;
}

export const NEW_DRAFT: LimitDraft = {
  kind: 'workspace',
  of: 'session',
  keyId: '',
  provider: '',
  pattern: '',
  tagKey: '',
  tagValue: '',
  unit: 'usd',
  amount: '',
  window: 'day',
  action: 'block',
  thresholds: '50, 80, 95',
  label: '',
  uncertainRule: 'keep',
  countsObserved: false,
};

export function toDraft(limit: LimitShape): LimitDraft {
  const { scope, unit, amount, window, action, thresholds, label, uncertainRule, countsObserved } = limit;
  return {
    ...NEW_DRAFT,
    kind: scope.kind,
    ...(scope.kind === 'key' && { keyId: scope.keyId }),
    ...(scope.kind === 'each' && { of: scope.of, keyId: scope.keyId ?? '' }),
    ...(scope.kind === 'provider' && { provider: scope.provider }),
    ...(scope.kind === 'model' && { pattern: scope.pattern }),
    ...((scope.kind === 'tag' || scope.kind === 'each_tag') && { tagKey: scope.key }),
    ...(scope.kind === 'tag' && { tagValue: scope.value }),
    unit,
    amount: writeAmount(unit, amount),
    window,
    action,
    thresholds: thresholds.join(', '),
    label: label ?? '',
    uncertainRule,
    countsObserved,
  };
}

/**
 * Returns the request body. Typed values go unchanged: the service validates them.
 * @throws FieldError for thresholds that are not numbers
 */
export function toRequestBody(draft: LimitDraft): RouteRequest<'POST /api/manage/limits'>['body'] {
  const { unit, amount, action, thresholds, label, uncertainRule, countsObserved } = draft;
  return {
    scope: draftScope(draft),
    unit,
    amount,
    window: draftWindow(draft),
    action,
    thresholds: splitList(thresholds).map(readPercent),
    uncertainRule,
    label: label.trim() === '' ? null : label,
    countsObserved: action === 'warn' && countsObserved,
  };
}

function readPercent(text: string): number {
  const percent = Number(text.replace('%', ''));
  if (Number.isFinite(percent)) return percent;
  throw new FieldError('thresholds', `“${text}” is not a percentage. Enter for example 50, 80, 95.`);
}

/** Finds the limit that the draft duplicates: the service allows each combination once. */
export function findTwin(draft: LimitDraft, limits: readonly LimitShape[]): LimitShape | undefined {
  const kind = kindText({ ...draft, scope: draftScope(draft), window: draftWindow(draft) });
  return limits.find((limit) => kindText(limit) === kind);
}

function kindText({ scope, unit, window, action }: Pick<LimitShape, 'scope' | 'unit' | 'window' | 'action'>): string {
  return JSON.stringify([unit, window, action, Object.entries(scope).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Limits on concurrent calls have no window. */
function draftWindow({ unit, window }: LimitDraft): LimitWindow {
  return unit === 'concurrency' ? 'total' : window;
}

function draftScope({ kind, of, keyId, provider, pattern, tagKey, tagValue }: LimitDraft): LimitScope {
  switch (kind) {
    case 'workspace':
      return { kind };
    case 'key':
      return { kind, keyId };
    case 'provider':
      return { kind, provider };
    case 'model':
      return { kind, pattern };
    case 'tag':
      return { kind, key: tagKey, value: tagValue };
    case 'each_tag':
      return { kind, key: tagKey };
    case 'each':
      return { kind, of, keyId: keyId === '' ? null : keyId };
  }
}

/** Warns about the effect of an amount of 0; null = another amount. */
export function zeroText({ amount, action, kind }: LimitDraft): string | null {
  if (amount.trim() === '' || Number(amount) !== 0) return null;
  if (action === 'warn') return 'An amount of 0 raises an alert at the first call in scope.';
  const refused = 'An amount of 0 refuses every call in scope.';
  return kind === 'key' ? `${refused} To disable the key permanently, revoke it instead.` : refused;
}

/** Returns the limit for a preview sentence; null = the draft is incomplete. */
export function toDescribedLimit(draft: LimitDraft): DescribedLimit | null {
  const amount = Number(draft.amount);
  const scope = draftScope(draft);
  const complete = Object.values(scope).every((part) => part?.trim() !== '');
  if (!complete || draft.amount.trim() === '' || !Number.isFinite(amount) || amount < 0) return null;
  const { unit, window, action } = draft;
  return { scope, unit, amount, window, action };
}

/** Returns the part of the request body that a preview depends on; null = the draft is incomplete. */
export function toPreviewBody(draft: LimitDraft): RouteRequest<'POST /api/manage/limits/preview'>['body'] | null {
  if (toDescribedLimit(draft) === null) return null;
  const { unit, amount, action } = draft;
  return { scope: draftScope(draft), unit, amount, window: draftWindow(draft), action };
}

/** Describes how long a limit counts uncertain calls. */
export function uncertainRuleText(rule: string): string {
  if (rule === 'keep') return 'Counted until the window ends';
  return `Counted for ${rule.replace('release-after ', '')}`;
}
