import type { ErrorAdvice } from './client.ts';

const MAKE = 'Create one where the service runs: tollbook tokens create --name assistant.';
export const LOCAL_TOOLS_WORK =
  'Tools for local sessions work without the service: svc_get_local_claude_code_usage, svc_list_claude_code_sessions, svc_get_local_codex_usage, svc_list_codex_sessions.';

/** For tools that a host starts on a person's machine. */
export const stdioAdvice: ErrorAdvice = {
  noKey: `No access token is set. ${MAKE} Set it as SVC_API_KEY in this server's configuration ("tollbook tools --setup" writes one) and restart the host. ${LOCAL_TOOLS_WORK}`,
  newKey: `${MAKE} Set it as SVC_API_KEY in this server's configuration and restart the host. ${LOCAL_TOOLS_WORK}`,
  unreachable: (url, reason) =>
    `No Tollbook service answers at ${url} (${reason}). Start it with "tollbook serve", or set SVC_API_URL to its address. ${LOCAL_TOOLS_WORK}`,
};

/** For tools of the service itself, which a host reaches over HTTP. */
export const httpAdvice: ErrorAdvice = {
  noKey: `No access token was sent. ${MAKE} Send it as a bearer token, in the header Authorization, from this server's configuration.`,
  newKey: `${MAKE} Send it as a bearer token, in the header Authorization, from this server's configuration.`,
  unreachable: (url, reason) => `The service at ${url} can't reach itself (${reason}); see its log.`,
};
