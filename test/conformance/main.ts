import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startService } from '../service.ts';
import { startFixtureServer } from './fixture-server.ts';
import { startTokenAdder } from './token-adder.ts';

/**
 * Runs the protocol's own conformance suites (npx fetches them): against the product, and against the suite's own tools
 * behind the product's door. What isn't expected to pass stands in the files beside this one, and must go on failing.
 */
const SUITE = '@modelcontextprotocol/conformance';
const RUNS = [
  { version: '0.1.16', wishes: ['--suite', 'all'], expected: 'legacy' },
  { version: '0.2.0-alpha.12', wishes: ['--requirements', '2026-07-28'], expected: 'modern' },
] as const;

const service = await startService({ urls: {} });
const adder = await startTokenAdder(service.baseUrl, await service.createToken());
const fixtures = await startFixtureServer();
const targets = { product: adder.url, fixtures: fixtures.url };

for (const { version, wishes, expected } of RUNS)
  for (const [target, url] of Object.entries(targets)) {
    const baseline = fileURLToPath(new URL(`./${target}-${expected}.yaml`, import.meta.url));
    const words = [`${SUITE}@${version}`, 'server', '--url', `${url}/mcp`, ...wishes, '--expected-failures', baseline];
    // The servers that it asks are in this process, which must go on.
    const [status] = (await once(spawn('npx', ['--yes', ...words], { stdio: 'inherit' }), 'close')) as [number | null];
    process.stdout.write(`${target}, suite ${version}: ${status === 0 ? 'as expected' : 'NOT AS EXPECTED'}\n`);
    if (status !== 0) process.exitCode = 1;
  }

fixtures.close();
adder.close();
await service.close();
