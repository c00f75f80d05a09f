import { z } from 'zod';
import { parseDuration } from '../../domain/time/duration.ts';
import { TollbookError } from '../../domain/errors.ts';
import { parseAmount } from '../../domain/limits/limit-fields.ts';
import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { limit, writtenAmount } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitView } from '../limit-view.ts';
import { readExpiry } from '../fields.ts';

const raiseEnd = {
  until: z.string().optional().meta({ format: 'date-time', description: 'Either this …' }),
  for: z.string().optional().meta({ description: '… or for instance 2h, counted from now' }),
};

export const raiseLimit = endpoint({
  method: 'POST',
  path: '/api/manage/limits/{id}/raise',
  summary: 'Raise a limit for a while',
  description: 'Replaces a raise that is there. Afterwards the amount of the limit holds again.',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({ amount: writtenAmount, ...raiseEnd, seen }),
  answer: limit,
  async handle({ caller, path, body }, { records, gateway: gate, clock }) {
    const { workspaceId, actor } = caller;
    const { unit } = await records.limits.get(workspaceId, path.id);
    const raise = { amount: parseAmount(unit, body.amount, 'amount'), until: readEnd(body.until, body.for, clock()) };
    const raised = await records.limits.raise(workspaceId, path.id, raise, actor, (now) =>
      requireUnchanged(body.seen, limitView(now)),
    );
    gate.limitChanged(raised);
    return limitView(raised);
  },
});

function readEnd(until: string | undefined, duration: string | undefined, now: number): number {
  if (until === undefined && duration !== undefined) return now + parseDuration(duration, 'for');
  if (until !== undefined && duration === undefined) return readExpiry(until, 'until') ?? now;
  throw new TollbookError('invalid', 'Say until when: give either until (a time) or for (such as 2h).', 'until');
}
