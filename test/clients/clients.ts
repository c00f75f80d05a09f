import { expect } from 'vitest';
import type { SeenRequest } from '../doubles/provider-double.ts';
import { eventually, PROVIDER_KEY, type Service } from '../service.ts';

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
