import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HOSTILE_URLS } from './hostile-addresses.ts';
import type { Observed } from './own-network.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollbook-network-'));
const resolvConf = join(folder, 'resolv.conf');
writeFileSync(resolvConf, 'nameserver 127.0.0.1\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program in a network of its own. Who is not root becomes it there. */
function inOwnNetwork(program: readonly string[]): string {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const args = [...asRoot, '--net', '--mount', 'sh', 'test/webhooks/own-network.sh', ...program];
  return execFileSync('unshare', args, {
    env: { ...process.env, RESOLV_CONF: resolvConf },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function whyNot(): string | null {
  try {
    inOwnNetwork(['true']);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('in a network of its own, not one packet leaves for a hostile address, and every one could have', () => {
  const reason = whyNot();
  if (reason !== null) {
    process.stderr.write(
      `NOT OBSERVED: this machine gives no network of its own (${reason}). hostile.test.ts still observes the loopback address.\n`,
    );
    return;
  }
  const observed = JSON.parse(inOwnNetwork([process.execPath, 'test/webhooks/own-network.ts'])) as Observed;
  expect(observed.refused).toEqual({ blocked: HOSTILE_URLS.length });
  expect(observed.whenRefused).toEqual({ connections: 0, packetsOut: 0, namesAsked: 12 });
  expect(observed.rebound).toEqual([null, 'blocked']);
  // The observer sees: the same table, allowed, is connected to.
  expect(observed.whenAllowed.connections).toBeGreaterThanOrEqual(80);
  expect(observed.whenAllowed.packetsOut).toBeGreaterThanOrEqual(30);
});
