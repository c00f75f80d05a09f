import { anthropicReports } from './anthropic.ts';
import { openaiReports } from './openai.ts';
import type { ReportSource } from './source.ts';

/** Every provider with organization reports. */
const SOURCES: readonly ReportSource[] = [anthropicReports, openaiReports];

export const REPORTING_PROVIDERS = SOURCES.map(({ provider }) => provider);

export function findReportSource(provider: string): ReportSource | undefined {
  return SOURCES.find((source) => source.provider === provider);
}
