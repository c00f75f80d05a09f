import { endpoint } from './http/endpoint.ts';
import type { LiveStreams } from './live-streams.ts';

export interface LiveServices {
  readonly live: LiveStreams;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // For nginx and similar servers: they must not buffer a live stream.
  'x-accel-buffering': 'no',
};

export const live = endpoint('GET /api/live', async ({ caller }, { live: streams }: LiveServices) => {
  const { actor, workspaceId, scopes } = caller;
  return Promise.resolve(new Response(streams.open({ actor, workspaceId, scopes }), { headers: HEADERS }));
});
