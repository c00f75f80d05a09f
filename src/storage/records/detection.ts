import type { Episode } from '../../domain/anomaly/episodes.ts';
import { type DetectSettings, SENSITIVITIES } from '../../domain/anomaly/series.ts';
import { TollbookError } from '../../domain/errors.ts';
import { NANO_MAX } from '../../domain/money/money.ts';
import { fromAlertRow, raiseAlert, resolveAlert, type StoredAlert } from './alerts.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, type RecordContext, requireWorkspace } from './context.ts';
import { storedWord } from './stored-word.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';
import type { Alert } from '../../domain/alerts/alert.ts';

/** Changes made by one run of detection: the current episodes and their alerts. */
export interface DetectionStep {
  readonly episodes: readonly Episode[];
  readonly raise: readonly Alert[];
  /** Episodes of alerts to reopen, and to resolve. */
  readonly reopen: readonly string[];
  readonly resolve: readonly string[];
}

export interface DetectionRecords {
  /** Returns the settings of a workspace; `DEFAULT_DETECT_SETTINGS` if it has none. */
  settings(workspaceId: string): Promise<DetectSettings>;
  update(
    workspaceId: string,
    change: Partial<DetectSettings>,
    actor: Actor,
    check?: ChangeCheck<DetectSettings>,
  ): Promise<DetectSettings>;
  episodes(workspaceId: string): Promise<readonly Episode[]>;
  /** Saves a step in one transaction, so that each episode is reported exactly once. Returns the new alerts. */
  keep(workspaceId: string, step: DetectionStep, at: number): Promise<StoredAlert[]>;
}

export const DEFAULT_DETECT_SETTINGS: DetectSettings = { sensitivity: 'normal', minExcessNano: 1_000_000_000 };

export function detectionRecords(context: RecordContext): DetectionRecords {
  const { db } = context;
  return {
    settings: (workspaceId) => readDetectSettings(db, workspaceId),
    update: (workspaceId, change, actor, check) =>
      audited(context, actor, async (tx, note) => {
        await requireWorkspace(tx, workspaceId);
        const before = await readDetectSettings(tx, workspaceId);
        check?.(before);
        const after = checkDetectSettings({ ...before, ...change }, before);
        const { sensitivity, minExcessNano: minimum } = after;
        await tx
          .insertInto('detection')
          .values({ workspace_id: workspaceId, sensitivity, minimum })
          .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ sensitivity, minimum }))
          .execute();
        await note({
          workspaceId,
          action: 'detection.update',
          subject: workspaceId,
          before: { ...before },
          after: { ...after },
        });
        return after;
      }),
    async episodes(workspaceId) {
      const query = db.selectFrom('episodes').select('known').where('workspace_id', '=', workspaceId);
      const row = await query.executeTakeFirst();
      return row ? (JSON.parse(row.known) as Episode[]) : [];
    },
    keep: (workspaceId, step, at) =>
      db.transaction().execute((tx) => saveDetectionStep(tx, context, workspaceId, step, at)),
  };
}

async function saveDetectionStep(
  tx: RecordTransaction,
  context: RecordContext,
  workspaceId: string,
  step: DetectionStep,
  at: number,
) {
  const { episodes, raise, reopen, resolve } = step;
  const known = JSON.stringify(episodes);
  await tx
    .insertInto('episodes')
    .values({ workspace_id: workspaceId, known })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ known }))
    .execute();
  for (const episode of reopen) {
    const update = tx.updateTable('alerts').set({ resolved_at: null });
    await update.where('workspace_id', '=', workspaceId).where('episode', '=', episode).execute();
  }
  for (const episode of resolve) await resolveAlert(tx, context, workspaceId, episode, at);
  const raised: RecordTables['alerts'][] = [];
  for (const alert of raise) {
    const row = await raiseAlert(tx, context, alert);
    if (row) raised.push(row);
  }
  return raised.map(fromAlertRow);
}

async function readDetectSettings(db: RecordDb, workspaceId: string): Promise<DetectSettings> {
  const query = db.selectFrom('detection').selectAll().where('workspace_id', '=', workspaceId);
  const row = await query.executeTakeFirst();
  if (!row) return DEFAULT_DETECT_SETTINGS;
  return { sensitivity: storedWord(SENSITIVITIES, row.sensitivity), minExcessNano: row.minimum };
}

function checkDetectSettings(settings: DetectSettings, before: DetectSettings): DetectSettings {
  const { sensitivity, minExcessNano } = settings;
  if (!SENSITIVITIES.includes(sensitivity))
    throw new TollbookError('invalid', `sensitivity must be one of ${SENSITIVITIES.join(', ')}.`, 'sensitivity');
  if (minExcessNano === before.minExcessNano) return settings;
  if (!Number.isSafeInteger(minExcessNano) || minExcessNano < 0 || minExcessNano > NANO_MAX)
    throw new TollbookError('invalid', 'minExcessUsd must be an amount of dollars.', 'minExcessUsd');
  return settings;
}
