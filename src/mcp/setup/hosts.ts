import { join } from 'node:path';
import { codexConfig } from './codex-config.ts';
import { type ToolHost, type LaunchCommand, SERVER_NAME, type HostEnvironment, withSettings } from './host.ts';
import { objectIn, setInJson } from './json-config.ts';

/** Id of VS Code's input for the token, which VS Code stores; other hosts read it from their environment. */
const KEY_INPUT = 'tollbook-access-token';
const FROM_ENVIRONMENT =
  'It passes on SVC_API_KEY from its environment: set it there, or use --with-key to write the token into the file.';

/** Every host there is: a new one is an object and a place in this list. */
export const hosts: readonly ToolHost[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: ({ home, env }) => join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
    change: (before, launch) =>
      addServer(before, 'mcpServers', launch, (now) => ({ type: 'stdio', ...entry(now, '${SVC_API_KEY:-}') })),
    keyNote: FROM_ENVIRONMENT,
  },
  {
    name: 'codex',
    title: 'Codex',
    file: ({ home, env }) => join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
    change: codexConfig,
    keyNote: FROM_ENVIRONMENT,
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: (surroundings) => join(applicationData(surroundings), 'Claude', 'claude_desktop_config.json'),
    change: (before, launch) => addServer(before, 'mcpServers', launch, (now) => entry(now, null)),
    keyNote:
      'It reads the token from the file only: use --with-key, or add "SVC_API_KEY" to "env" by hand. Tools for local sessions work without it.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    change: (before, launch) => addServer(before, 'mcpServers', launch, (now) => entry(now, '${env:SVC_API_KEY}')),
    keyNote: FROM_ENVIRONMENT,
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: (surroundings) => join(applicationData(surroundings), 'Code', 'User', 'mcp.json'),
    change: vsCodeConfig,
    keyNote: 'It asks for the access token at the first start of the tool server and stores it.',
  },
];

function applicationData({ home, platform, env }: HostEnvironment): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}

/** `reference` is how the host refers to a value of its environment; null = it can't. */
function entry({ command, args, env, key }: LaunchCommand, reference: string | null) {
  const secret = key ?? reference;
  const variables = { ...env, ...(secret !== null && { SVC_API_KEY: secret }) };
  return { command, args, ...(Object.keys(variables).length > 0 && { env: variables }) };
}

type DescribeHost = (launch: LaunchCommand) => object;

function addServer(before: string, field: string, launch: LaunchCommand, describe: DescribeHost): string {
  return setInJson(before, (root) => ({ ...root, [field]: serversWith(objectIn(root, field), launch, describe) }));
}

/** The servers there are with ours among them, which keeps what others set in it. */
function serversWith(servers: Readonly<Record<string, unknown>>, launch: LaunchCommand, describe: DescribeHost) {
  const { env: _, ...there } = objectIn(servers, SERVER_NAME);
  const before = objectIn(objectIn(servers, SERVER_NAME), 'env');
  // One that was reached by an address is another thing altogether.
  const kept = 'url' in there ? {} : there;
  return { ...servers, [SERVER_NAME]: { ...kept, ...describe(withSettings(launch, before)) } };
}

function vsCodeConfig(before: string, launch: LaunchCommand): string {
  const describe: DescribeHost = (now) => ({ type: 'stdio', ...entry(now, `\${input:${KEY_INPUT}}`) });
  const asked = { type: 'promptString', id: KEY_INPUT, description: 'Access token of Tollbook', password: true };
  return setInJson(before, (root) => {
    const servers = serversWith(objectIn(root, 'servers'), launch, describe);
    const inputs: readonly unknown[] = Array.isArray(root['inputs']) ? root['inputs'] : [];
    const isAsked = JSON.stringify(servers[SERVER_NAME]).includes(`{input:${KEY_INPUT}}`);
    const isKnown = inputs.some((input) => objectIn({ input }, 'input')['id'] === KEY_INPUT);
    return { ...root, ...(isAsked && { inputs: isKnown ? inputs : [...inputs, asked] }), servers };
  });
}
