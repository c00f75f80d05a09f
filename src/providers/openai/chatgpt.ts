import type {
  ClientLines,
  InferenceRoute,
  Provider,
  RequestFacts,
  SocketRoute,
  SubscriptionLogin,
} from '../provider.ts';
import { neverShortened } from '../fixed-request.ts';
import { responseCreateRoute, type ResponsesForm, responsesRoute } from './responses-request.ts';
import { responsesSocket } from './responses-socket.ts';

/** Paths that take the login. */
interface LoginPaths {
  readonly operations: Readonly<Record<string, InferenceRoute>>;
  readonly sockets: Readonly<Record<string, SocketRoute>>;
}

/**
 * Returns the login of ChatGPT that Codex sends. Such calls go to the address that Codex itself uses with a login
 * (codex-rs/model-provider-info), not to the API.
 */
export function chatgptLogin(
  openai: Omit<Provider, 'subscription' | 'regional'>,
  route: (served: LoginPaths, method: string, rest: string) => ReturnType<Provider['route']>,
  form: ResponsesForm,
): SubscriptionLogin {
  const served = {
    operations: { '/responses': unchangedRoute(responsesRoute(form)) },
    sockets: { '/responses': responsesSocket('', unchangedRoute(responseCreateRoute(form))) },
  };
  const upstream: Provider = {
    ...openai,
    url: 'https://chatgpt.com/backend-api/codex',
    readUrl: (url) => url,
    route: (method, rest) => route(served, method, rest),
  };
  return { refuseLogin: refuseApiKey, clients: [codexLogin], upstream: { id: 'chatgpt', provider: upstream } };
}

function refuseApiKey(token: string): string | null {
  return token.startsWith('sk-')
    ? 'This is an API key, which no subscription covers. Log in to ChatGPT with "codex login".'
    : null;
}

function codexLogin(address: string, key: string): ClientLines {
  return {
    client: 'Codex, logged in to ChatGPT: at the top of ~/.codex/config.toml, above any [section]',
    lines: [
      'model_provider = "tollbook"',
      'model_providers.tollbook.name = "Tollbook"',
      `model_providers.tollbook.base_url = "${address}"`,
      'model_providers.tollbook.requires_openai_auth = true',
      `model_providers.tollbook.http_headers = { "x-svc-key" = "${key}" }`,
      'model_providers.tollbook.wire_api = "responses"',
    ],
  };
}

/**
 * Returns a route whose requests are passed unchanged: with a login, the provider refuses `max_output_tokens` and has no
 * counter of prompts. So calls are not shortened.
 */
function unchangedRoute(route: InferenceRoute): InferenceRoute {
  return {
    ...route,
    readRequest: (body) => unchanged(route.readRequest(body)),
    *readRequestInSlices(body) {
      return unchanged(yield* route.readRequestInSlices(body));
    },
  };
}

function unchanged(facts: RequestFacts): RequestFacts {
  const { splices, demand } = facts;
  return {
    ...facts,
    counter: null,
    tools: null,
    demand: neverShortened(demand),
    outputField: null,
    forward: () => splices,
  };
}
