import type { Usage } from '../../domain/usage/usage.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { NO_DEMAND, NO_MEDIA, NO_WORK, type RequestDemand } from '../../domain/limits/demand.ts';
import { parseSlice } from '../../lib/json/bytes.ts';
import { capture, look } from '../../lib/json/pick.ts';
import { expecting, scanPlan } from '../../lib/json/scan-plan.ts';
import type { JsonObject } from '../../lib/json/values.ts';
import { TollbookError } from '../../domain/errors.ts';
import { plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';
import { fixedRequest } from '../fixed-request.ts';
import { OpaqueReader } from '../opaque-reader.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts, ResponseHead, UsageReader } from '../provider.ts';
import { unlistedWork } from '../demand-tally.ts';
import { inferenceRoute, type RequestBody } from '../request-body.ts';
import { DocumentReader, StreamReader } from '../usage-reader.ts';
import { SOUND_SLOTS, SoundTally, WORD_BYTES_MAX } from './sound-tally.ts';

/** Models that are billed by the characters they speak. Later ones are billed by tokens. */
const BY_CHARACTER = /^tts-1(?:-hd)?(?:-\d{4})?$/;
/** A text is parsed to count its characters, so its size is limited. OpenAI takes 4,096 characters. */
const TEXT_BYTES_MAX = 262_144;
const PREAMBLE_TOKENS = 256;
const PLAN = expecting(scanPlan({ model: {}, input: {}, stream_format: {} }, {}), [
  'instructions',
  'response_format',
  'speed',
  'voice',
]);

/** `POST /audio/speech`: speaks a text. */
export function speechRoute(prefix: string, deployments: DeploymentModels | null = null): InferenceRoute {
  return inferenceRoute(
    'audio.speech',
    PLAN,
    () => ({ receive: () => undefined, facts: (body) => readSpeech(body, prefix) }),
    null,
    deployments,
  );
}

function readSpeech(body: RequestBody, prefix: string): RequestFacts {
  const model = body.model();
  const characters = BY_CHARACTER.test(model) ? countCharacters(body) : null;
  return fixedRequest({
    upstreamPath: `${prefix}/audio/speech`,
    model,
    stream: body.text('stream_format') === 'sse',
    demand: demandSpeech(body, characters),
    openReader: (answer) => openSpeechReader(answer, characters),
  });
}

function countCharacters(body: RequestBody): number {
  const span = body.find('input');
  const text =
    span && span.end - span.start <= TEXT_BYTES_MAX ? parseSlice(body.bytes, span.start, span.end) : undefined;
  if (typeof text !== 'string')
    throw new TollbookError('invalid', `"input" must be a text of at most ${TEXT_BYTES_MAX} bytes.`, 'input');
  return Array.from(text).length;
}

function demandSpeech(body: RequestBody, characters: number | null): RequestDemand {
  const isStrange = body.stranger !== null;
  const work = isStrange ? unlistedWork(body.stranger ?? '') : NO_WORK;
  if (characters !== null) return { ...NO_DEMAND, outputMax: 0, work: { ...work, uses: { character: characters } } };
  return {
    ...NO_DEMAND,
    textBytes: body.textBytes,
    preambleTokens: PREAMBLE_TOKENS,
    media: { ...NO_MEDIA, audioOut: true },
    asked: ['outputAudio'],
    work: { ...work, unbounded: work.unbounded ?? 'input, because no field limits the length of the speech' },
    tier: 'default',
  };
}

const ANSWER = look({
  type: capture(SOUND_SLOTS.type, WORD_BYTES_MAX),
  usage: capture(SOUND_SLOTS.usage),
  error: capture(SOUND_SLOTS.error),
});

/**
 * Counts what was spoken.
 * @param spoken characters to bill when the speech is complete; null = it is billed by the tokens that the answer reports
 */
function speechTally(spoken: Usage | null): SoundTally {
  return new SoundTally({
    done: 'speech.audio.done',
    read(used, finished) {
      if (spoken !== null) return finished ? spoken : null;
      return used && readSpeechTokens(used);
    },
  });
}

function readSpeechTokens(used: JsonObject): Usage | null {
  const input = requiredCount(used['input_tokens']);
  const tokens = withoutZeros({ input, outputAudio: requiredCount(used['output_tokens']) });
  const inferences = [{ model: null, tokens, promptTokens: input }];
  return plainUsage({ inferences, uses: {}, thinking: 0, terms: NO_TERMS });
}

function openSpeechReader({ status, contentType }: ResponseHead, characters: number | null): UsageReader {
  const spoken: Usage | null =
    characters === null ? null : { inferences: [], uses: { character: characters }, thinking: 0, terms: NO_TERMS };
  if (contentType === 'text/event-stream') return new StreamReader(ANSWER, speechTally(spoken));
  if (status >= 300 || contentType === 'application/json') return new DocumentReader(ANSWER, speechTally(null));
  // Sound that comes whole says nothing about its tokens.
  return new OpaqueReader(spoken);
}
