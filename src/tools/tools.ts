import { createWebhook } from './create-webhook.ts';
import { detectAnomalies } from './detect-anomalies.ts';
import { getModelPricing } from './get-model-pricing.ts';
import { getUsageByTag } from './get-usage-by-tag.ts';
import { getUsageSummary } from './get-usage-summary.ts';
import { listAlerts } from './list-alerts.ts';
import { listWebhooks } from './list-webhooks.ts';
import type { Tool } from './tool.ts';

/** Every tool there is: a new one is a file and a line here. */
export const tools: readonly Tool[] = [
  getUsageSummary,
  getUsageByTag,
  detectAnomalies,
  listAlerts,
  listWebhooks,
  createWebhook,
  getModelPricing,
];
