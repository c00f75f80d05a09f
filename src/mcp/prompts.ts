import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { TollbookError } from '../domain/errors.ts';
import { NAMED_PERIODS } from '../domain/time/period.ts';

const PERIODS = NAMED_PERIODS.join(', ');

/** Plans that the local report of Claude Code knows. */
const PLAN_NAMES = ['pro', 'max_5x', 'max_20x'];

/** Questions that people ask most, each with the tools that answer it; `hasFiles`: those on local files are there too. */
export function addPrompts(server: McpServer, { hasFiles }: { readonly hasFiles: boolean }): void {
  server.registerPrompt(
    'where_did_my_spend_go',
    {
      title: 'Where did my spend go?',
      description: 'Spend of a period by part, and what is notable',
      argsSchema: z.object({ period: z.string().optional().describe(`One of ${PERIODS}; default: last_7d`) }),
    },
    ({ period }) =>
      question(`Where did my AI spend go (${listChoices(NAMED_PERIODS, 'period', period) ?? 'last_7d'})?

Call svc_get_usage_summary with that period, and svc_get_usage_by_tag for the tags "project" and "team". Look at svc_list_alerts too.
Tell me in a few lines: the total, the three largest parts with their shares, what is notable, and one thing that would save the most. Say what is unknown; don't guess.`),
  );
  server.registerPrompt(
    'is_my_plan_worth_it',
    {
      title: 'Is my plan worth it?',
      description: 'Retail cost of the usage that a flat-rate plan covers',
      argsSchema: z.object({
        plan: z
          .string()
          .optional()
          .describe(`One of ${PLAN_NAMES.join(', ')}; default: the subscriptions of the workspace`),
      }),
    },
    ({ plan }) => {
      const named = listChoices(PLAN_NAMES, 'plan', plan);
      return question(`Is my plan worth its price?

${
  named === undefined || !hasFiles
    ? 'Call svc_get_savings with period "monthly", and svc_get_savings_breakdown for the models.'
    : `Call svc_get_local_claude_code_usage with maxAgeHours 720 and subscriptionPlan "${named}".`
}
Tell me the retail cost, what the plan costs for the same time, the difference, and from how much usage on the plan pays off. Say over which days you compared.`);
    },
  );
}

/** Hosts send '' for what a person leaves open. */
function listChoices(names: readonly string[], what: string, given = ''): string | undefined {
  if (given === '') return undefined;
  if (names.includes(given)) return given;
  throw new TollbookError('invalid', `${what} must be one of ${names.join(', ')}.`, what);
}

function question(text: string) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
}
