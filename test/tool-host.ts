import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { MAIN } from './service.ts';

/** `auto` uses the newest revision of the protocol, `legacy` those with a handshake. */
export const ERAS = ['auto', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

type Fetch = (request: Request) => Response | Promise<Response>;

function newHost(era: Era = 'auto'): Client {
  return new Client({ name: 'host of the test', version: '1.0.0' }, { versionNegotiation: { mode: era } });
}

/** Connects a host with the official library to a handler in this process. */
export async function connectInProcess(answer: Fetch, token: string, era: Era = 'auto'): Promise<Client> {
  const host = newHost(era);
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost:4700/mcp'), {
    fetch: async (url, init) => answer(new Request(url, init)),
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await host.connect(transport);
  return host;
}

/** Connects a host that starts `tollbook tools` as a separate process. */
export async function connectStdio(env: Readonly<Record<string, string>>, era: Era = 'auto') {
  const host = newHost(era);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'tools'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
  });
  let output = '';
  transport.stderr?.on('data', (piece: Buffer) => (output += piece.toString()));
  await host.connect(transport);
  return { host, transport, told: () => output };
}

export interface Said {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown> | undefined;
}

/** Returns what an assistant sees of a result. */
export async function callTool(host: Client, name: string, given: Record<string, unknown> = {}): Promise<Said> {
  const { isError = false, content, structuredContent } = await host.callTool({ name, arguments: given });
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`${name} answered without text`);
  return { isError, text: first.text, data: structuredContent as Said['data'] };
}
