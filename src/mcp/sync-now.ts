import type { ToolContext, ToolMachine } from './tool.ts';
import { LOCAL_SOURCES, type LocalSource } from '../domain/sessions/local-call.ts';
import { hasFolders } from '../sessions/reading/assistant-folders.ts';
import { hostEnvironment } from '../sessions/reports/local-usage.ts';
import { syncUsage } from './sync-usage.ts';

/** Syncs every source that may be synced, one after the other; throws what went wrong when all were tried. */
export async function syncNow(context: ToolContext): Promise<void> {
  const failures: unknown[] = [];
  for (const source of LOCAL_SOURCES.filter((name) => isSynced(name, context.machine)))
    await syncUsage.call({ source }, context).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function isSynced(source: LocalSource, { env, codexSync }: ToolMachine): boolean {
  return source === 'codex' ? codexSync : hasFolders(source, hostEnvironment(env));
}
