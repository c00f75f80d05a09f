import { type Command, Option } from 'commander';
import type { MuteShape } from '../contract/anomalies.ts';
import { TollbookError } from '../domain/errors.ts';
import { parseDuration } from '../domain/time/duration.ts';
import { MUTABLE_TYPES } from '../domain/alerts/mute.ts';
import { toIso } from '../domain/time/period.ts';
import type { Clock } from '../lib/clock.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeMute } from './describe-mute.ts';
import { findKeyId } from './key-id.ts';
import { readTags } from './tags.ts';

interface MuteAlertOptions extends CommonOptions {
  readonly type?: string;
  readonly key?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly limit?: string;
  readonly tag: readonly string[];
  readonly for?: string;
  readonly until?: string;
  readonly reason: string;
}

export function alertsMute(alerts: Command, cli: CommandLine): void {
  subcommand(alerts, 'mute', 'be told no more of something')
    .requiredOption('--reason <text>', 'for whoever wonders later')
    .option('--type <type>', `${MUTABLE_TYPES.join(', ').toLowerCase()} (default: all of these)`)
    .option('--key <id or name>', 'alerts about this wrapped key')
    .option('--model <name>', 'alerts about this model')
    .option('--provider <id>', 'alerts about this provider')
    .option('--limit <id>', 'alerts about this limit')
    .option('--tag <key=value>', 'alerts about this tag; may be repeated', collect, [])
    .option('--for <duration>', 'for instance 90s, 15m, 2h, 7d')
    .addOption(new Option('--until <date>', 'for instance 2027-01-31T18:00:00Z').conflicts('for'))
    .action((options: MuteAlertOptions) =>
      withContext(cli, options, async ({ client, clock, print }) => {
        const { reason, model, provider, limit, key } = options;
        const scope: Record<string, string> = {};
        if (key !== undefined) scope['key'] = await findKeyId(client, key);
        for (const [name, value] of Object.entries({ model, provider, limit }))
          if (value !== undefined) scope[name] = value;
        for (const [name, value] of Object.entries(readTags(options.tag))) scope[`tag:${name}`] = value;
        const body = { type: readMutedType(options.type), scope, until: readMuteEnd(options, clock), reason };
        print(
          await client.send<MuteShape>('POST', '/api/manage/mutes', body),
          (mute) => `Muted: ${describeMute(mute)}`,
        );
      }),
    );
}

function readMutedType(text: string | undefined): string | null {
  if (text === undefined) return null;
  const type = MUTABLE_TYPES.find((known) => known === text.trim().toUpperCase());
  if (type) return type;
  const types = MUTABLE_TYPES.join(', ').toLowerCase();
  throw new TollbookError('invalid', `"${text}" can't be muted; choose from ${types}.`);
}

function readMuteEnd({ for: duration, until }: MuteAlertOptions, clock: Clock): string | null {
  if (duration !== undefined) return toIso(clock() + parseDuration(duration, '--for'));
  return until ?? null;
}
