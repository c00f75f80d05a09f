const OWN_MACHINE: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

interface DemoLinks {
  readonly baseUrl: string;
  /** Host that the service listens on. */
  readonly host: string;
  readonly dataDir: string;
}

/** The wrapped key that the demo shows, with the lines of a first call. */
interface ShownKey {
  readonly secret: string;
  readonly firstCall: readonly string[];
}

/** Returns the text that the demo prints at its start. */
export function demoWelcome({ baseUrl, host, dataDir }: DemoLinks, token: string, shown: ShownKey): string {
  const others = OWN_MACHINE.has(host)
    ? ''
    : `Others can reach it, because SVC_HOST is ${host}. Unset SVC_HOST to keep it private.\n`;
  return `
DEMO: Tollbook serves on ${baseUrl}
Nothing here is real: sandbox providers, sample data, a temporary folder.
Open it in a browser; you are signed in automatically.
${others}
A wrapped key:    ${shown.secret}
An access token:  ${token}

Make a call:

${shown.firstCall.map((line) => `  ${line}`).join('\n')}

Read usage:

  curl ${baseUrl}/api/mcp/usage/summary \\
  -H "authorization: Bearer ${token}"

In another terminal, commands read the demo with its folder:

  SVC_DATA_DIR=${dataDir} npx tollbook spend --by model

`;
}
