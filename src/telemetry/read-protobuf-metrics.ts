import { BinaryReader } from '@bufbuild/protobuf/wire';
import { CUMULATIVE, DELTA, type MetricPoint, pointIdentity, READ_METRICS } from './metric-point.ts';
import { eachField, readInnerMessage, readWireAttribute } from './read-protobuf.ts';
import type { AttributeValue } from './record.ts';
import { toMs } from './record-builder.ts';

/** A point while its metric is read. */
interface PointBuilder {
  readonly attributes: Map<string, AttributeValue>;
  /** Attributes as they were sent. */
  readonly written: Uint8Array[];
  start: bigint;
  time: bigint;
  value: number;
}

/** A metric while it is read; its resource may come after it. */
interface MetricBuilder {
  name: string;
  temporality: number;
  isMonotonic: boolean;
  readonly points: PointBuilder[];
}

/** Reads sums of the protobuf form of an `ExportMetricsServiceRequest`. Throws for bytes that are not such a message. */
export function readProtobufMetrics(bytes: Uint8Array): MetricPoint[] {
  const points: MetricPoint[] = [];
  const reader = new BinaryReader(bytes);
  eachField(reader, reader.len, { 1: () => points.push(...readResourceMetrics(reader)) });
  return points;
}

function readResourceMetrics(reader: BinaryReader): MetricPoint[] {
  let resource = new Uint8Array();
  const metrics: MetricBuilder[] = [];
  readInnerMessage(reader, {
    1: () => {
      resource = Uint8Array.from(reader.bytes());
    },
    2: () => readInnerMessage(reader, { 2: () => metrics.push(readMetric(reader)) }),
  });
  return metrics
    .filter(isReadMetric)
    .flatMap((metric) => metric.points.flatMap((point) => toPoint(metric, point, resource)));
}

function isReadMetric({ name, isMonotonic, temporality }: MetricBuilder): boolean {
  return READ_METRICS.has(name) && isMonotonic && (temporality === DELTA || temporality === CUMULATIVE);
}

function toPoint(metric: MetricBuilder, point: PointBuilder, resource: Uint8Array): MetricPoint[] {
  const { name, temporality } = metric;
  const at = toMs(point.time);
  if (at === null) return [];
  const identity = pointIdentity([name, resource, ...point.written]);
  const { attributes, value } = point;
  const isCumulative = temporality === CUMULATIVE;
  return [{ name, attributes, identity, isCumulative, startedAt: toMs(point.start) ?? 0, at, value }];
}

/** Reads a `Metric`. Only a `Sum` has points here. */
function readMetric(reader: BinaryReader): MetricBuilder {
  const metric: MetricBuilder = { name: '', temporality: 0, isMonotonic: false, points: [] };
  const readSum = (): void =>
    readInnerMessage(reader, {
      1: () => metric.points.push(readNumberPoint(reader)),
      2: () => {
        metric.temporality = reader.int32();
      },
      3: () => {
        metric.isMonotonic = reader.bool();
      },
    });
  readInnerMessage(reader, {
    1: () => {
      metric.name = reader.string();
    },
    7: readSum,
  });
  return metric;
}

/** Reads a `NumberDataPoint`. */
function readNumberPoint(reader: BinaryReader): PointBuilder {
  const point: PointBuilder = { attributes: new Map(), written: [], start: 0n, time: 0n, value: Number.NaN };
  readInnerMessage(reader, {
    2: () => {
      point.start = BigInt(reader.fixed64());
    },
    3: () => {
      point.time = BigInt(reader.fixed64());
    },
    4: () => {
      point.value = reader.double();
    },
    6: () => {
      point.value = Number(reader.sfixed64());
    },
    7: () => {
      const from = reader.pos;
      point.written.push(Uint8Array.from(reader.bytes()));
      reader.pos = from;
      readWireAttribute(reader, point.attributes);
    },
  });
  return point;
}
