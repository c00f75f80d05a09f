import { capture, JsonPick, look } from '../../lib/json/pick.ts';
import { asObject, asText } from '../../lib/json/values.ts';
import type { InferenceRoute, MessageHead, RenderedError, SocketRoute } from '../provider.ts';
import { TERMINAL } from './response-answer.ts';

const TYPE = 0;
const STREAM = 1;
const STATUS = 2;
const TURN = 3;
/** Header in which Codex describes a turn. On a socket, that of the request is of the first turn, and messages have their own. */
const TURN_HEADER = 'x-codex-turn-metadata';
const HEAD = look({
  type: capture(TYPE, 256),
  stream_id: capture(STREAM, 1_024),
  status: capture(STATUS, 32),
  client_metadata: look({ [TURN_HEADER]: capture(TURN, 8_192) }),
});

/** OpenAI docs, "WebSocket mode": characters of a stream's id, streams of a connection, and responses at a time. */
const STREAM_ID = /^[\w.-]{1,256}$/;
const STREAMS_MAX = 32;
const RESPONSES_MAX = 16;

/** Returns the WebSocket of the Responses API. */
export function responsesSocket(prefix: string, call: InferenceRoute): SocketRoute {
  return {
    kind: 'socket',
    upstreamPath: `${prefix}/responses`,
    plainReason: 'GET /responses is a WebSocket. Open one, or send POST.',
    call,
    streamsMax: STREAMS_MAX,
    responsesMax: RESPONSES_MAX,
    readHead,
    refuseMessage,
    endsResponse: ({ type }) => type === 'error' || (type !== null && TERMINAL.has(type)),
    renderError: renderMessage,
  };
}

const NO_HEAD: MessageHead = { type: null, streamId: null, status: null, headers: {} };

function readHead(message: Uint8Array): MessageHead {
  const head: { -readonly [Name in keyof MessageHead]: MessageHead[Name] } = { ...NO_HEAD };
  const pick = new JsonPick(HEAD, (slot, value) => {
    if (slot === TYPE) head.type = asText(value);
    else if (slot === STREAM) head.streamId = asText(value);
    else if (slot === STATUS && Number.isSafeInteger(value)) head.status = Number(value);
    else if (slot === TURN) head.headers = { [TURN_HEADER]: asText(value) ?? '' };
  });
  pick.push(message);
  return head;
}

function refuseMessage({ type, streamId }: MessageHead): string | null {
  if (type === null) return 'A message must be a JSON object with the type "response.create".';
  if (type !== 'response.create')
    return REFUSED[type] ?? `Messages of the type "${type.slice(0, 64)}" are not supported.`;
  if (streamId !== null && !STREAM_ID.test(streamId))
    return '"stream_id" must be at most 256 letters, digits, underscores, hyphens and periods.';
  return null;
}

const UNBOUNDED =
  'it continues a response beyond what was reserved for it. Send "response.create" when the response has ended.';
const REFUSED: Readonly<Record<string, string>> = {
  'response.steer': `"response.steer" is not supported: ${UNBOUNDED}`,
  'response.inject': `"response.inject" is not supported: ${UNBOUNDED}`,
};

/** OpenAI docs, "WebSocket mode", "Errors to handle". */
function renderMessage({ status, headers, body }: RenderedError, streamId: string | null): string {
  const error = asObject(JSON.parse(body))?.['error'];
  return JSON.stringify({ type: 'error', status, ...(streamId !== null && { stream_id: streamId }), error, headers });
}
