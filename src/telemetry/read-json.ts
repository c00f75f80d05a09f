import { asMembers, asText, type JsonObject } from '../lib/json/values.ts';
import { ALLOWED_ATTRIBUTES } from './allowed-attributes.ts';
import type { AttributeValue, TelemetryRecord } from './record.ts';
import { RecordBuilder } from './record-builder.ts';

const NAMES = {
  log: { resources: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
  span: { resources: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
} as const;

/** Reads the JSON form of an export request. What has another form than documented is left out. */
export function readJsonRecords(signal: TelemetryRecord['signal'], body: unknown): TelemetryRecord[] {
  const names = NAMES[signal];
  const records: TelemetryRecord[] = [];
  for (const resource of membersAt(body, names.resources)) {
    const attributes = readJsonAttributes(resource['resource']);
    for (const scope of membersAt(resource, names.scopes))
      for (const one of membersAt(scope, names.records)) {
        const record = buildJsonRecord(one).build(signal, attributes);
        if (record) records.push(record);
      }
  }
  return records;
}

export function membersAt(value: unknown, name: string): JsonObject[] {
  const list = asMembers(value)[name];
  return Array.isArray(list) ? list.map(asMembers) : [];
}

function buildJsonRecord(one: JsonObject): RecordBuilder {
  const builder = new RecordBuilder();
  builder.name = asText(one['name']) ?? asText(one['eventName']) ?? '';
  builder.traceId = asText(one['traceId'])?.toLowerCase() ?? '';
  builder.spanId = asText(one['spanId'])?.toLowerCase() ?? '';
  builder.parentSpanId = asText(one['parentSpanId'])?.toLowerCase() ?? '';
  builder.startNano = readNanoTime(one['startTimeUnixNano'] ?? one['timeUnixNano']);
  builder.endNano = readNanoTime(one['endTimeUnixNano']);
  builder.observedNano = readNanoTime(one['observedTimeUnixNano']);
  for (const [key, value] of readJsonAttributes(one)) builder.attributes.set(key, value);
  return builder;
}

/** Times are texts, because they are above 2^53; some programs send numbers all the same. */
export function readNanoTime(value: unknown): bigint {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? BigInt(Math.trunc(value)) : 0n;
}

export function readJsonAttributes(of: unknown): Map<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>();
  for (const one of membersAt(of, 'attributes')) {
    const key = asText(one['key']);
    const value = key !== null && ALLOWED_ATTRIBUTES.has(key) ? readJsonValue(asMembers(one['value'])) : null;
    if (key !== null && value !== null) attributes.set(key, value);
  }
  return attributes;
}

function readJsonValue(value: JsonObject): AttributeValue | null {
  const { stringValue, boolValue, intValue, doubleValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  for (const number of [intValue, doubleValue]) {
    if (typeof number === 'number') return number;
    if (typeof number === 'string' && number !== '') return Number(number);
  }
  return null;
}
