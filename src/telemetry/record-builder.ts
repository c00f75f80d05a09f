import type { AttributeValue, TelemetryRecord } from './record.ts';

const NANO_PER_MS = 1_000_000n;

/** A record while its fields are read. */
export class RecordBuilder {
  name = '';
  traceId = '';
  spanId = '';
  parentSpanId = '';
  startNano = 0n;
  endNano = 0n;
  observedNano = 0n;
  readonly attributes = new Map<string, AttributeValue>();

  /** Returns the record; null = it has no time. */
  build(signal: TelemetryRecord['signal'], resource: ReadonlyMap<string, AttributeValue>): TelemetryRecord | null {
    const { attributes, traceId, spanId, parentSpanId } = this;
    const startedAt = toMs(this.startNano) ?? toMs(this.observedNano);
    if (startedAt === null) return null;
    const eventName = attributes.get('event.name');
    // Some programs send the place in their source as the name of an event, and its name as an attribute.
    const name = signal === 'log' && typeof eventName === 'string' ? eventName : this.name;
    const service = resource.get('service.name');
    return {
      signal,
      name,
      service: typeof service === 'string' ? service : '',
      attributes,
      startedAt,
      endedAt: Math.max(startedAt, toMs(this.endNano) ?? startedAt),
      traceId,
      spanId,
      parentSpanId,
    };
  }
}

/** Returns milliseconds; null = no time. */
export function toMs(nano: bigint): number | null {
  const ms = Number(nano / NANO_PER_MS);
  return ms > 0 && Number.isSafeInteger(ms) ? ms : null;
}
