import type { Command } from 'commander';
import type { ApplyResult, AppliedChange } from '../contract/apply.ts';
import { TollbookError } from '../domain/errors.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { readVariable } from './keys.ts';
import { cut, plainText } from './table.ts';
import type { CommandTerminal } from './terminal.ts';

interface ApplyOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly force?: boolean;
  readonly schema?: boolean;
}

export function applyCommand(program: Command, cli: CliEnvironment): void {
  subcommand(
    program,
    'apply [file]',
    'create and change providers, prices, keys, policies, limits and webhooks from a file',
  )
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--force', 'keep provider keys even if the provider rejects them')
    .option('--prune', 'also remove records that the sections of the file do not name')
    .option('--schema', 'print the JSON Schema of the file, for editors')
    .action(async (path: string | undefined, options: ApplyOptions) => {
      if (options.schema) return await printSchema(cli);
      if (path === undefined) throw new TollbookError('invalid', 'Name the file: tollbook apply FILE.');
      // Loaded only here: no other command reads YAML.
      const { DeclarationFile } = await import('./declaration-file.ts');
      const file = new DeclarationFile(path);
      await withContext(cli, options, async ({ client, terminal, print }) => {
        const how = { prune: options.prune ?? false, force: options.force ?? false };
        const send = (request: object): Promise<ApplyResult> =>
          client.call('POST /api/manage/apply', { body: { ...file.content, ...how, ...request } });
        try {
          let result = await send({ dryRun: true });
          if (options.dryRun) warnOfMissing(result, terminal);
          else result = await send({ dryRun: false, environment: readVariables(result, terminal) });
          for (const warning of result.warnings) terminal.err(`Warning: ${warning}\n`);
          print(result, renderChanges);
          if (result.failure !== null)
            throw new TollbookError('unprocessable', `${result.failure} Fix it and apply again.`);
        } catch (error) {
          throw file.locate(error);
        }
      });
    });
}

async function printSchema({ terminal }: CliEnvironment): Promise<void> {
  const { declarationSchema } = await import('../contract/apply.ts');
  terminal.out(`${JSON.stringify(declarationSchema(), null, 2)}\n`);
}

/** Warns of missing secrets. A dry run may run on a machine without them, so this is not an error. */
function warnOfMissing({ missingVariables }: ApplyResult, { env, err }: CommandTerminal): void {
  for (const { variable, field } of missingVariables)
    if (!env[variable]?.trim()) err(`Warning: ${field}: ${variable} is not set.\n`);
}

function readVariables({ missingVariables }: ApplyResult, terminal: CommandTerminal): Record<string, string> {
  return Object.fromEntries(
    missingVariables.map(({ variable, field }) => {
      try {
        return [variable, readVariable(variable, terminal)];
      } catch (error) {
        throw error instanceof TollbookError ? new TollbookError(error.type, error.message, field) : error;
      }
    }),
  );
}

const SIGNS = { create: '+', change: '~', leave: '=', remove: '-' } as const;

function renderChanges({ dryRun, changes, created }: ApplyResult, { width }: TextLayout): string {
  const shown = changes.filter(({ action, fields }) => action !== 'leave' || fields.length > 0);
  return [
    ...shown.flatMap(renderChange).map((line) => cut(plainText(line), width)),
    renderCounts(changes, dryRun),
    ...(created.length === 0 ? [] : ['', 'New wrapped keys. They are shown only now:', '']),
    ...created.map(({ name, key }) => `  ${key}  ${plainText(name)}`),
  ].join('\n');
}

function renderChange({ action, kind, name, fields }: AppliedChange): string[] {
  const note = action === 'leave' ? ' (differs; apply does not change webhooks)' : '';
  return [
    `${SIGNS[action]} ${kind} ${name}${note}`,
    ...fields.map(({ field, from, to }) => {
      const before = action === 'create' ? '' : `${renderValue(from)} → `;
      return `    ${field}: ${before}${renderValue(to)}`;
    }),
  ];
}

function renderValue(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function renderCounts(changes: readonly AppliedChange[], dryRun: boolean): string {
  const count = (action: AppliedChange['action']): number =>
    changes.filter((change) => change.action === action).length;
  const [made, changed, removed] = dryRun ? ['to create', 'to change', 'to remove'] : ['created', 'changed', 'removed'];
  return [
    `${count('create')} ${made}`,
    `${count('change')} ${changed}`,
    `${count('remove')} ${removed}`,
    `${count('leave')} as ${count('leave') === 1 ? 'it is' : 'they are'}`,
  ].join(', ');
}
