import type { EntryDetail } from '../../../../src/contract/usage.ts';

type PriceItem = EntryDetail['lines'][number]['item'];

/** What a line of a price is for; the first group is billed per token, the second per use. */
const TOKEN_ITEMS = {
  input: 'Input',
  inputAudio: 'Input, audio',
  inputImage: 'Input, images',
  cacheRead: 'Read from cache',
  cacheReadAudio: 'Read from cache, audio',
  cacheWrite: 'Written to cache',
  cacheWrite5m: 'Written to cache for 5 minutes',
  cacheWrite1h: 'Written to cache for 1 hour',
  cacheWrite12h: 'Written to cache for 12 hours',
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
  request: 'Requests',
} as const;

const ITEM_NAMES: Readonly<Record<PriceItem, string>> = { ...TOKEN_ITEMS, ...USE_ITEMS };

export function itemName(item: PriceItem): string {
  return ITEM_NAMES[item];
}

/** Whether it is billed by tokens, whose prices are told per million. */
export function isPerToken(item: PriceItem): boolean {
  return item in TOKEN_ITEMS;
}
