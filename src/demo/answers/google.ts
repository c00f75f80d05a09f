import { type ResponseFacts, sseEvent } from './facts.ts';

/** Complete response of Google's generateContent. */
export function googleContent(facts: ResponseFacts): object {
  return { ...chunk(facts, parts(facts, facts.pieces.join('')), true), ...googleUsage(facts, facts.tokens.output) };
}

/** The same response as the objects of a stream; their usage is cumulative. */
function googleChunks(facts: ResponseFacts): object[] {
  const last = facts.pieces.length - 1;
  return facts.pieces.map((text, index) =>
    index === last
      ? { ...chunk(facts, parts(facts, text), true), ...googleUsage(facts, facts.tokens.output) }
      : { ...chunk(facts, [{ text }], false), ...googleUsage(facts, facts.tokens.thinking + index) },
  );
}

export function googleEvents(facts: ResponseFacts): string[] {
  return googleChunks(facts).map((data) => sseEvent(null, data));
}

/** Without `alt=sse` a stream is one JSON array, sent element by element. */
export function googleArrayPieces(facts: ResponseFacts): string[] {
  const texts = googleChunks(facts).map((data, index) => `${index === 0 ? '[' : ','}${JSON.stringify(data)}\n`);
  return [...texts, ']'];
}

export function googleModels(models: readonly string[]): object {
  return { models: models.map((id) => ({ name: `models/${id}`, displayName: id, inputTokenLimit: 1_048_576 })) };
}

const ERROR_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function googleError(status: number, message: string): object {
  return { error: { code: status, message, status: ERROR_STATUSES[status] ?? 'INTERNAL' } };
}

function parts({ tool }: ResponseFacts, text: string): object[] {
  return tool ? [{ text }, { functionCall: { name: tool.name, args: tool.input } }] : [{ text }];
}

function chunk(facts: ResponseFacts, content: object[], last: boolean): object {
  const end = last ? { finishReason: 'STOP', ...groundingMetadata(facts) } : {};
  const candidate = { content: { parts: content, role: 'model' }, index: 0, ...end };
  return { candidates: [candidate], modelVersion: facts.model, responseId: facts.id };
}

function groundingMetadata({ searches }: ResponseFacts): object {
  if (searches === 0) return {};
  return { groundingMetadata: { webSearchQueries: Array.from({ length: searches }, (_, at) => `query ${at + 1}`) } };
}

function googleUsage({ tokens, tier, reportsUsage: tellsUsage, usageFields }: ResponseFacts, output: number): object {
  if (!tellsUsage) return {};
  const prompt = tokens.input + tokens.cacheRead;
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: tokens.cacheRead,
      candidatesTokenCount: output - tokens.thinking,
      thoughtsTokenCount: tokens.thinking,
      totalTokenCount: prompt + output,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
      ...(tier === null ? {} : { serviceTier: tier }),
      ...usageFields,
    },
  };
}
