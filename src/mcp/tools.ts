import { createWebhook } from './create-webhook.ts';
import { detectAnomalies } from './detect-anomalies.ts';
import { getLimits } from './get-limits.ts';
import { getLocalClaudeCodeUsage } from './get-local-claude-code-usage.ts';
import { getLocalCodexUsage } from './get-local-codex-usage.ts';
import { getLocalUsage } from './get-local-usage.ts';
import { getModelPricing } from './get-model-pricing.ts';
import { getSavingsBreakdown } from './get-savings-breakdown.ts';
import { getSavings } from './get-savings.ts';
import { getSessionUsage } from './get-session-usage.ts';
import { getUsageByTag } from './get-usage-by-tag.ts';
import { getUsageSummary } from './get-usage-summary.ts';
import { listAlerts } from './list-alerts.ts';
import { listClaudeCodeSessions } from './list-claude-code-sessions.ts';
import { listCodexSessions } from './list-codex-sessions.ts';
import { listSessions } from './list-sessions.ts';
import { listRefusedCalls } from './list-refused-calls.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { listWebhooks } from './list-webhooks.ts';
import { syncClaudeCodeUsage } from './sync-claude-code-usage.ts';
import { syncCodexUsage } from './sync-codex-usage.ts';
import { syncUsage } from './sync-usage.ts';
import type { Tool } from './tool.ts';

/** Every tool there is: a new one is a file and a line here. */
export const tools: readonly Tool[] = [
  getUsageSummary,
  getUsageByTag,
  getSavings,
  listSubscriptions,
  getSavingsBreakdown,
  detectAnomalies,
  listAlerts,
  listWebhooks,
  createWebhook,
  getModelPricing,
  syncClaudeCodeUsage,
  listClaudeCodeSessions,
  getLocalClaudeCodeUsage,
  syncCodexUsage,
  listCodexSessions,
  getLocalCodexUsage,
  syncUsage,
  listSessions,
  getLocalUsage,
  getLimits,
  listRefusedCalls,
  getSessionUsage,
];
