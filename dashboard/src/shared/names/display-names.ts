import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { SOURCE_TITLES } from '../../../../src/domain/text/assistants.ts';
import type { EntryDetail, EntryShape } from '../../../../src/contract/entries.ts';

export type AlertType = AlertShape['type'];

/** Display names of alert types, spending alerts first. */
export const ALERT_TYPE_NAMES: Readonly<Record<AlertType, string>> = {
  BUDGET_EXCEEDED: 'Limit reached',
  BUDGET_WARNING: 'Limit approaching',
  COST_SPIKE: 'Cost spike',
  UNUSUAL_ACTIVITY: 'Unusual activity',
  ERROR_SPIKE: 'Error spike',
  RATE_LIMIT: 'Rate limit',
  UNPRICED_MODEL: 'Model without a price',
  STALE_PRICE: 'Price list out of date',
  OVERRUN: 'Reservation exceeded',
  WEBHOOK_DISABLED: 'Webhook disabled',
  KEY_PROBLEM: 'Key not working',
  COVERAGE: 'Coverage dropped',
  JOURNAL_PROBLEM: 'Journal problem',
  LEDGER_PROBLEM: 'Ledger problem',
};

export const ALERT_TYPES = Object.keys(ALERT_TYPE_NAMES) as readonly AlertType[];

type PriceItem = EntryDetail['lines'][number]['item'];

/** Display names of price items: the first group is billed per token, the second per use. */
const TOKEN_ITEMS = {
  input: 'Input',
  inputAudio: 'Input, audio',
  inputImage: 'Input, images',
  cacheRead: 'Cache read',
  cacheReadAudio: 'Cache read, audio',
  cacheWrite: 'Cache write',
  cacheWrite5m: 'Cache write, 5 minutes',
  cacheWrite1h: 'Cache write, 1 hour',
  cacheWrite12h: 'Cache write, 12 hours',
  output: 'Output',
  outputAudio: 'Output, audio',
  outputImage: 'Output, images',
} as const;

const USE_ITEMS = {
  webSearch: 'Web searches',
  webSearchPreview: 'Web searches, preview tool',
  webFetch: 'Web pages fetched',
  codeExecution: 'Code execution',
  fileSearch: 'File searches',
  codeInterpreter: 'Code containers, 1 GB',
  codeInterpreter4g: 'Code containers, 4 GB',
  codeInterpreter16g: 'Code containers, 16 GB',
  codeInterpreter64g: 'Code containers, 64 GB',
  groundedPrompt: 'Grounded prompts',
  groundingQuery: 'Grounding queries',
  mapsPrompt: 'Google Maps prompts',
  image: 'Images',
  audioSecond: 'Seconds of audio',
  character: 'Spoken characters',
  rerankSearch: 'Rerank searches',
  request: 'Requests',
} as const;

const ITEM_NAMES: Readonly<Record<PriceItem, string>> = { ...TOKEN_ITEMS, ...USE_ITEMS };

export function itemName(item: PriceItem): string {
  return ITEM_NAMES[item];
}

/** True for items billed per token, whose prices are shown per million. */
export function isPerToken(item: PriceItem): boolean {
  return item in TOKEN_ITEMS;
}

const SOURCE_NAMES: Readonly<Record<EntryShape['source'], string>> = {
  proxy: 'Gateway',
  provider_report: 'Provider report',
  ...SOURCE_TITLES,
  telemetry: 'Telemetry',
  usage_event: 'Usage events',
};

/** Returns the display name of a source. */
export function sourceName(source: string): string {
  return (SOURCE_NAMES as Readonly<Record<string, string>>)[source] ?? source;
}

/** Returns the display name of a coding assistant. */
export function assistantName(assistant: string): string {
  return assistant === 'copilot' ? 'GitHub Copilot' : sourceName(assistant);
}

/** Turns the name of a field into words: `windowStart` becomes `Window start`. */
export function fieldTitle(field: string): string {
  const words = field.replaceAll('_', ' ').replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
