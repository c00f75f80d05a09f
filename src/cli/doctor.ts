import type { Command } from 'commander';
import type { DoctorReport } from '../contract/installation.ts';
import { TollbookError } from '../domain/errors.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';

const SIGNS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ', skipped: 'skipped' } as const;
const TONES = { ok: 'good', warning: 'warning', failed: 'bad', skipped: 'faint' } as const;

export function doctor(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'doctor', 'check the installation')
    .option('--online', 'also connect to the providers')
    .action((options: CommonOptions & { online?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const report = await client.call('GET /api/manage/doctor', {
          query: { online: options.online ? 'true' : 'false' },
        });
        print(report, renderReport);
        if (!report.ok) throw new TollbookError('unprocessable', 'Problems found; see above.');
      }),
    );
}

export function renderReport({ checks }: DoctorReport, { paint }: Pick<TextLayout, 'paint'>): string {
  return checks
    .map(({ name, state, message }) => `${paint(TONES[state], SIGNS[state])}  ${name}: ${message}`)
    .join('\n');
}
