import type { Usage } from '../../domain/usage/usage.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { NO_DEMAND, NO_MEDIA, NO_WORK, type RequestDemand } from '../../domain/limits/demand.ts';
import { capture, look, measure } from '../../lib/json/pick.ts';
import { asCount, asMembers, type JsonObject } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';
import { fixedRequest } from '../fixed-request.ts';
import { formRoute, type FormBody } from '../form-body.ts';
import { OpaqueReader } from '../opaque-reader.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts, ResponseHead, UsageReader } from '../provider.ts';
import { DocumentReader, StreamReader } from '../usage-reader.ts';
import { SOUND_SLOTS, SoundTally, WORD_BYTES_MAX } from './sound-tally.ts';

const FIELDS = {
  texts: ['chunking_strategy', 'file', 'language', 'model', 'prompt', 'response_format', 'stream', 'temperature'],
  lists: [
    'include',
    'keywords',
    'known_speaker_names',
    'known_speaker_references',
    'languages',
    'timestamp_granularities',
  ],
};
/** OpenAI docs, "GPT-4o Transcribe": billed by tokens, 16,000 at most with 2,000 of output. Others are billed by the second. */
const BY_TOKEN = /^gpt-4o(?:-mini)?-transcribe(?:-20\d\d-\d\d-\d\d|-diarize)?$/;
const OUTPUT_TOKENS_MAX = 2_000;

/** `POST /audio/transcriptions` and `/audio/translations`: a form with a file of sound. */
export function transcriptionRoute(
  name: 'transcriptions' | 'translations',
  prefix: string,
  deployments: DeploymentModels | null = null,
): InferenceRoute {
  return formRoute(`audio.${name}`, FIELDS, (sent) => readSound(sent, `${prefix}/audio/${name}`), deployments);
}

function readSound(sent: FormBody, upstreamPath: string): RequestFacts {
  const model = sent.model();
  return fixedRequest({
    upstreamPath,
    model,
    stream: sent.text('stream')?.toLowerCase() === 'true',
    demand: demandSound(sent, BY_TOKEN.test(model)),
    openReader: openTranscriptReader,
  });
}

function demandSound(sent: FormBody, byToken: boolean): RequestDemand {
  const length = 'file, whose length is unknown before it is read';
  const several = sent.has('chunking_strategy') ? 'chunking_strategy, which cuts the file into several' : null;
  const work = { ...NO_WORK, unbounded: sent.stranger ?? (byToken ? several : length) };
  if (!byToken) return { ...NO_DEMAND, outputMax: 0, work };
  const media = { ...NO_MEDIA, audioIn: true };
  return { ...NO_DEMAND, beyondBody: true, outputMax: OUTPUT_TOKENS_MAX, media, work, tier: 'default' };
}

const ANSWER = look({
  type: capture(SOUND_SLOTS.type, WORD_BYTES_MAX),
  text: measure(),
  usage: capture(SOUND_SLOTS.usage),
  error: capture(SOUND_SLOTS.error),
});
const EVENT = look({
  type: capture(SOUND_SLOTS.type, WORD_BYTES_MAX),
  delta: measure(),
  usage: capture(SOUND_SLOTS.usage),
  error: capture(SOUND_SLOTS.error),
});

function transcriptTally(): SoundTally {
  return new SoundTally({ done: 'transcript.text.done', read: (used) => used && readSoundUsage(used) });
}

/** Reads the usage by tokens or by seconds (OpenAI API reference, "Create transcription"). */
function readSoundUsage(used: JsonObject): Usage | null {
  const rest = { thinking: 0, terms: NO_TERMS };
  const seconds = used['seconds'];
  if (used['type'] === 'duration')
    return typeof seconds === 'number'
      ? plainUsage({ ...rest, inferences: [], uses: { audioSecond: Math.round(seconds) } })
      : null;
  const details = asMembers(used['input_token_details']);
  const input = requiredCount(used['input_tokens']);
  const inputAudio = asCount(details['audio_tokens']);
  const tokens = withoutZeros({
    // Without details all of it is sound.
    input: used['input_token_details'] === undefined ? 0 : input - inputAudio,
    inputAudio: used['input_token_details'] === undefined ? input : inputAudio,
    output: requiredCount(used['output_tokens']),
  });
  return plainUsage({ ...rest, inferences: [{ model: null, tokens, promptTokens: input }], uses: {} });
}

function openTranscriptReader({ status, contentType }: ResponseHead): UsageReader {
  if (contentType === 'text/event-stream') return new StreamReader(EVENT, transcriptTally());
  if (status >= 300 || contentType === 'application/json') return new DocumentReader(ANSWER, transcriptTally());
  // Plain text and subtitles say nothing about the length of the sound.
  return new OpaqueReader(null);
}
