import { describe, expect, test } from 'vitest';
import { readExportSettings } from './export-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
const OWN = ['http://localhost:4700'];

function read(env: Readonly<Record<string, string>>) {
  return readExportSettings(env, OWN);
}

describe('the export of calls', () => {
  test.each([
    {},
    { OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp' },
    { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'console' },
  ])('is off without an endpoint, or where it is switched off: %j', (env) => {
    expect(read(env)).toEqual({ settings: null, problem: null });
  });

  test('is turned on by an endpoint, with the defaults of the specification', () => {
    const { settings } = read(ENDPOINT);
    expect(settings).toEqual({
      traces: {
        url: 'http://localhost:4318/v1/traces',
        headers: {},
        protocol: 'http/protobuf',
        compression: 'none',
        timeoutMs: 10_000,
        certificateFile: null,
      },
      metrics: expect.objectContaining({ url: 'http://localhost:4318/v1/metrics' }),
      resource: { 'service.name': 'tollbook' },
      isExperimental: false,
      temporality: 'cumulative',
      metricsEveryMs: 60_000,
    });
  });

  test('reads settings of a signal before those of all', () => {
    const { settings } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/take?team=a',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20one,x-team=a=b',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'authorization=two',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Delta',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/etc/ca.pem',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=pro%20d',
      OTEL_SERVICE_NAME: 'gateway',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'http, gen_ai_latest_experimental',
    });
    expect(settings).toMatchObject({
      traces: {
        url: 'https://traces.example/take?team=a',
        headers: { authorization: 'Bearer one', 'x-team': 'a=b' },
        protocol: 'http/json',
        compression: 'gzip',
        certificateFile: '/etc/ca.pem',
      },
      metrics: {
        url: 'https://collector.example/otlp/v1/metrics',
        headers: { authorization: 'two' },
        protocol: 'http/protobuf',
        timeoutMs: 500,
      },
      resource: { 'service.name': 'gateway', 'deployment.environment.name': 'pro d' },
      isExperimental: true,
      temporality: 'delta',
    });
  });

  test('has only the signals that have an endpoint', () => {
    const { settings } = read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' });
    expect(settings).toMatchObject({ traces: { url: 'http://localhost:4318/v1/traces' }, metrics: null });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://ada:hush@localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4700/'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hush'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x=hush%0d%0ay: 1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x=hush%'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_METRIC_EXPORT_INTERVAL', 'hush'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
    ['OTEL_RESOURCE_ATTRIBUTES', '=hush'],
  ])('is off with a sentence that names a wrong setting and not its secret: %s=%s', (name, value) => {
    const { settings, problem } = read({ ...ENDPOINT, [name]: value });
    expect(settings).toBeNull();
    expect(problem).toContain(name);
    expect(problem).not.toContain('hush');
  });
});
