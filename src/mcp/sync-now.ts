import type { ToolContext } from './tool.ts';
import { syncClaudeCodeUsage } from './sync-claude-code-usage.ts';
import { syncCodexUsage } from './sync-codex-usage.ts';

/** Syncs every source that may be synced, one after the other; throws what went wrong when all were tried. */
export async function syncNow(context: ToolContext): Promise<void> {
  const wished = [syncClaudeCodeUsage, ...(context.machine.codexSync ? [syncCodexUsage] : [])];
  const failures: unknown[] = [];
  for (const tool of wished) await tool.call({}, context).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
