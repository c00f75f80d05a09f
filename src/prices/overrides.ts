import anthropic from './overrides/anthropic.json' with { type: 'json' };
import aws from './overrides/aws.json' with { type: 'json' };
import cerebras from './overrides/cerebras.json' with { type: 'json' };
import cohere from './overrides/cohere.json' with { type: 'json' };
import deepseek from './overrides/deepseek.json' with { type: 'json' };
import fireworks from './overrides/fireworks.json' with { type: 'json' };
import google from './overrides/google.json' with { type: 'json' };
import groq from './overrides/groq.json' with { type: 'json' };
import huggingface from './overrides/huggingface.json' with { type: 'json' };
import mistral from './overrides/mistral.json' with { type: 'json' };
import nebius from './overrides/nebius.json' with { type: 'json' };
import openai from './overrides/openai.json' with { type: 'json' };
import openrouter from './overrides/openrouter.json' with { type: 'json' };
import perplexity from './overrides/perplexity.json' with { type: 'json' };
import qwen from './overrides/qwen.json' with { type: 'json' };
import together from './overrides/together.json' with { type: 'json' };
import vercel from './overrides/vercel.json' with { type: 'json' };
import vertex from './overrides/vertex.json' with { type: 'json' };
import xAi from './overrides/x-ai.json' with { type: 'json' };
import zai from './overrides/zai.json' with { type: 'json' };
import type { PriceFile, SourcedFile } from './price-rows.ts';

/** Package and version of the base list. A test compares it with the installed one. */
export const BASE_ORIGIN = 'genai-prices-0.2.3';

/** Last day on which these prices and the base list were compared with the providers' pages. */
export const BUILT_IN_CHECKED = '2026-11-28';

const FILES: readonly PriceFile[] = [
  anthropic,
  aws,
  cerebras,
  cohere,
  deepseek,
  fireworks,
  google,
  groq,
  huggingface,
  mistral,
  nebius,
  openai,
  openrouter,
  perplexity,
  qwen,
  together,
  vercel,
  vertex,
  xAi,
  zai,
];

/** The project's own dated prices, which add to the base list. */
export const OVERRIDES: readonly SourcedFile[] = FILES.map((file) => ({ origin: 'tollbook', file }));
