import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { contextHeaders, DemoSessions } from './sessions.ts';
import { SANDBOX_OUTPUT_HEADER, SANDBOX_STATUS_HEADER } from './sandbox.ts';
import { callsPerHour, FAILURES } from './history.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { OUTPUT_TOKENS_MAX, pickTags, pickModel, pickTeam, type RandomSource, spread, type DemoTeam } from './teams.ts';

export interface TrafficOptions {
  /** URL of the service without a trailing slash. */
  readonly baseUrl: string;
  /** Wrapped key by the name of its team. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly random: RandomSource;
  readonly clock: Clock;
  /** Called if a call could not be made. Error statuses are part of the demo and not reported. */
  readonly onError: (error: Error) => void;
  /** Waits between two calls; ends early when the signal aborts. Default: real time. */
  readonly wait?: (ms: number, stopped: AbortSignal) => Promise<void>;
}

export interface DemoTraffic {
  /** Stops traffic and cancels running calls. */
  stop(): Promise<void>;
}

const CALLS_AT_ONCE_MAX = 8;
const CALL_MS_MAX = 10 * MINUTE_MS;
const ERROR_SHARE = 0.02;
/** Status of a call that a limit refused. */
const REFUSED_STATUS = 402;
const BYTES_PER_TOKEN = 4;
const SENTENCE = 'A made-up sentence in place of the words of a customer. ';

/** Calls the proxy as the demo's teams would, at the pace of its history, until it is stopped. */
export function startTraffic(options: TrafficOptions): DemoTraffic {
  const stopped = new AbortController();
  const calls = new Set<Promise<void>>();
  const wait = options.wait ?? waitUnlessStopped;
  const sessions = new DemoSessions(options.random);
  const loop = async () => {
    while (!stopped.signal.aborted) {
      if (calls.size < CALLS_AT_ONCE_MAX) {
        const call = makeCall(options, sessions, stopped.signal).catch((error: unknown) => {
          if (!stopped.signal.aborted) options.onError(error as Error);
        });
        calls.add(call);
        void call.then(() => calls.delete(call));
      }
      await wait(nextPause(options), stopped.signal);
    }
    await Promise.all(calls);
  };
  const done = loop();
  return {
    stop() {
      stopped.abort();
      return done;
    },
  };
}

/** Returns the time to the next call, at the pace of the history. */
function nextPause({ random, clock }: TrafficOptions): number {
  const now = clock();
  return Math.ceil((-Math.log(1 - random()) * HOUR_MS) / callsPerHour(now, now));
}

async function waitUnlessStopped(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function makeCall(options: TrafficOptions, sessions: DemoSessions, stopped: AbortSignal): Promise<void> {
  const { baseUrl, secrets, random } = options;
  const team = pickTeam(random);
  const secret = secrets.get(team.name);
  if (secret === undefined) throw new Error(`The demo has no key named ${team.name}.`);
  const { context, user: sessionUser } = sessions.next(team);
  const { feature, user } = pickTags(team, sessionUser, random);
  const { path, body } = demoRequest(team, pickModel(team, 0, random), spread(team.inputTokens, random));
  const answer = await request(`${baseUrl}/api/proxy/${team.provider}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...contextHeaders(context),
      'x-svc-tags': `feature=${feature},user=${user}`,
      [SANDBOX_OUTPUT_HEADER]: String(spread(team.outputTokens, random)),
      ...(random() < ERROR_SHARE ? { [SANDBOX_STATUS_HEADER]: String(FAILURES[team.provider].status) } : {}),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.any([stopped, AbortSignal.timeout(CALL_MS_MAX)]),
  });
  if (answer.statusCode === REFUSED_STATUS) sessions.noteRefusal(context.session);
  await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER });
}

/** A request of a team with a prompt of about that many tokens: path below the provider's proxy path, and body. */
export function demoRequest(team: DemoTeam, model: string, inputTokens: number): { path: string; body: object } {
  const prompt = SENTENCE.repeat(Math.max(1, Math.round((inputTokens * BYTES_PER_TOKEN) / SENTENCE.length)));
  const messages = [{ role: 'user', content: prompt }];
  switch (team.operation) {
    case 'messages': {
      const cache = team.cachedShare > 0 ? { cache_control: { type: 'ephemeral' } } : {};
      return {
        path: '/v1/messages',
        body: { model, max_tokens: OUTPUT_TOKENS_MAX, stream: team.streams, ...cache, messages },
      };
    }
    case 'generateContent': {
      const method = team.streams ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return {
        path: `/v1beta/models/${model}:${method}`,
        body: { contents: [{ parts: [{ text: prompt }] }], generationConfig: { maxOutputTokens: OUTPUT_TOKENS_MAX } },
      };
    }
    case 'chat.completions':
      return {
        path: '/v1/chat/completions',
        body: { model, max_completion_tokens: OUTPUT_TOKENS_MAX, stream: team.streams, messages },
      };
    case 'embeddings':
      return { path: '/v1/embeddings', body: { model, input: prompt } };
  }
}
