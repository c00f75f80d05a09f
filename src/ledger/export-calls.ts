import { readFileSync } from 'node:fs';
import { type Config, LIMITS } from '../config.ts';
import { operatorGuard } from '../domain/alerts/webhook-address.ts';
import type { ExportSignal } from '../domain/telemetry/export-counts.ts';
import type { ExportTarget } from '../domain/telemetry/export-settings.ts';
import { type Clock, systemScheduler } from '../lib/clock.ts';
import { createGuardedSender } from '../lib/http/guarded-sender.ts';
import type { Log } from '../lib/log.ts';
import type { EntryStore } from '../storage/entry-store.ts';
import { CallExporter } from '../telemetry/export/call-exporter.ts';
import { SignalSender } from '../telemetry/export/signal-sender.ts';
import { VERSION } from '../version.ts';

type EntrySink = Pick<EntryStore, 'append' | 'mark'>;

interface ExporterParts {
  readonly config: Config;
  /** Distinguishes the metrics of several nodes. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns the exporter of calls; null = it is off. A wrong setting is logged, and never stops the service. */
export function openCallExporter({ config, nodeId, clock, log }: ExporterParts): CallExporter | null {
  const { settings, problem } = config.callExport;
  if (problem !== null) log.warn(problem);
  if (!settings) return null;
  try {
    const senders = {
      traces: settings.traces && openSender('traces', settings.traces, config),
      metrics: settings.metrics && openSender('metrics', settings.metrics, config),
    };
    const resource = { 'service.instance.id': nodeId, ...settings.resource };
    const queueMax = LIMITS.exportQueueCallsMax;
    const parts = { version: VERSION, senders, clock, scheduler: systemScheduler, log, queueMax };
    return new CallExporter({ ...parts, settings: { ...settings, resource } });
  } catch (error) {
    log.warn({ err: error }, 'calls are not exported: the file of OTEL_EXPORTER_OTLP_CERTIFICATE could not be read');
    return null;
  }
}

function openSender(signal: ExportSignal, target: ExportTarget, { webhookAllow }: Config): SignalSender {
  const { certificateFile, timeoutMs } = target;
  const sender = createGuardedSender({
    guard: operatorGuard(webhookAllow),
    limits: { totalMsMax: timeoutMs },
    ...(certificateFile !== null && { ca: readFileSync(certificateFile, 'utf8') }),
  });
  return new SignalSender({ signal, target, sender, scheduler: systemScheduler });
}

/** Returns a store that exports calls once they are in the ledger. */
export function withCallExport(shipping: EntrySink, exporter: Pick<CallExporter, 'record'> | null): EntrySink {
  if (!exporter) return shipping;
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      exporter.record(batch.entries);
      return appended;
    },
  };
}
