import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { HOSTILE_URLS } from './hostile-addresses.ts';
import type { Observed } from './own-network.ts';

function inOwnNetwork(...program: readonly string[]): string {
  return execFileSync('sh', ['test/webhooks/own-network.sh', ...program], { encoding: 'utf8', stdio: 'pipe' });
}

function whyNot(): string | null {
  try {
    inOwnNetwork('true');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('in a separate network, no packet leaves for a hostile address, though each could', () => {
  const reason = whyNot();
  if (reason !== null) {
    process.stderr.write(
      `NOT OBSERVED: this machine gives no network of its own (${reason}). hostile.test.ts still observes the loopback address.\n`,
    );
    return;
  }
  const observed = JSON.parse(inOwnNetwork(process.execPath, 'test/webhooks/own-network.ts')) as Observed;
  expect(observed.refused).toEqual({ blocked: HOSTILE_URLS.length });
  expect(observed.whenRefused).toEqual({ connections: 0, packetsOut: 0, namesAsked: 12 });
  expect(observed.rebound).toEqual([null, 'blocked']);
  // The observer sees: the same table, allowed, is connected to.
  expect(observed.whenAllowed.connections).toBeGreaterThanOrEqual(80);
  expect(observed.whenAllowed.packetsOut).toBeGreaterThanOrEqual(30);
});
