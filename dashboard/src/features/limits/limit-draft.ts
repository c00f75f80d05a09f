import type { LimitShape } from '../../../../src/contract/limits.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import type { DescribedLimit, LimitScope, LimitUnit, LimitWindow } from '../../shared/limits/limit-text.ts';

/** A limit as it stands in the form: all that is typed is text until it is sent. */
export interface LimitDraft {
  readonly kind: LimitScope['kind'];
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
}

/** What a part of the form is given. */
export interface DraftProps {
  readonly draft: LimitDraft;
  readonly onChange: (change: Partial<LimitDraft>) => void;
}

/** What the form shows of a limit: when another changes it meanwhile, nothing of that is overwritten. */
export function toSeenLimit(limit: LimitShape): Readonly<Record<string, unknown>> {
  const { scope, unit, amount, window, action, thresholds, label, uncertainRule } = limit;
  return { scope, unit, amount, window, action, thresholds, label, uncertainRule };
}

/** There is nothing behind a nano-dollar. */
const USD_DIGITS = 9;

export const NEW_DRAFT: LimitDraft = {
  kind: 'workspace',
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
};

export function toDraft(limit: LimitShape): LimitDraft {
  const { scope, unit, amount, window, action, thresholds, label, uncertainRule } = limit;
  return {
    ...NEW_DRAFT,
    kind: scope.kind,
    ...(scope.kind === 'key' && { keyId: scope.keyId }),
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
  };
}

/** As exact as it is, and as people write it: 0.0000001, not 1e-7. */
export function writeAmount(unit: LimitUnit, amount: number): string {
  return unit === 'usd' ? amount.toFixed(USD_DIGITS).replace(/\.?0+$/, '') : String(amount);
}

/**
 * As the API takes it. What was typed goes as it is: the service says what is wrong with it.
 * @throws Error about thresholds that are no numbers, which the service would name by its own words
 */
export function toRequestBody(draft: LimitDraft): Readonly<Record<string, unknown>> {
  const { unit, amount, action, thresholds, label, uncertainRule } = draft;
  return {
    scope: draftScope(draft),
    unit,
    amount,
    window: draftWindow(draft),
    action,
    thresholds: splitList(thresholds).map(readPercent),
    uncertainRule,
    label: label.trim() === '' ? null : label,
  };
}

function readPercent(text: string): number {
  const percent = Number(text.replace('%', ''));
  if (Number.isFinite(percent)) return percent;
  throw new Error(`“${text}” is no percentage. Write for instance 50, 80, 95 under “Raise an alert at”.`);
}

/** Of the limits that are there, the one that the draft would be a second of: the service takes each kind once. */
export function findTwin(draft: LimitDraft, limits: readonly LimitShape[]): LimitShape | undefined {
  const kind = kindText({ ...draft, scope: draftScope(draft), window: draftWindow(draft) });
  return limits.find((limit) => kindText(limit) === kind);
}

function kindText({ scope, unit, window, action }: Pick<LimitShape, 'scope' | 'unit' | 'window' | 'action'>): string {
  return JSON.stringify([unit, window, action, Object.entries(scope).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** What runs at once has no window. */
function draftWindow({ unit, window }: LimitDraft): LimitWindow {
  return unit === 'concurrency' ? 'total' : window;
}

function draftScope({ kind, keyId, provider, pattern, tagKey, tagValue }: LimitDraft): LimitScope {
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
  }
}

/** What an amount of 0 does, which nobody should have to find out; null = it is another one. */
export function zeroText({ amount, action, kind }: LimitDraft): string | null {
  if (amount.trim() === '' || Number(amount) !== 0) return null;
  if (action === 'warn') return 'With 0, the first call that it covers raises an alert.';
  const refused = 'With 0, everything that it covers is refused.';
  return kind === 'key' ? `${refused} To end the key for good, revoke it on its page.` : refused;
}

/** What can be said in a sentence; null = something that it needs is missing still. */
export function toDescribedLimit(draft: LimitDraft): DescribedLimit | null {
  const amount = Number(draft.amount);
  const scope = draftScope(draft);
  const complete = Object.values(scope).every((part) => part.trim() !== '');
  if (!complete || draft.amount.trim() === '' || !Number.isFinite(amount) || amount < 0) return null;
  const { unit, window, action } = draft;
  return { scope, unit, amount, window, action };
}
