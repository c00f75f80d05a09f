import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { TollbookError } from '../domain/errors.ts';

/** Maximum of listeners. The server sends no events by itself, so few are needed. */
const LISTENERS_MAX = 64;
const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export interface HttpTransportOptions {
  /** Returns the server for requests with this access token. */
  readonly serverFor: (secret: string) => McpServer;
  /** Returns the caller of a request; throws a `TollbookError` of status 401 or 403. */
  readonly authenticate: (request: Request) => Promise<ToolsCaller>;
  /** Names by which people reach the service, in addition to those of the machine itself. */
  readonly hostnames: readonly string[];
  readonly bodyBytesMax: number;
  readonly onError: (error: unknown) => void;
}

export interface ToolsCaller {
  /** The access token. */
  readonly secret: string;
  /** Counts messages; throws a `TollbookError` of status 429 for too many. */
  readonly count: (messages: number) => void;
}

export interface ToolsTransport {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Serves the tools over HTTP, for every revision of the protocol. Requests are independent: each brings its access
 * token, and no state is kept between them.
 */
export function openHttpTransport(options: HttpTransportOptions): ToolsTransport {
  const { serverFor, authenticate, bodyBytesMax, onError: onProblem } = options;
  const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.token ?? ''), {
    maxRequestBodySize: bodyBytesMax,
    maxSubscriptions: LISTENERS_MAX,
    onerror: onProblem,
  });
  const allowed = new Set([...LOCAL_NAMES, ...options.hostnames.map((name) => name.toLowerCase())]);
  return {
    async fetch(request) {
      try {
        checkSite(request, allowed);
        const { secret: token, count } = await authenticate(request);
        count(await countMessages(request, bodyBytesMax));
        return await handler.fetch(request, { authInfo: { token, clientId: 'access token', scopes: [] } });
      } catch (error) {
        if (error instanceof TollbookError) return refusal(error);
        throw error;
      }
    },
    close: () => handler.close(),
  };
}

/** Returns the messages in the body, which older revisions of the protocol may batch. The handler refuses malformed bodies. */
async function countMessages(request: Request, bodyBytesMax: number): Promise<number> {
  const bytes = await request.clone().bytes();
  if (bytes.length > bodyBytesMax) return 1;
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(body) ? Math.max(1, body.length) : 1;
  } catch {
    return 1;
  }
}

/**
 * A page of another site can make a browser ask here, or give its own name to this address (DNS rebinding): both show
 * in these headers.
 */
function checkSite({ headers }: Request, allowed: ReadonlySet<string>): void {
  const origin = headers.get('origin');
  if (origin !== null && !allowed.has(hostnameOf(origin)))
    throw new TollbookError('missing_scope', `The site ${origin.slice(0, 100)} is not allowed to use these tools.`);
  const host = headers.get('host');
  if (host !== null && !allowed.has(hostnameOf(`http://${host}`)))
    throw new TollbookError(
      'missing_scope',
      `This service does not answer to the host ${JSON.stringify(host.slice(0, 100))}. Set SVC_BASE_URL to the address that people use, or add the name to SVC_ALLOWED_HOSTS, and restart it.`,
    );
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname ?? '';
}

function refusal({ message, type, status, retryAfter }: TollbookError): Response {
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="tollbook"' }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  return Response.json({ error: message, type }, { status, headers });
}
