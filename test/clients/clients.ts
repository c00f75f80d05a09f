import { afterAll, beforeAll, expect } from 'vitest';
import { type CloudDouble, startCloudDouble } from '../doubles/cloud-double.ts';
import { type ProviderDouble, type SeenRequest, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, PROVIDER_KEY, type Service, startService } from '../service.ts';

interface Summary {
  readonly totalCost: number;
  readonly totalCalls: number;
  readonly totalInputTokens: number;
  readonly totalOutputTokens: number;
  readonly unpricedCalls?: number;
}

/** The summary once it holds that many calls. */
export function summaryOf(service: Service, calls: number): Promise<Summary> {
  const ask = () => service.report<Summary>('/api/mcp/usage/summary');
  return eventually(ask, ({ totalCalls }) => totalCalls >= calls);
}

/** Every request reached the provider with its own key, and none with a word of ours. */
export function expectOnlyProviderKeys(requests: readonly Pick<SeenRequest, 'path' | 'rawHeaders' | 'body'>[]): void {
  expect(requests.length).toBeGreaterThan(0);
  for (const { path, rawHeaders, body } of requests) {
    const text = `${path}\n${rawHeaders.join('\n')}\n${body.toString()}`;
    expect(text).toContain(PROVIDER_KEY);
    expect(text).not.toMatch(/svc_sk_|x-svc-/i);
  }
}

/** A service with one provider, which is the double of a cloud. */
interface CloudService {
  readonly double: ProviderDouble;
  readonly cloud: CloudDouble;
  readonly service: Service;
  /** Address of the provider at the gateway. */
  readonly base: string;
}

/**
 * Starts a service with a cloud for the tests of a file, and ends it after them. The parts exist once the tests run.
 * @param addProvider arguments of `providers add` after the id, for a cloud at this origin
 */
export function serveCloud(id: string, addProvider: (origin: string) => readonly string[]): CloudService {
  const parts: { -readonly [Part in keyof CloudService]?: CloudService[Part] } = {};
  beforeAll(async () => {
    parts.double = await startProviderDouble();
    parts.cloud = await startCloudDouble(parts.double);
    parts.service = await startService({ urls: {} });
    parts.base = `${parts.service.baseUrl}/api/proxy/${id}`;
    await parts.service.command(['providers', 'add', id, ...addProvider(parts.cloud.origin)]);
  });
  afterAll(async () => {
    await parts.service?.close();
    await parts.cloud?.close();
    await parts.double?.close();
  });
  return parts as CloudService;
}
