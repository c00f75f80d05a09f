import { z } from 'zod';
import type { LimitStanding } from '../contract/limits.ts';
import { type OwnLimit, ownLimit } from '../contract/own-limits.ts';
import { TollbookError } from '../domain/errors.ts';
import { describeLeft } from '../domain/text/limit-left.ts';
import { describeRate, describeScope, describeValue } from '../domain/text/limits.ts';
import { fetchOwnLimits, findClientKey, shareLeft } from './own-limits.ts';
import { choice } from './parameters.ts';
import { cell, page, ROWS_MAX } from './render.ts';
import { defineTool, type ToolContext } from './tool.ts';

/** Values that are shown of a limit on each value of a tag, and on each session, agent or run. */
const VALUES_SHOWN = 5;

const figure = z.number().nullable().describe('Dollars for `usd`, else a count; null = not known now');
const limitLeft = ownLimit
  .pick({ id: true, label: true, description: true, unit: true, window: true, action: true, amount: true })
  .extend({
    value: z.string().nullable().describe('Value of the tag, session, agent or run, if each has the amount'),
    used: figure,
    reserved: figure.describe('Held by running calls'),
    remaining: figure.describe('Available for the next call'),
    resetsAt: ownLimit.shape.resetsAt,
    summary: z.string().describe('What is left, until when, and what happens then'),
  });
type LimitLeftShape = z.output<typeof limitLeft>;

export const getLimits = defineTool({
  name: 'svc_get_limits',
  title: 'Limits',
  description:
    'What may still be spent, and until when: every limit with its amount, what is used, reserved by running calls and left, and when it resets; the tightest first. Call it before long or expensive work, and when a call was refused, to plan with what is left.',
  input: {
    of: choice(
      ['key', 'workspace'],
      'Limits of the wrapped key that the client on this machine uses, or all limits of the workspace (default: of the key, if there is one)',
    ).optional(),
  },
  output: z.object({
    of: z.enum(['key', 'workspace']),
    key: z.string().nullable().describe('Name of the wrapped key'),
    limits: z.array(limitLeft),
  }),
  hints: { readOnly: true, idempotent: true, zone: 'machine' },
  needsFiles: false,
  async run({ of }, context) {
    const clientKey = of === 'workspace' ? null : findClientKey(context.machine.env);
    if (clientKey) {
      const { key, limits } = await fetchOwnLimits(clientKey, context.signal);
      return { of: 'key' as const, key, limits: byTightness(limits.map(toLimitLeft)) };
    }
    if (of === 'key') throw new TollbookError('invalid', NO_KEY, 'of');
    return { of: 'workspace' as const, key: null, limits: byTightness(await readWorkspaceLimits(context)) };
  },
  markdown({ key, limits }) {
    const whose = key === null ? 'the workspace' : `the key "${cell(key)}"`;
    if (limits.length === 0)
      return `No figures for ${whose}. Limits on each session, agent or run appear here once a call has used them; other limits do not apply.`;
    const lines = limits.slice(0, ROWS_MAX).map(({ label, value, description, summary }) => {
      const name = [label, value].filter((part) => part !== null).join(', ');
      return `- ${name === '' ? '' : `**${cell(name)}**: `}${cell(summary.includes(description) ? summary : `${description}: ${summary}`)}`;
    });
    const hidden = limits.length - lines.length;
    return page(
      `Limits of ${whose}, the tightest first`,
      lines.join('\n'),
      hidden > 0 && `${hidden} more with a larger share left.`,
    );
  },
});

const NO_KEY =
  'of is "key", but no client on this machine uses a wrapped key: ANTHROPIC_BASE_URL or OPENAI_BASE_URL with its key is not set. Use of: "workspace".';

function byTightness(limits: readonly LimitLeftShape[]): LimitLeftShape[] {
  return limits.toSorted((a, b) => shareLeft(a) - shareLeft(b) || 0);
}

function toLimitLeft({ counted, held, value, ...limit }: OwnLimit): LimitLeftShape {
  return { ...limit, value: value ?? null, used: counted, reserved: held };
}

async function readWorkspaceLimits({ client, signal, clock }: ToolContext): Promise<LimitLeftShape[]> {
  const query = { values: String(VALUES_SHOWN) };
  const { limits } = await client.call('GET /api/manage/limits', { query, signal });
  const now = clock();
  return limits.flatMap((limit) =>
    limit.values
      ? limit.values.map((standing) =>
          toWorkspaceLimit({ ...limit, ...standing }, describeValue(limit, standing.value), now),
        )
      : toWorkspaceLimit(limit, null, now),
  );
}

function toWorkspaceLimit(limit: LimitStanding, value: string | null, now: number): LimitLeftShape {
  const { id, label, unit, window, action, scope, effectiveAmount: amount, held, resetsAt } = limit;
  const [counted, remaining] = limit.isPartial ? [null, null] : [limit.counted, limit.remaining];
  const description = `${describeRate({ unit, window, amount })} for ${describeScope(scope)}`;
  const summary = describeLeft({ unit, action, description, amount, held, remaining, resetsAt }, now);
  return {
    id,
    label,
    description,
    value,
    unit,
    window,
    action,
    amount,
    used: counted,
    reserved: held,
    remaining,
    resetsAt,
    summary,
  };
}
