import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { LimitPreview } from '../../../../src/contract/limits.ts';
import { countNoun, formatCount } from '../../../../src/domain/text/counts.ts';
import { formatDateTime } from '../../../../src/domain/text/dates.ts';
import { describeNeeded } from '../../../../src/domain/text/limits.ts';
import { explainPreview, previewWarning } from '../../../../src/domain/text/limit-preview.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { Note } from '../../shared/ui/note.tsx';
import type { DraftProps } from './limit-draft.ts';
import styles from './limit-needs.module.css';
import { useLimitPreview } from './queries.ts';

/** Pause in typing after which the preview is read. */
const TYPING_PAUSE_MS = 400;

/** Shows what calls in the scope of the draft need, and what the limit would have done to those of the last seven days. */
export function LimitNeeds({ draft }: Pick<DraftProps, 'draft'>): ReactNode {
  const { timeZone } = useWorkspace();
  const [paused] = useDebouncedValue(draft, TYPING_PAUSE_MS);
  const preview = useLimitPreview(paused);
  if (preview === null) return null;
  const warning = previewWarning(preview);
  return (
    <div className={styles.needs} aria-live="polite">
      {preview.effect === null || preview.history.calls === 0 ? (
        <p className="soft">{explainPreview(preview, timeZone).join(' ')}</p>
      ) : (
        <>
          <Facts
            of={[
              ['A call needs', holdsText(preview)],
              ['Room for', roomText(preview)],
              ['Effect on', historyText(preview, timeZone)],
              ['Left out', refusedText(preview)],
            ]}
          />
          <EffectBar preview={preview} />
        </>
      )}
      {warning !== null && (
        <Note kind="warn">
          <p>
            {warning} {preview.action === 'block' && 'Choose a larger amount, or these calls are shortened or refused.'}
          </p>
        </Note>
      )}
    </div>
  );
}

/** Describes the holds of past calls; null = not in this unit. */
function holdsText({ unit, holds }: Pick<LimitPreview, 'unit' | 'holds'>): string | null {
  if (holds === null || unit === 'calls' || unit === 'concurrency') return null;
  const { median, p95, max } = holds;
  if (median === max) return describeNeeded(unit, max);
  return `${describeNeeded(unit, median)} (median), ${describeNeeded(unit, p95)} (95th percentile), ${describeNeeded(unit, max)} (maximum)`;
}

/** Describes how many calls fit at the same time; null = any number. */
function roomText({ fitAtOnce }: LimitPreview): string | null {
  if (fitAtOnce === null || fitAtOnce.median === null || fitAtOnce.p95 === null) return null;
  const { median, p95 } = fitAtOnce;
  const large = median === p95 ? '' : `, or ${countNoun(p95, 'call')} at the 95th percentile`;
  return `${countNoun(median, 'median call')} at the same time${large}`;
}

/** Names the past calls that the bar shows. */
function historyText({ action, history }: LimitPreview, timeZone: string): string {
  const since = history.isComplete ? 'in the last 7 days' : `since ${formatDateTime(history.from, timeZone)}`;
  const unpriced = history.unpricedCalls === 0 ? '' : `, ${formatCount(history.unpricedCalls)} without a price`;
  return `${countNoun(history.calls, 'call')} ${since}${unpriced}${action === 'warn' ? ', if it blocked' : ''}`;
}

/** Describes the calls that limits refused, which were not replayed; null = none. */
function refusedText({ unit, refusedCalls }: LimitPreview): string | null {
  if (refusedCalls === null) return null;
  const { calls, isComplete, needed } = refusedCalls;
  const counted = `${isComplete ? '' : 'at least '}${countNoun(calls, 'refused call')}`;
  const needs = holdsText({ unit, holds: needed });
  return needs === null ? counted : `${counted}, which needed ${needs}`;
}

/** A bar of the past calls: sent whole, after waiting, shortened, refused. */
function EffectBar({ preview: { history, effect } }: { readonly preview: LimitPreview }): ReactNode {
  if (effect === null || history.calls === 0) return null;
  const whole = history.calls - effect.refused - effect.shortened - effect.waited;
  const parts = [
    { kind: 'whole', calls: whole, name: 'sent whole' },
    { kind: 'waited', calls: effect.waited, name: 'after waiting' },
    { kind: 'shortened', calls: effect.shortened, name: 'shortened' },
    { kind: 'refused', calls: effect.refused, name: 'refused' },
  ].filter(({ calls }) => calls > 0);
  return (
    <>
      <div
        className={styles.bar}
        role="img"
        aria-label={parts.map(({ calls, name }) => `${countNoun(calls, 'call')} ${name}`).join(', ')}
      >
        {parts.map(({ kind, calls }) => (
          <span key={kind} data-kind={kind} style={{ flexGrow: calls }} />
        ))}
      </div>
      <ul className={styles.legend} aria-hidden="true">
        {parts.map(({ kind, calls, name }) => (
          <li key={kind}>
            <span data-kind={kind} />
            {formatCount(calls)} {name}
          </li>
        ))}
      </ul>
    </>
  );
}
