import anthropic from './overrides/anthropic.json' with { type: 'json' };
import google from './overrides/google.json' with { type: 'json' };
import openai from './overrides/openai.json' with { type: 'json' };
import type { SourcedFile } from './price-rows.ts';

/** The base list's package and version; a test compares it with what is installed. */
export const BASE_ORIGIN = 'genai-prices-0.1.8';

/** The project's own dated prices, for what the base list lacks. */
export const OVERRIDES: readonly SourcedFile[] = [anthropic, google, openai].map((file) => ({
  origin: 'tollbook',
  file,
}));
