import { z } from 'zod';
import { SEVERITIES } from '../domain/alerts/alert.ts';
import { FINDING_KINDS, FINDING_TYPES } from '../domain/anomaly/finding.ts';
import { SCOPE_KINDS, SENSITIVITIES } from '../domain/anomaly/series.ts';
import { MUTABLE_TYPES } from '../domain/alerts/mute.ts';

const time = z.string().meta({ format: 'date-time' });
const usd = z.number().meta({ description: 'US dollars' });
const scope = z
  .record(z.string(), z.string())
  .meta({ description: 'A key, model, provider or tag (`tag:NAME`); empty = the whole workspace' });
const unit = z.enum(['usd', 'calls', 'share', 'usd_per_million_tokens', 'hours']);

const evidence = z.object({
  kind: z.enum(FINDING_KINDS),
  unit: unit.meta({ description: 'Of value, baseline and threshold; a share is of calls, 0 to 1' }),
  excessUsd: usd.meta({ description: 'Spent above the usual; 0 where it is not about money' }),
  basis: z.enum(['hour_of_day', 'days', 'nothing']).meta({ description: 'What it was compared with' }),
  sampleSize: z.int().meta({ description: 'How many hours or days it was compared with' }),
  movers: z
    .array(
      z.object({
        scope,
        name: z.string(),
        value: z.number(),
        baseline: z.number(),
        share: z.number().meta({ description: 'Of what is above the usual, 0 to 1' }),
        isNew: z.boolean(),
      }),
    )
    .meta({ description: 'Parts that moved it, the largest first' }),
  alsoMatches: z.array(z.enum(FINDING_KINDS)).meta({ description: 'What else holds for it' }),
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
    baseline: z.number().meta({ description: 'What is usual' }),
    factor: z.number().nullable().meta({ description: 'value / baseline; null = nothing was usual' }),
    threshold: z.number().meta({ description: 'What would still have been usual' }),
    period: z.object({ start: time, end: time }),
    evidence,
  })
  .meta({ id: 'Anomaly' });
export type AnomalyShape = z.output<typeof anomaly>;

export const detectionSettings = z
  .object({
    sensitivity: z.enum(SENSITIVITIES),
    minExcessUsd: usd.meta({ description: 'What is less than this above the usual is never told' }),
  })
  .meta({ id: 'DetectionSettings' });
export type DetectionSettingsShape = z.output<typeof detectionSettings>;

export const anomalyReport = z
  .object({
    enabled: z.boolean().meta({ description: 'Somebody looks: an empty list is a finding' }),
    message: z.string(),
    at: time.meta({ description: 'When it was looked' }),
    anomalies: z.array(anomaly).meta({ description: 'Of the hour under way and the one before, the strongest first' }),
    muted: z.int().meta({ description: 'Anomalies that are left out, since somebody muted them' }),
    settings: detectionSettings,
    series: z
      .array(
        z.object({
          kind: z.enum(SCOPE_KINDS),
          scope,
          name: z.string(),
          verdict: z
            .enum(['finding', 'calm', 'not_enough_history'])
            .meta({ description: 'not_enough_history = nothing can be said of it yet' }),
          hours: z.int().meta({ description: 'Hours since it began' }),
          hoursNeeded: z.int(),
        }),
      )
      .meta({ description: 'What was looked at: the whole, and its biggest parts' }),
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
          resolvedAt: time.nullable().meta({ description: 'null = it went on at the end of the period' }),
          severity: z.enum(SEVERITIES).meta({ description: 'The worst' }),
          opening: anomaly.meta({ description: 'As it would have been reported first' }),
        }),
      )
      .meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'Backtest' });
export type BacktestShape = z.output<typeof backtestReport>;

export const mute = z
  .object({
    id: z.string(),
    type: z.enum(MUTABLE_TYPES).nullable().meta({ description: 'null = every type that can be muted' }),
    scope: scope.meta({
      description: 'What the scope of an alert must hold: key, model, provider, limit, tag:NAME; empty = anything',
    }),
    until: time.nullable().meta({ description: 'null = until it is removed' }),
    reason: z.string(),
    createdAt: time,
  })
  .meta({ id: 'Mute' });
export type MuteShape = z.output<typeof mute>;

export const muteInput = z.strictObject({
  type: z.enum(MUTABLE_TYPES).nullable().default(null),
  scope: z.record(z.string(), z.string()).default({}),
  until: z.string().nullable().default(null).meta({ format: 'date-time' }),
  reason: z.string().meta({ description: 'For whoever wonders later' }),
});
