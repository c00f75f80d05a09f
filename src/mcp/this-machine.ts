import type { ToolSettings } from '../config.ts';
import type { Machine } from './tool.ts';

export function thisMachine(env: Machine['env'], { codexSync }: ToolSettings): Machine {
  return { env, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone, codexSync };
}
