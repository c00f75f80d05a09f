import { Option } from 'commander';
import type { Command } from 'commander';
import type { LimitSetShape, LimitShape } from '../contract/limits.ts';
import { chooseScope, parseThresholds, type ScopeWords } from '../domain/limits/limit-fields.ts';
import { type LimitUnit, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { findKeyId } from './key-id.ts';
import { limitSentence } from './limit-sentence.ts';

interface SetLimitOptions extends CommonOptions, ScopeWords {
  readonly unit: LimitUnit;
  readonly amount: string;
  readonly window?: string;
  readonly warn?: boolean;
  readonly threshold?: string[];
  readonly label?: string;
  readonly uncertain?: string[];
}

export function limitsSet(limits: Command, cli: CommandLine): void {
  subcommand(limits, 'set', 'make a limit, or change the amount of the one that is there')
    .addOption(new Option('--unit <unit>', 'what is counted').choices(LIMIT_UNITS).makeOptionMandatory())
    .requiredOption('--amount <number>', 'dollars for usd, a whole number otherwise')
    .addOption(new Option('--window <window>', 'when it begins anew; concurrency has none').choices(LIMIT_WINDOWS))
    .option('--key <key>', 'counts the calls of a wrapped key, by id or name (default: all calls)')
    .option('--provider <id>', 'counts the calls to a provider')
    .option('--model <pattern>', 'counts the calls of models, for instance claude-*')
    .option('--tag <key=value>', 'counts the calls with a tag')
    .option('--each-tag <key>', 'counts every value of a tag apart, under the same amount')
    .option('--warn', 'raise alerts and let calls pass (default: block)')
    .option('--threshold <percent>', 'raise an alert there; may be repeated (default: 50, 80, 95)', collect)
    .option('--label <text>', 'for people')
    .option('--uncertain <rule...>', 'calls of unknown cost: keep, or release-after 2h (default: keep)')
    .action((options: SetLimitOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const { unit, amount, window, warn, threshold, label, uncertain } = options;
        const chosen = chooseScope(options);
        const scope = chosen.kind === 'key' ? { ...chosen, keyId: await findKeyId(client, chosen.keyId) } : chosen;
        const { beside, ...set } = await client.send<LimitSetShape>('PUT', '/api/manage/limits', {
          scope,
          unit,
          amount,
          window,
          action: warn ? 'warn' : 'block',
          thresholds: threshold && parseThresholds(threshold.map(Number), '--threshold'),
          uncertainRule: uncertain?.join(' '),
          label,
        });
        if (scope.kind === 'tag' || scope.kind === 'each_tag') terminal.err(RENAMING);
        if (beside) terminal.err(besideNote(beside));
        print(set, limitSentence);
      }),
    );
}

/** Setting one with another action neither changes nor replaces it, which who sets it may think. */
function besideNote(beside: LimitShape): string {
  return `Note: another limit counts the same and stays.
${limitSentence(beside)}
If it should not: tollbook limits remove ${beside.id}
`;
}

const RENAMING = `Note: a client can send another tag and so escape this limit. Only a tag of the
wrapped key itself (keys create --tag) or one that its policy requires with a
list of values (policies set KEY --require-tag team=a,b) holds it.
`;
