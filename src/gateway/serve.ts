import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config.ts';
import { claimLink } from '../domain/identity/secret.ts';
import { parseWebhookAllow } from '../domain/alerts/webhook-address.ts';
import type { Clock } from '../lib/clock.ts';
import { createLog, type Log } from '../lib/log.ts';
import { compileForCalls } from './proxy/compiled-code.ts';
import type { GatewayService } from './gateway.ts';
import { openService } from './service.ts';
import { SIGNALS, SMALL_HEAP } from './small-heap.ts';

export interface ServeOptions {
  readonly demo: boolean;
  readonly clock: Clock;
  /** Prints a message for people. */
  readonly say: (text: string) => void;
}

/** Serves until a signal arrives, then closes in good order. A later signal ends the process immediately. */
export async function serveUntilSignal(config: Config, options: ServeOptions): Promise<void> {
  const { demo, say } = options;
  const log = createLog({ level: config.logLevel });
  // Listens before anything opens, so that a signal during the start closes in good order too.
  const signals = listenForSignals();
  try {
    const running = demo
      ? await openDemo(config, log, options)
      : await openReal(config, log, { ...options, signal: signals.stopping });
    // Not earlier: a start that reads 100,000 limits grows the heap once instead of in steps.
    setFlagsFromString(SMALL_HEAP);
    // Not earlier: the start's code, which runs once, would grow by 14 MB. Workers do it themselves.
    if (config.workers === 1) compileForCalls();
    // The growth limit applies from a collection on. The launcher exposes `gc`.
    globalThis.gc?.();
    const signal = await signals.first;
    say(`\n${signal}: closing. Open calls may finish; press Ctrl-C again to stop immediately.\n`);
    await running.close();
  } finally {
    signals.stop();
  }
}

/** Time within which repeated signals count as one: a process group gets it from its sender, npm and the launcher. */
const SAME_SIGNAL_MS_MAX = 500;

function listenForSignals(): { first: Promise<string>; stopping: AbortSignal; stop(): void } {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const stopping = new AbortController();
  let firstAt: number | null = null;
  const onSignal = (name: string): void => {
    resolve(name);
    stopping.abort();
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_SIGNAL_MS_MAX) process.exit(1);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    first,
    stopping: stopping.signal,
    stop() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

async function openReal(
  config: Config,
  log: Log,
  { clock, say, signal }: ServeOptions & { readonly signal: AbortSignal },
): Promise<GatewayService> {
  const service =
    config.workers > 1 ? await openSeveral(config, log, clock) : await openService({ config, log, clock, signal });
  say(welcome(config, service));
  return service;
}

async function openSeveral(config: Config, log: Log, clock: Clock): Promise<GatewayService> {
  // Loaded only here: most services have one worker.
  const { openWorkers } = await import('./workers.ts');
  return await openWorkers({ config, log, clock });
}

function welcome({ baseUrl, dataDir }: Config, { hasKeys, claimCode }: GatewayService): string {
  const claim =
    claimCode === null
      ? []
      : [
          'It has no owner yet. Open this link to create the owner account; it works once:',
          '',
          `  ${claimLink(baseUrl, claimCode)}`,
          '',
        ];
  const first = hasKeys
    ? ['More wrapped keys:  npx tollbook keys create --help']
    : [
        'Next, in another terminal: wrap a provider key, then call through the gateway.',
        '',
        '  npx tollbook keys create --provider anthropic --name first \\',
        '  --provider-key-env ANTHROPIC_API_KEY',
        '',
        'To read the ledger:  npx tollbook tokens create --name reader',
      ];
  return ['', `Tollbook serves on ${baseUrl}  (data in ${dataDir})`, '', ...claim, ...first, '', ''].join('\n');
}

/** Serves the demo: a folder, providers and traffic that exist as long as the process. */
async function openDemo(given: Config, log: Log, { clock, say }: ServeOptions): Promise<Pick<GatewayService, 'close'>> {
  const [{ startSandbox }, { startTraffic }, { demoWelcome }, { clientLines }, { anthropic }] = await Promise.all([
    import('../demo/sandbox.ts'),
    import('../demo/traffic.ts'),
    import('../demo/welcome.ts'),
    import('../providers/client-lines.ts'),
    import('../providers/anthropic/anthropic.ts'),
  ]);
  const random = Math.random;
  const dataDir = mkdtempSync(join(tmpdir(), 'tollbook-demo-'));
  // Runs however the process ends.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const sandbox = await startSandbox(random);
  const config: Config = {
    ...given,
    workers: 1,
    dataDir,
    databaseUrl: null,
    clickhouseUrl: null,
    secret: null,
    providerUrls: sandbox.urls,
    // The demo's webhooks go to the sandbox.
    webhookAllow: parseWebhookAllow('the demo', '127.0.0.1'),
  };
  try {
    const service = await openService({ config, log, demo: true, clock });
    const traffic = startTraffic({
      baseUrl: service.url,
      secrets: new Map(service.demo.keys.map(({ team, secret }) => [team, secret])),
      random,
      clock,
      onError: (error) => log.warn({ err: error }, 'a call of the demo failed'),
    });
    const { keys, token } = service.demo;
    const secret = keys.find(({ provider }) => provider === anthropic.id)?.secret ?? '';
    const [curl] = clientLines(anthropic, config.baseUrl, secret);
    say(demoWelcome(config, token, { secret, firstCall: curl?.lines ?? [] }));
    return {
      async close() {
        await traffic.stop();
        await service.close();
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
