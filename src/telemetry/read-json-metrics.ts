import { asMembers, asText, type JsonObject } from '../lib/json/values.ts';
import { CUMULATIVE, DELTA, type MetricPoint, pointIdentity, READ_METRICS } from './metric-point.ts';
import { membersAt, readJsonAttributes, readNanoTime } from './read-json.ts';
import { toMs } from './record-builder.ts';

/** Reads sums of the JSON form of an export request. What has another form than documented is left out. */
export function readJsonMetrics(body: unknown): MetricPoint[] {
  return membersAt(body, 'resourceMetrics').flatMap((resource) =>
    membersAt(resource, 'scopeMetrics').flatMap((scope) =>
      membersAt(scope, 'metrics').flatMap((metric) => readSum(metric, JSON.stringify(resource['resource'] ?? null))),
    ),
  );
}

const TEMPORALITIES = new Map<unknown, number>([
  [DELTA, DELTA],
  ['AGGREGATION_TEMPORALITY_DELTA', DELTA],
  [CUMULATIVE, CUMULATIVE],
  ['AGGREGATION_TEMPORALITY_CUMULATIVE', CUMULATIVE],
]);

function readSum(metric: JsonObject, resource: string): MetricPoint[] {
  const name = asText(metric['name']) ?? '';
  const sum = asMembers(metric['sum']);
  const temporality = TEMPORALITIES.get(sum['aggregationTemporality']);
  if (!READ_METRICS.has(name) || sum['isMonotonic'] !== true || temporality === undefined) return [];
  return membersAt(sum, 'dataPoints').flatMap((point) => {
    const at = toMs(readNanoTime(point['timeUnixNano']));
    if (at === null) return [];
    return {
      name,
      attributes: readJsonAttributes(point),
      identity: pointIdentity([name, resource, JSON.stringify(point['attributes'] ?? [])]),
      isCumulative: temporality === CUMULATIVE,
      startedAt: toMs(readNanoTime(point['startTimeUnixNano'])) ?? 0,
      at,
      value: Number(point['asInt'] ?? point['asDouble'] ?? Number.NaN),
    };
  });
}
