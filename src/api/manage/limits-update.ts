import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { limit, limitFields } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { checkLimitProvider, readAmount, readUncertainRule } from './limit-input.ts';
import { limitView } from '../limit-view.ts';

export const updateLimit = endpoint({
  method: 'PATCH',
  path: '/api/manage/limits/{id}',
  summary: 'Change a limit',
  description:
    'With another scope, unit or window it counts anew, beginning with what that window has seen. An amount below what is counted is taken: the limit then admits nothing.',
  scope: 'admin',
  right: 'manage',
  body: limitFields.partial().extend({ seen }),
  answer: limit,
  async handle({ caller, path, body }, { records, providers, gateway: gate }) {
    const { workspaceId, actor } = caller;
    const { scope, unit, amount, window, action, thresholds, uncertainRule, label } = body;
    const before = await records.limits.get(workspaceId, path.id);
    if (scope) checkLimitProvider(scope, providers);
    const change = {
      ...(scope && { scope }),
      ...(unit && { unit }),
      ...(amount !== undefined && { amount: readAmount(unit ?? before.unit, amount, before) }),
      ...(window && { window }),
      ...(action && { action }),
      ...(thresholds && { thresholds }),
      ...(uncertainRule !== undefined && { uncertain: readUncertainRule(uncertainRule, before) }),
      ...(label !== undefined && { label }),
    };
    const changed = await records.limits.update(workspaceId, path.id, change, actor, (now) =>
      requireUnchanged(body.seen, limitView(now)),
    );
    gate.limitChanged(changed);
    return limitView(changed);
  },
});
