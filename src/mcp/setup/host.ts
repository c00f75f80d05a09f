/** Environment of this machine in which configuration is searched. */
export interface HostEnvironment {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Command by which a host starts the tool server. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables of the tool server, without the access token. */
  readonly env: Readonly<Record<string, string>>;
  /** The access token as text; null = only where to find it is written. */
  readonly key: string | null;
}

/** A program that can start tool servers. */
export interface ToolHost {
  /** Name to type on the command line. */
  readonly name: string;
  readonly title: string;
  file(surroundings: HostEnvironment): string;
  /** The file with this tool server in it. Throws a `TollbookError` with the lines to paste where it can't be changed. */
  change(before: string, launch: LaunchCommand): string;
  /** Note on how the host gets the access token if it is not written; null = the host asks for it. */
  readonly keyNote: string | null;
}

export const SERVER_NAME = 'tollbook';

const TOKEN = 'svc_sk_';

/** Returns true if the text of a configuration contains an access token. */
export function holdsToken(text: string): boolean {
  return text.includes(TOKEN);
}

/**
 * Keeps earlier settings of the tool server, such as token and URL, unless this setup overrides them. `SVC_AUTO_SYNC`
 * always follows this setup.
 */
export function withSettings(launch: LaunchCommand, before: Readonly<Record<string, unknown>>): LaunchCommand {
  const { SVC_API_KEY: key, SVC_AUTO_SYNC: _, ...others } = before;
  const kept = Object.entries(others).filter(([, value]) => typeof value === 'string') as [string, string][];
  const token = typeof key === 'string' && key.startsWith(TOKEN) ? key : null;
  return { ...launch, env: { ...Object.fromEntries(kept), ...launch.env }, key: launch.key ?? token };
}
