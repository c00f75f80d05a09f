import { liveEvents } from '../contract/live.ts';
import { endpoint } from './http/endpoint.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Of nginx and others like it: what is held back is not live.
  'x-accel-buffering': 'no',
};

export const live = endpoint({
  method: 'GET',
  path: '/api/live',
  summary: 'What happens in the workspace, as it happens',
  description:
    'Server-sent events; LiveEvents describes the data of each. A stream ends after five minutes, and its client opens another. Alerts are told to those who may read them.',
  scope: 'usage:read',
  right: 'read',
  answer: liveEvents,
  streams: ['text/event-stream'],
  handle({ caller }, { live: streams }) {
    const { actor, workspaceId, scopes } = caller;
    return Promise.resolve(new Response(streams.open({ actor, workspaceId, scopes }), { headers: HEADERS }));
  },
});
