import anthropic from './overrides/anthropic.json' with { type: 'json' };
import google from './overrides/google.json' with { type: 'json' };
import openai from './overrides/openai.json' with { type: 'json' };
import openrouter from './overrides/openrouter.json' with { type: 'json' };
import perplexity from './overrides/perplexity.json' with { type: 'json' };
import xAi from './overrides/x-ai.json' with { type: 'json' };
import type { PriceFile, SourcedFile } from './price-rows.ts';

/** The base list's package and version; a test compares it with what is installed. */
export const BASE_ORIGIN = 'genai-prices-0.1.8';

/** The project's own dated prices, for what the base list lacks. */
export const OVERRIDES: readonly SourcedFile[] = [anthropic, google, openai, openrouter, perplexity, xAi].map(
  (file: PriceFile) => ({
    origin: 'tollbook',
    file,
  }),
);

/** Providers whose prices are listed where none is named. The lists of the others are long, and copied from them. */
export const LISTED_PROVIDERS: readonly string[] = ['anthropic', 'google', 'openai'];
