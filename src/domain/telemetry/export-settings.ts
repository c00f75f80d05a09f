import { TollbookError } from '../errors.ts';
import type { ExportSignal } from './export-counts.ts';

/** The receiver of one signal. */
export interface ExportTarget {
  readonly url: string;
  /** Hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly compression: (typeof COMPRESSIONS)[number];
  /** Time for one request. */
  readonly timeoutMs: number;
  /** File with certificates to trust instead of the system's; null = those. */
  readonly certificateFile: string | null;
}

/** Settings of the export of gateway calls by OTLP; null for a signal = it is off. */
export interface ExportSettings {
  readonly traces: ExportTarget | null;
  readonly metrics: ExportTarget | null;
  /** Attributes of the service. */
  readonly resource: Readonly<Record<string, string>>;
  /** Experimental names of the GenAI conventions, with the cost. */
  readonly isExperimental: boolean;
  readonly temporality: 'cumulative' | 'delta';
  /** Interval of metrics. */
  readonly metricsEveryMs: number;
}

/** Settings of the export, or why there is none. */
export interface ReadExport {
  /** null = off. */
  readonly settings: ExportSettings | null;
  /** A wrong setting, in a sentence: nothing is exported; null = none. */
  readonly problem: string | null;
}

type EnvVariables = Readonly<Record<string, string | undefined>>;

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const COMPRESSIONS = ['none', 'gzip'] as const;
const TIMEOUT_MS_DEFAULT = '10000';
const METRICS_EVERY_MS_DEFAULT = '60000';
const EXPERIMENTAL = 'gen_ai_latest_experimental';

/**
 * Reads OpenTelemetry's own variables. An endpoint turns the export on. Other programs share these variables, so a wrong
 * one never stops a command or the service.
 * @param own addresses of this service, which is never exported to
 */
export function readExportSettings(env: EnvVariables, own: readonly string[]): ReadExport {
  try {
    return { settings: readTargets(env, own), problem: null };
  } catch (error) {
    if (error instanceof TollbookError) return { settings: null, problem: error.message };
    throw error;
  }
}

function readTargets(env: EnvVariables, own: readonly string[]): ExportSettings | null {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return null;
  const traces = readTarget(env, 'traces', own);
  const metrics = readTarget(env, 'metrics', own);
  if (!traces && !metrics) return null;
  const resource = readNamedValues('OTEL_RESOURCE_ATTRIBUTES', env['OTEL_RESOURCE_ATTRIBUTES']);
  const service = env['OTEL_SERVICE_NAME'] || (resource['service.name'] ?? 'tollbook');
  const temporality = env['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'] || 'cumulative';
  return {
    traces,
    metrics,
    resource: { ...resource, 'service.name': service },
    isExperimental: splitItems(env['OTEL_SEMCONV_STABILITY_OPT_IN']).includes(EXPERIMENTAL),
    temporality: temporality.toLowerCase() === 'cumulative' ? 'cumulative' : 'delta',
    metricsEveryMs: readMs(
      'OTEL_METRIC_EXPORT_INTERVAL',
      env['OTEL_METRIC_EXPORT_INTERVAL'] || METRICS_EVERY_MS_DEFAULT,
    ),
  };
}

/** null = the signal is off. */
function readTarget(env: EnvVariables, signal: ExportSignal, own: readonly string[]): ExportTarget | null {
  const { name: endpointName, value: endpoint } = readSignalVariable(env, signal, 'ENDPOINT');
  if (endpoint === null || !splitItems(env[`OTEL_${signal.toUpperCase()}_EXPORTER`] || 'otlp').includes('otlp'))
    return null;
  const url = readReceiverUrl(endpointName, endpoint);
  if (own.includes(url.origin))
    throw wrongVariable(endpointName, 'is the address of this service; calls are not exported to it');
  // The common endpoint is a base, that of a signal is whole.
  if (endpointName === COMMON_ENDPOINT) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`;
  const headers = readSignalVariable(env, signal, 'HEADERS');
  const protocol = readSignalVariable(env, signal, 'PROTOCOL');
  const compression = readSignalVariable(env, signal, 'COMPRESSION');
  const timeout = readSignalVariable(env, signal, 'TIMEOUT');
  return {
    url: url.href,
    headers: readExportHeaders(headers.name, headers.value),
    protocol: chooseOne(protocol.name, protocol.value ?? PROTOCOLS[0], PROTOCOLS),
    compression: chooseOne(compression.name, compression.value ?? COMPRESSIONS[0], COMPRESSIONS),
    timeoutMs: readMs(timeout.name, timeout.value ?? TIMEOUT_MS_DEFAULT),
    certificateFile: readSignalVariable(env, signal, 'CERTIFICATE').value,
  };
}

const COMMON = 'OTEL_EXPORTER_OTLP_';
const COMMON_ENDPOINT = `${COMMON}ENDPOINT`;

/** Returns the variable of the signal, else the common one; an empty one is not set. */
function readSignalVariable(
  env: EnvVariables,
  signal: ExportSignal,
  name: string,
): { name: string; value: string | null } {
  const own = `${COMMON}${signal.toUpperCase()}_${name}`;
  const common = `${COMMON}${name}`;
  if (env[own]) return { name: own, value: env[own] };
  return { name: common, value: env[common] || null };
}

function readReceiverUrl(name: string, text: string): URL {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.hash !== '')
    throw wrongVariable(name, 'is no http or https address without a user; write for instance http://localhost:4318');
  return url;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

function readExportHeaders(name: string, text: string | null): Record<string, string> {
  const headers = Object.entries(readNamedValues(name, text)).map(
    ([key, value]) => [key.toLowerCase(), value] as const,
  );
  if (headers.every(([key, value]) => HEADER_NAME.test(key) && HEADER_VALUE.test(value)))
    return Object.fromEntries(headers);
  throw wrongVariable(name, 'has a header that HTTP does not allow');
}

/** Reads names and values as in `team=a,env=b`; values are percent-encoded. Values are not repeated in errors. */
function readNamedValues(name: string, text: string | null | undefined): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const part of splitItems(text)) {
    const at = part.indexOf('=');
    const value = at > 0 ? decodeNamedValue(part.slice(at + 1).trim()) : null;
    if (value === null) throw wrongVariable(name, 'is not a list of names and values, such as a=1,b=2');
    pairs.set(part.slice(0, at).trim(), value);
  }
  return Object.fromEntries(pairs);
}

function splitItems(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function decodeNamedValue(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function chooseOne<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text.trim().toLowerCase());
  if (found !== undefined) return found;
  throw wrongVariable(name, `must be one of ${choices.join(', ')}`);
}

function readMs(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text.trim())) return Number(text);
  throw wrongVariable(name, 'must be a whole number of milliseconds');
}

function wrongVariable(name: string, rest: string): TollbookError {
  return new TollbookError('invalid', `Calls are not exported: ${name} ${rest}.`, name);
}
