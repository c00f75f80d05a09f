import { sessionDetail } from '../contract/sessions.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { formatSpan } from '../domain/text/dates.ts';
import { shortSession } from '../domain/text/limits.ts';
import { text, wholeNumber } from './parameters.ts';
import { page, table } from './render.ts';
import { defineTool } from './tool.ts';
import { partCost, uncertaintyNotes } from './view.ts';

const AGENTS_MAX = 100;

export const getSessionUsage = defineTool({
  name: 'svc_get_session_usage',
  title: 'Usage and cost of a session',
  description:
    'What one session used through the gateway: its cost, calls and tokens, by agent with the agents below it, by model and by run. Call it to see which agent spent a budget. It knows the sessions that clients name in their calls (x-svc-session, Claude Code, Codex); calls appear soon after they end.',
  input: {
    session: text('a session').describe('Name of the session, or the beginning of the name, if no other has it'),
    limit: wholeNumber(1, AGENTS_MAX, 'Most agents, and most runs').default(20),
  },
  output: sessionDetail
    .pick({ session: true, firstCallAt: true, lastCallAt: true, total: true })
    .extend(
      sessionDetail.pick({ agents: true, agentsLeftOut: true, models: true, runs: true, runsLeftOut: true }).shape,
    ),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  run: ({ session, limit }, { client, signal }) =>
    client.call('GET /api/mcp/session', { query: { session, limit }, signal }),
  markdown({ session, firstCallAt, lastCallAt, total, agents, agentsLeftOut, models, runs, runsLeftOut }, timeZone) {
    return page(
      `**${partCost(total)}** for ${countNoun(total.calls, 'call')} of session ${shortSession(session)}, ${formatSpan(firstCallAt, lastCallAt, timeZone)} (${timeZone})`,
      `${formatCount(total.inputTokens)} input tokens (cached ones included), ${formatCount(total.outputTokens)} output tokens`,
      table(
        ['Agent', 'Started by', '>Own cost', '>With agents below', '>Calls', 'Models'],
        agents.map(({ agent, parentAgent, own, withDescendants, models: used }) => [
          agent ?? '(main)',
          agent === null ? '' : (parentAgent ?? '(main)'),
          partCost(own),
          partCost(withDescendants),
          formatCount(own.calls),
          used.join(', '),
        ]),
      ),
      agentsLeftOut > 0 && `${countNoun(agentsLeftOut, 'more agent')}, in the sums of those above.`,
      table(
        ['Model', '>Cost', '>Calls'],
        models.map((part) => [part.value, partCost(part), formatCount(part.calls)]),
      ),
      table(
        ['Run', '>Cost', '>Calls'],
        runs.map((part) => [part.value, partCost(part), formatCount(part.calls)]),
      ),
      runsLeftOut > 0 && `${countNoun(runsLeftOut, 'more run')}.`,
      uncertaintyNotes(total),
    );
  },
});
