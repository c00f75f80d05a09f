import { posix, win32 } from 'node:path';
import type { HostEnvironment } from '../reading/source.ts';

/** Returns the folder for settings and data that cannot be recreated. */
export function configFolder({ home, platform, env }: HostEnvironment): string {
  if (platform === 'win32')
    return win32.join(env['APPDATA'] || win32.join(home, 'AppData', 'Roaming'), 'tollbook', 'config');
  const base = env['XDG_CONFIG_HOME'];
  return posix.join(base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, '.config'), 'tollbook');
}
