import { TollbookError } from '../../domain/errors.ts';
import { limitStanding } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { standingViews } from '../limit-view.ts';
import { valuesQuery } from './values-query.ts';

export const getLimit = endpoint({
  method: 'GET',
  path: '/api/manage/limits/{id}',
  summary: 'One limit and how it stands',
  scope: 'usage:read',
  right: 'read',
  query: valuesQuery,
  answer: limitStanding,
  async handle({ caller, path, query }, { records, standings, clock }) {
    const limit = await records.limits.get(caller.workspaceId, path.id);
    const [view] = standingViews([limit], await standings([limit]), clock(), query.values);
    if (!view) throw new TollbookError('not_found', `There is no limit "${path.id}" in this workspace.`);
    return view;
  },
});
