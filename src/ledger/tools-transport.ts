import type { Api } from '../api/api.ts';
import { RequestLimit, requireAdmitted } from '../api/http/authenticator.ts';
import { readTokenSecret } from '../api/http/caller.ts';
import type { Services } from '../api/services.ts';
import { LIMITS } from '../config.ts';
import type { ToolsCaller, ToolsTransport } from '../mcp/http-transport.ts';

export const TOOLS_PATH = '/mcp';
/** Hosts send several messages for each tool call: handshakes, lists, notifications. */
const MESSAGES_PER_CALL = 4;

/**
 * Serves the tools over HTTP. They call the API of this process with the given token, so that its scopes and rate
 * limit apply. Loaded at the first request.
 */
export class LazyTools {
  readonly #services: Services;
  readonly #api: Api;
  readonly #messageLimit: RequestLimit;
  #transport: Promise<ToolsTransport> | null = null;

  constructor(services: Services, api: Api) {
    this.#services = services;
    this.#api = api;
    this.#messageLimit = new RequestLimit(MESSAGES_PER_CALL * services.settings.tokenRequestsPerMinute);
  }

  async fetch(request: Request): Promise<Response> {
    this.#transport ??= this.#open();
    return (await this.#transport).fetch(request);
  }

  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  async #open(): Promise<ToolsTransport> {
    const [{ openHttpTransport: openDoor }, { serveOverHttp }] = await Promise.all([
      import('../mcp/http-transport.ts'),
      import('../mcp/over-http.ts'),
    ]);
    const { settings, clock, log } = this.#services;
    const onProblem = (error: unknown): void => log.warn({ err: error }, 'a request to the tools failed');
    const send = (url: string, init: RequestInit) => this.#api.fetch(new Request(url, init), { caller: 'public' });
    return openDoor({
      serverFor: serveOverHttp({ url: settings.baseUrl, send, clock, onError: onProblem }),
      authenticate: (request) => this.#authenticate(request),
      hostnames: [new URL(settings.baseUrl).hostname, ...settings.allowedHosts],
      bodyBytesMax: LIMITS.toolBodyBytesMax,
      onError: onProblem,
    });
  }
  /** Lists and notifications use no API, whose limit would count them, so all messages are counted here. */
  async #authenticate(request: Request): Promise<ToolsCaller> {
    const { token, secret } = await readTokenSecret(request, this.#services);
    const count = (messages: number): void => {
      const now = this.#services.clock();
      requireAdmitted(this.#messageLimit.admit(token.id, now, messages), 'This token', now);
    };
    return { secret, count };
  }
}
