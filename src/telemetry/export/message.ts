import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ExportSignal } from '../../domain/telemetry/export-counts.ts';

/** Value of an attribute in the JSON form of OTLP. */
interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  /** Whole numbers are texts, as they may be above 2^53. */
  readonly intValue?: string;
  readonly doubleValue?: number;
}

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** Attributes by name; whole numbers and others are different types. null is left out. */
export type OtlpAttributes = Readonly<Record<string, string | boolean | bigint | number | null>>;

/** Returns attributes in their form of OTLP; a `bigint` becomes a whole number and a `number` a double. */
export function toKeyValues(attributes: OtlpAttributes): KeyValue[] {
  const list: KeyValue[] = [];
  for (const [key, value] of Object.entries(attributes))
    if (value !== null) list.push({ key, value: toAnyValue(value) });
  return list;
}

function toAnyValue(value: string | boolean | bigint | number): AnyValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'bigint':
      return { intValue: String(value) };
    default:
      return { doubleValue: value };
  }
}

/** Returns the time of a field, which is in nanoseconds. @param ms epoch milliseconds, whole */
export function toNanoTime(ms: number): string {
  return `${ms}000000`;
}

/** Type of a field in protobuf. A list of `fixed64s` and of `doubles` is packed. */
type FieldKind =
  | 'string'
  | 'hex'
  | 'bool'
  | 'int64'
  | 'uint32'
  | 'fixed32'
  | 'fixed64'
  | 'double'
  | 'fixed64s'
  | 'doubles';
/** Number and type of each field of a message. */
interface MessageForm {
  readonly [name: string]: readonly [number: number, kind: FieldKind | MessageForm];
}

const ANY_VALUE: MessageForm = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
};
const KEY_VALUE: MessageForm = { key: [1, 'string'], value: [2, ANY_VALUE] };
const RESOURCE: MessageForm = { attributes: [1, KEY_VALUE] };
const SCOPE: MessageForm = { name: [1, 'string'], version: [2, 'string'] };
const SPAN: MessageForm = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'uint32'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, KEY_VALUE],
  status: [15, { code: [3, 'uint32'] }],
  flags: [16, 'fixed32'],
};
const HISTOGRAM_POINT: MessageForm = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64s'],
  explicitBounds: [7, 'doubles'],
  attributes: [9, KEY_VALUE],
};
const METRIC: MessageForm = {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  histogram: [9, { dataPoints: [1, HISTOGRAM_POINT], aggregationTemporality: [2, 'uint32'] }],
};

/** Export requests of opentelemetry-proto, with the fields that are sent. */
export const REQUEST_FORMS = {
  traces: { resourceSpans: [1, { resource: [1, RESOURCE], scopeSpans: [2, { scope: [1, SCOPE], spans: [2, SPAN] }] }] },
  metrics: {
    resourceMetrics: [1, { resource: [1, RESOURCE], scopeMetrics: [2, { scope: [1, SCOPE], metrics: [2, METRIC] }] }],
  },
} as const satisfies Readonly<Record<ExportSignal, MessageForm>>;

/** Returns a message, which is in the JSON form of OTLP, as protobuf. */
export function toProtobuf(form: MessageForm, message: object): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writeMessage(writer, form, message as MessageFields);
  return writer.finish();
}

type MessageFields = Readonly<Record<string, unknown>>;

function writeMessage(writer: BinaryWriter, form: MessageForm, fields: MessageFields): void {
  for (const name in form) {
    const value = fields[name];
    const field = form[name];
    if (value === undefined || field === undefined) continue;
    const [number, kind] = field;
    if (Array.isArray(value) && typeof kind === 'object')
      for (const one of value) writeField(writer, number, kind, one);
    else writeField(writer, number, kind, value);
  }
}

function writeField(writer: BinaryWriter, number: number, kind: FieldKind | MessageForm, value: unknown): void {
  if (typeof kind === 'object') {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeMessage(writer, kind, value as MessageFields);
    writer.join();
  } else WRITERS[kind](writer, number, value as never);
}

const WRITERS: { readonly [Kind in FieldKind]: (writer: BinaryWriter, number: number, value: never) => void } = {
  string: (writer, number, value: string) => writer.tag(number, WireType.LengthDelimited).string(value),
  hex: (writer, number, value: string) => writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(value, 'hex')),
  bool: (writer, number, value: boolean) => writer.tag(number, WireType.Varint).bool(value),
  int64: (writer, number, value: string) => writer.tag(number, WireType.Varint).int64(value),
  uint32: (writer, number, value: number) => writer.tag(number, WireType.Varint).uint32(value),
  fixed32: (writer, number, value: number) => writer.tag(number, WireType.Bit32).fixed32(value),
  fixed64: (writer, number, value: string) => writer.tag(number, WireType.Bit64).fixed64(value),
  double: (writer, number, value: number) => writer.tag(number, WireType.Bit64).double(value),
  fixed64s(writer, number, value: readonly string[]) {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const one of value) writer.fixed64(one);
    writer.join();
  },
  doubles(writer, number, value: readonly number[]) {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const one of value) writer.double(one);
    writer.join();
  },
};
