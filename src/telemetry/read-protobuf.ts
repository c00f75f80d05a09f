import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { ALLOWED_ATTRIBUTES } from './allowed-attributes.ts';
import type { AttributeValue, TelemetryRecord } from './record.ts';
import { RecordBuilder } from './record-builder.ts';

/**
 * Reads the protobuf form of an export request (opentelemetry-proto, `ExportLogsServiceRequest` and
 * `ExportTraceServiceRequest`). Fields are numbered as there. Throws for bytes that are not such a message.
 */
export function readProtobufRecords(signal: TelemetryRecord['signal'], bytes: Uint8Array): TelemetryRecord[] {
  const records: TelemetryRecord[] = [];
  const reader = new BinaryReader(bytes);
  eachField(reader, reader.len, { 1: () => readResource(signal, reader, records) });
  return records;
}

type FieldReader = (reader: BinaryReader, type: WireType) => void;

/** Calls the reader of each field that is known, and skips the others without decoding them. */
export function eachField(reader: BinaryReader, end: number, fields: Readonly<Record<number, FieldReader>>): void {
  while (reader.pos < end) {
    const [number, type] = reader.tag();
    const read = fields[number];
    if (read) read(reader, type);
    else reader.skip(type, number);
  }
  if (reader.pos !== end) throw new RangeError('A message is longer than its length.');
}

/** Reads a message inside another. */
export function readInnerMessage(reader: BinaryReader, fields: Readonly<Record<number, FieldReader>>): void {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('A message ends after its end.');
  eachField(reader, end, fields);
}

/** Reads `ResourceLogs` or `ResourceSpans`. The resource may come after its records. */
function readResource(signal: TelemetryRecord['signal'], reader: BinaryReader, records: TelemetryRecord[]): void {
  const builders: RecordBuilder[] = [];
  const resource = new Map<string, AttributeValue>();
  readInnerMessage(reader, {
    1: () => readInnerMessage(reader, { 1: () => readWireAttribute(reader, resource) }),
    2: () => readInnerMessage(reader, { 2: () => builders.push(buildWireRecord(signal, reader)) }),
  });
  for (const builder of builders) {
    const record = builder.build(signal, resource);
    if (record) records.push(record);
  }
}

/** Reads a `LogRecord` or `Span`. */
function buildWireRecord(signal: TelemetryRecord['signal'], reader: BinaryReader): RecordBuilder {
  const builder = new RecordBuilder();
  const id = (name: 'traceId' | 'spanId' | 'parentSpanId') => (): void => {
    builder[name] = Buffer.from(reader.bytes()).toString('hex');
  };
  const time = (name: 'startNano' | 'endNano' | 'observedNano') => (): void => {
    builder[name] = BigInt(reader.fixed64());
  };
  const name = (): void => {
    builder.name = reader.string();
  };
  const attribute = (): void => readWireAttribute(reader, builder.attributes);
  if (signal === 'log')
    readInnerMessage(reader, {
      1: time('startNano'),
      6: attribute,
      9: id('traceId'),
      10: id('spanId'),
      11: time('observedNano'),
      12: name,
    });
  else
    readInnerMessage(reader, {
      1: id('traceId'),
      2: id('spanId'),
      4: id('parentSpanId'),
      5: name,
      7: time('startNano'),
      8: time('endNano'),
      9: attribute,
    });
  return builder;
}

/** Reads a `KeyValue`. Its value is decoded only if its key is allowed. */
export function readWireAttribute(reader: BinaryReader, attributes: Map<string, AttributeValue>): void {
  let key: string | null = null;
  let valueAt: number | null = null;
  const valueBefore = (_: BinaryReader, type: WireType): void => {
    valueAt = reader.pos;
    reader.skip(type, 2);
  };
  readInnerMessage(reader, {
    1: () => {
      key = reader.string();
    },
    2: valueBefore,
  });
  if (key === null || valueAt === null || !ALLOWED_ATTRIBUTES.has(key)) return;
  const end = reader.pos;
  reader.pos = valueAt;
  const value = readWireValue(reader);
  reader.pos = end;
  if (value !== null) attributes.set(key, value);
}

/** Reads an `AnyValue`; null = a list, a map, bytes or nothing. */
function readWireValue(reader: BinaryReader): AttributeValue | null {
  let value: AttributeValue | null = null;
  readInnerMessage(reader, {
    1: () => {
      value = reader.string();
    },
    2: () => {
      value = reader.bool();
    },
    3: () => {
      value = Number(reader.int64());
    },
    4: () => {
      value = reader.double();
    },
  });
  return value;
}
