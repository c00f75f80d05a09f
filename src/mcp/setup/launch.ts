import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { LaunchCommand } from './host.ts';

/** Started by the same Node and from the same place as this program: nothing has to be found again. */
const BIN = fileURLToPath(new URL('../../../bin/tollbook.mjs', import.meta.url));
/** Settings of the tool server that a host has to hand on; the access token is apart. */
const HANDED_ON = ['SVC_API_URL', 'SVC_CODEX_AUTO_SYNC', 'SVC_CODEX_SESSIONS_DIR'];

export function findLaunchCommand(
  env: Readonly<Record<string, string | undefined>>,
  { key, autoSync }: { readonly key: string | null; readonly autoSync: boolean },
): LaunchCommand {
  const settings = HANDED_ON.map((name) => [name, env[name]]).filter((pair): pair is [string, string] =>
    Boolean(pair[1]),
  );
  return {
    command: execPath,
    args: [BIN, 'tools'],
    env: { ...Object.fromEntries(settings), ...(autoSync && { SVC_AUTO_SYNC: 'true' }) },
    key,
  };
}
