import { statfs } from 'node:fs/promises';
import type { DoctorCheck } from '../api/installation.ts';
import type { Config } from '../config.ts';
import { VERSION } from '../version.ts';

const GIGABYTE = 1e9;
/** A journal and a ledger of a million calls fit into it. */
const FREE_BYTES_MIN = GIGABYTE;
const ANSWER_MS_MAX = 5_000;
/** Hosts that mean every address of the machine. */
const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function checkVersion(): DoctorCheck {
  const machine = `${process.platform} ${process.arch}`;
  return { name: 'version', state: 'ok', message: `Tollbook ${VERSION} on Node ${process.versions.node}, ${machine}.` };
}

/** Warns if another program has the port of the service. */
export async function checkAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<DoctorCheck> {
  const name = 'address';
  const url = `http://${ANY_HOST.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
  try {
    const answer = await fetch(`${url}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    if (answer.ok && (await answer.text()) === 'ok\n')
      return { name, state: 'ok', message: `The service answers at ${url}.` };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    if (cause === 'ECONNREFUSED')
      return { name, state: 'skipped', message: `Nothing listens at ${url}: the service does not run.` };
  }
  return {
    name,
    state: 'warning',
    message: `Another program answers at ${url}. Stop it, or choose another port with SVC_PORT.`,
  };
}

export async function checkFreeSpace(folder: string): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${(free / GIGABYTE).toFixed(1)} GB are free for ${folder}.`;
  if (free >= FREE_BYTES_MIN) return { name: 'disk', state: 'ok', message };
  const advice = 'Without space, calls are refused, because they can not be recorded. Free some.';
  return { name: 'disk', state: 'warning', message: `${message} ${advice}` };
}
