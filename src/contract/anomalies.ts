import { z } from 'zod';
import { etag, time, usd } from './fields.ts';
import { SEVERITIES } from '../domain/alerts/alert.ts';
import { FINDING_KINDS, FINDING_TYPES } from '../domain/anomaly/finding.ts';
import { SCOPE_KINDS, SENSITIVITIES } from '../domain/anomaly/series.ts';
import { MUTABLE_TYPES } from '../domain/alerts/mute.ts';

const scope = z
  .record(z.string(), z.string())
  .meta({ description: 'A key, model, provider or tag (`tag:NAME`); empty = the whole workspace' });
const unit = z.enum(['usd', 'calls', 'share', 'usd_per_million_tokens', 'hours']);

const evidence = z.object({
  kind: z.enum(FINDING_KINDS),
  unit: unit.meta({ description: 'Unit of value, baseline and threshold; `share` is a share of calls, 0 to 1' }),
  excessUsd: usd.meta({ description: 'Spend above the baseline; 0 if the anomaly is not about money' }),
  basis: z.enum(['hour_of_day', 'days', 'nothing']).meta({ description: 'Basis of the comparison' }),
  sampleSize: z.int().meta({ description: 'Number of hours or days in the comparison' }),
  movers: z
    .array(
      z.object({
        scope,
        name: z.string(),
        value: z.number(),
        baseline: z.number(),
        share: z.number().meta({ description: 'Share of the excess, 0 to 1' }),
        isNew: z.boolean(),
      }),
    )
    .meta({ description: 'Main contributors, largest first' }),
  alsoMatches: z.array(z.enum(FINDING_KINDS)).meta({ description: 'Other kinds of anomaly that also match' }),
  judgedHour: time,
});

const anomaly = z
  .object({
    type: z.enum(FINDING_TYPES),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    message: z.string(),
    scope,
    value: z.number(),
    baseline: z.number().meta({ description: 'Usual value' }),
    factor: z.number().nullable().meta({ description: 'value / baseline; null = the baseline is 0' }),
    threshold: z.number().meta({ description: 'Largest value that is not an anomaly' }),
    period: z.object({ start: time, end: time }),
    evidence,
  })
  .meta({ id: 'Anomaly' });
export type AnomalyShape = z.output<typeof anomaly>;

const detectionSettings = z
  .object({
    sensitivity: z.enum(SENSITIVITIES),
    minExcessUsd: usd.meta({ description: 'Smaller excesses are never reported' }),
  })
  .meta({ id: 'DetectionSettings' });
export type DetectionSettingsShape = z.output<typeof detectionSettings>;

/** The settings as their manager reads them. */
export const managedDetectionSettings = detectionSettings.extend({ etag }).meta({ id: 'ManagedDetectionSettings' });
export type ManagedDetectionSettings = z.output<typeof managedDetectionSettings>;

export const anomalyReport = z
  .object({
    enabled: z.boolean().meta({ description: 'Detection is on: an empty list means no anomalies' }),
    message: z.string(),
    at: time.meta({ description: 'Time of the check' }),
    anomalies: z
      .array(anomaly)
      .meta({ description: 'Anomalies of the current and the previous hour, strongest first' }),
    muted: z.int().meta({ description: 'Number of muted anomalies, which are left out' }),
    settings: detectionSettings,
    series: z
      .array(
        z.object({
          kind: z.enum(SCOPE_KINDS),
          scope,
          name: z.string(),
          verdict: z
            .enum(['finding', 'calm', 'not_enough_history'])
            .meta({ description: 'not_enough_history = no verdict yet' }),
          hours: z.int().meta({ description: 'Hours since the first usage' }),
          hoursNeeded: z.int(),
        }),
      )
      .meta({ description: 'Checked series: the whole workspace and its largest parts' }),
  })
  .meta({ id: 'AnomalyReport' });
export type AnomalyReportShape = z.output<typeof anomalyReport>;

export const backtestReport = z
  .object({
    period: z.object({ start: time, end: time }),
    settings: detectionSettings,
    message: z.string(),
    episodes: z
      .array(
        z.object({
          openedAt: time,
          lastAt: time.meta({ description: 'End of its last hour' }),
          resolvedAt: time.nullable().meta({ description: 'null = not resolved by the end of the period' }),
          severity: z.enum(SEVERITIES).meta({ description: 'Highest severity' }),
          opening: anomaly.meta({ description: 'First report' }),
        }),
      )
      .meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'Backtest' });
export type BacktestShape = z.output<typeof backtestReport>;

export const mute = z
  .object({
    id: z.string(),
    type: z.enum(MUTABLE_TYPES).nullable().meta({ description: 'null = all types that can be muted' }),
    scope: scope.meta({
      description: 'Required scope of an alert: key, model, provider, limit, tag:NAME; empty = any',
    }),
    until: time.nullable().meta({ description: 'null = until it is removed' }),
    reason: z.string(),
    createdAt: time,
    etag,
  })
  .meta({ id: 'Mute' });
export type MuteShape = z.output<typeof mute>;

export const muteInput = z.strictObject({
  type: z.enum(MUTABLE_TYPES).nullable().default(null),
  scope: z.record(z.string(), z.string()).default({}),
  until: z.string().nullable().default(null).meta({ format: 'date-time' }),
  reason: z.string().meta({ description: 'Note for people' }),
});
