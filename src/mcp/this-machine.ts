import type { ToolSettings } from '../config.ts';
import type { ToolMachine } from './tool.ts';

export function thisMachine(env: ToolMachine['env'], { codexSync }: ToolSettings): ToolMachine {
  return { env, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone, codexSync };
}
