import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { TollbookError } from '../domain/errors.ts';
import { hideSecrets } from '../lib/crypto/hide-secrets.ts';
import { VERSION } from '../version.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import type { ToolSession } from './session.ts';
import type { Tool, ToolContext } from './tool.ts';
import { HOUR_MS } from '../domain/time/units.ts';

/** The same for everybody, and as old as the program. */
const LISTED = { ttlMs: HOUR_MS, cacheScope: 'public' } as const;
/** An answer that takes longer has lost its listener; the first sync of a long history is the longest there is. */
const CALL_MS_MAX = 10 * 60_000;
/** No tool takes more; what has more is no honest question. */
const ARGUMENTS_MAX = 1_000;

const LOCAL =
  ' "svc_get_local_…" and "svc_list_…_sessions" read session files of this machine and upload nothing; the other tools call the service.';

/** A tool server for one connection or one request. */
export function buildServer(tools: readonly Tool[], session: ToolSession): McpServer {
  const hasFiles = tools.some(({ needsFiles }) => needsFiles);
  const server = new McpServer(
    { name: 'tollbook', title: 'Tollbook', version: VERSION },
    {
      instructions: instructionsFor(hasFiles),
      maxToolInputElements: ARGUMENTS_MAX,
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
      },
      cacheHints: {
        'server/discover': LISTED,
        'tools/list': LISTED,
        'prompts/list': LISTED,
        'resources/list': LISTED,
        'resources/templates/list': LISTED,
      },
    },
  );
  for (const tool of tools) addTool(server, tool, session);
  addResources(server, session);
  addPrompts(server, { hasFiles });
  forgetInheritedNames(server);
  return server;
}

/** The library looks names up in plain objects: there it finds `constructor`, and says that it is disabled. */
function forgetInheritedNames(server: McpServer): void {
  for (const field of ['_registeredTools', '_registeredPrompts']) {
    const byName: unknown = Reflect.get(server, field);
    if (byName instanceof Object) Object.setPrototypeOf(byName, null);
  }
}

function instructionsFor(hasFiles: boolean): string {
  return `Tollbook records what AI models cost: calls through its gateway and sessions of coding assistants.
Amounts are US dollars.${hasFiles ? LOCAL : ''}
An unknown cost is marked as unknown: never count it as 0.`;
}

function addTool(server: McpServer, tool: Tool, session: ToolSession): void {
  const { name, title, description, hints } = tool;
  const config = {
    title,
    description,
    inputSchema: shown(tool.input),
    outputSchema: tool.output,
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      ...(!hints.readOnly && { destructiveHint: false, idempotentHint: hints.idempotent }),
      openWorldHint: false,
    },
  };
  server.registerTool(name, config, async (args, { mcpReq }) => {
    const signal = AbortSignal.any([mcpReq.signal, AbortSignal.timeout(CALL_MS_MAX)]);
    try {
      const { text, data } = await tool.call(args, session.context(signal, progressReporter(mcpReq)));
      return { content: [{ type: 'text', text }], structuredContent: data };
    } catch (error) {
      // A cancelled call needs no answer and is not an error.
      return failed(name, error, mcpReq.signal.aborted ? null : session);
    } finally {
      session.options.onAnswered?.();
    }
  });
}

/** The host sees the whole shape; what it sends is checked by the tool, whose sentences say what is allowed. */
function shown(schema: Tool['input']): StandardSchemaWithJSON<Record<string, unknown>> {
  return {
    '~standard': { ...schema['~standard'], validate: (value) => ({ value: value as Record<string, unknown> }) },
  };
}

/** Returns an error to the assistant, and reports unexpected errors to the operator too. */
function failed(name: string, error: unknown, session: ToolSession | null): CallToolResult {
  if (!(error instanceof TollbookError)) session?.options.onError(error);
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof TollbookError ? message : `${name} failed: ${message}`;
  return { isError: true, content: [{ type: 'text', text: hideSecrets(text) }] };
}

/** Progress only rises, and is only sent to a host that requested it. */
function progressReporter({ _meta, notify }: ServerContext['mcpReq']): ToolContext['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let last = -1;
  return (progress, total, message) => {
    if (progress <= last) return;
    last = progress;
    const params = { progressToken, progress, total, message };
    // Progress for a closed connection can be dropped.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
