import type { Command } from 'commander';

export interface WorkspaceOptions {
  readonly timeZone?: string;
  readonly retentionDays?: string;
}

export function workspaceOptions(command: Command): Command {
  return command
    .option('--time-zone <name>', 'IANA name, for instance Europe/Berlin')
    .option('--retention-days <days>', 'how long entries are kept; reports keep their sums');
}

/** Whatever is no number goes on as NaN, which the API refuses by name. */
export function readRetention({ retentionDays }: WorkspaceOptions): number | undefined {
  return retentionDays === undefined ? undefined : Number(retentionDays);
}
