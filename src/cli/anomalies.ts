import { type Command, Option } from 'commander';
import type { AnomalyReportShape, DetectionSettingsShape } from '../contract/anomalies.ts';
import { SENSITIVITIES } from '../domain/anomaly/series.ts';
import { TollbookError } from '../domain/errors.ts';
import { type AnomaliesOptions, showBacktest, showFileBacktest } from './anomalies-backtest.ts';
import { renderAnomalies } from './anomalies-text.ts';
import { dollars } from './amounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import { readUsd } from '../domain/money/money.ts';

export function anomalies(program: Command, cli: CommandLine): void {
  subcommand(program, 'anomalies [settings]', 'what is unusual in present spending')
    .option('--backtest', 'what would have been told in a time that is over')
    .option('--from <date>', 'where a backtest begins (default: 30 days ago)')
    .option('--to <date>', 'where it ends (default: now)')
    .option('--file <path>', 'a backtest of a CSV with time,cost[,calls,failed]; - = standard input; no service')
    .option('--time-zone <name>', 'of the file, for instance Europe/Berlin (default: UTC)')
    .addOption(new Option('--sensitivity <word>', 'set it, or that of a file').choices(SENSITIVITIES))
    .option('--minimum <usd>', 'what is less than this above the usual is never told (default: 1)')
    .addHelpText('after', '\n`tollbook anomalies settings` shows or sets how sensitive the workspace is.')
    .action((what: string | undefined, options: AnomaliesOptions) => run(what, options, cli));
}

async function run(what: string | undefined, options: AnomaliesOptions, cli: CommandLine): Promise<void> {
  if (what === 'settings') return await settings(options, cli);
  if (what !== undefined)
    throw new TollbookError('invalid', `There is no "anomalies ${what}"; write tollbook anomalies settings.`);
  if (options.file !== undefined && !options.backtest)
    throw new TollbookError('invalid', '--file belongs to a backtest: tollbook anomalies --backtest --file FILE');
  if (options.file !== undefined) return await showFileBacktest(options.file, options, cli.terminal);
  if (options.sensitivity !== undefined || options.minimum !== undefined)
    throw new TollbookError('invalid', 'Set them with: tollbook anomalies settings --sensitivity WORD --minimum USD');
  await withContext(cli, options, async ({ client, print }) => {
    if (options.backtest) return await showBacktest(client, options, print);
    print(await client.get<AnomalyReportShape>('/api/mcp/anomalies'), renderAnomalies);
  });
}

async function settings(options: AnomaliesOptions, cli: CommandLine): Promise<void> {
  const { sensitivity, minimum: minExcessUsd } = options;
  const path = '/api/manage/detection';
  await withContext(cli, options, async ({ client, print }) => {
    const changes = sensitivity !== undefined || minExcessUsd !== undefined;
    const found = changes
      ? await client.send<DetectionSettingsShape>('PATCH', path, { sensitivity, minExcessUsd })
      : await client.get<DetectionSettingsShape>(path);
    print(found, (shown) => {
      const least = dollars(readUsd(shown.minExcessUsd, 'minimum'));
      return `Sensitivity: ${shown.sensitivity}\nNever told:  what is less than ${least} above the usual`;
    });
  });
}
