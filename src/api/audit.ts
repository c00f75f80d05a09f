import { iso } from '../domain/time/period.ts';
import { z } from 'zod';
import { auditPage } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { wholeNumber } from './whole-number.ts';
import { nameActors } from './manage/name-actors.ts';

export const listAudit = endpoint({
  method: 'GET',
  path: '/api/manage/audit',
  summary: 'Who changed what, newest first',
  description:
    'The rows are chained by their hashes, so that a changed or missing one shows. The owner, who names no workspace, sees those of all.',
  scope: 'admin',
  right: 'manage',
  query: z.object({
    limit: wholeNumber(1, 500).default(50).meta({ description: 'Default: 50' }),
    before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  }),
  answer: auditPage,
  async handle({ caller, query }, { records }) {
    const workspaceId = caller.namesWorkspace ? caller.workspaceId : null;
    const rows = await records.audit.list({
      workspaceId,
      limit: query.limit,
      before: query.before ?? null,
    });
    const nameOf = await nameActors(
      rows.map(({ actor }) => actor),
      workspaceId,
      records,
    );
    return {
      rows: rows.map(({ seq, at, actor, action, subject, before, after, hash }) => ({
        seq,
        at: iso(at),
        actor,
        actorName: nameOf(actor),
        action,
        subject,
        before,
        after,
        hash,
      })),
      next: rows.length === query.limit ? (rows.at(-1)?.seq ?? null) : null,
    };
  },
});
