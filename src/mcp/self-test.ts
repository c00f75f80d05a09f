import { existsSync } from 'node:fs';
import type { ToolSettings } from '../config.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import { listSessionFolders } from '../sessions/reports/local-usage.ts';
import { VERSION } from '../version.ts';
import { stdioAdvice } from './advice.ts';
import { ApiClient } from './client.ts';
import type { ToolMachine } from './tool.ts';
import { tools } from './tools.ts';

const SERVICE_MS_MAX = 5_000;

export interface SelfTest {
  readonly version: string;
  readonly env: {
    readonly apiUrl: string;
    readonly hasApiKey: boolean;
    readonly autoSyncEnabled: boolean;
    readonly codexAutoSyncEnabled: boolean;
  };
  /** The first folder with session files; null = there is none. */
  readonly local: { readonly claudeCodeDir: string | null; readonly codexDir: string | null };
  readonly service: { readonly reachable: boolean; readonly accepted: boolean; readonly message: string };
  readonly tools: readonly string[];
}

/** Reports what the tool server would find if a host started it now. */
export async function selfTest(settings: ToolSettings, machine: ToolMachine): Promise<SelfTest> {
  const { apiUrl, apiKey, autoSync, codexSync } = settings;
  return {
    version: VERSION,
    env: {
      apiUrl,
      hasApiKey: apiKey !== null,
      autoSyncEnabled: autoSync,
      codexAutoSyncEnabled: autoSync && codexSync,
    },
    local: {
      claudeCodeDir: await firstFolder('claude_code', machine),
      codexDir: await firstFolder('codex', machine),
    },
    service: await testService(settings),
    tools: tools.map(({ name }) => name),
  };
}

async function firstFolder(source: LocalSource, { env }: ToolMachine): Promise<string | null> {
  const folders = await listSessionFolders([source], env);
  return folders.flatMap(([, ofSource]) => ofSource).find((folder) => existsSync(folder)) ?? null;
}

async function testService({ apiUrl, apiKey }: ToolSettings): Promise<SelfTest['service']> {
  const signal = AbortSignal.timeout(SERVICE_MS_MAX);
  try {
    const health = await fetch(`${apiUrl}/healthz`, { signal });
    if (!health.ok) throw new Error(`status ${health.status}`);
  } catch (error) {
    const { cause = error } = error as Error;
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    return { reachable: false, accepted: false, message: stdioAdvice.unreachable(apiUrl, reason) };
  }
  try {
    const client = new ApiClient({ url: apiUrl, apiKey, send: fetch, advice: stdioAdvice });
    const { name, timeZone } = await client.call('GET /api/mcp/workspace', { signal });
    return { reachable: true, accepted: true, message: `Workspace "${name}", time zone ${timeZone}.` };
  } catch (error) {
    return { reachable: true, accepted: false, message: (error as Error).message };
  }
}
