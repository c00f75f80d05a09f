import { checkLimit } from '../../storage/records/check-limit.ts';
import { limitSet } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitInput, readLimitKind, readNewLimit } from './limit-input.ts';
import { limitView } from '../limit-view.ts';

export const setLimit = endpoint({
  method: 'PUT',
  path: '/api/manage/limits',
  summary: 'Make a limit, or change the one with the same scope, unit, window and action',
  description:
    'Of a limit that is there already, fields that are not given stay as they are. One that blocks and one that warns stand side by side.',
  scope: 'admin',
  right: 'manage',
  body: limitInput,
  answer: limitSet,
  async handle({ caller, body }, { records, providers, gateway: gate }) {
    const { workspaceId, actor } = caller;
    const kind = readLimitKind(body, workspaceId);
    const there = (await records.limits.find(kind)) ?? undefined;
    const { thresholds, uncertain, label, ...input } = checkLimit(
      readNewLimit(body, kind, { providers }, there),
      there,
    );
    const change = {
      amount: input.amount,
      ...(body.thresholds && { thresholds }),
      ...(body.uncertainRule !== undefined && { uncertain }),
      ...(body.label !== undefined && { label }),
    };
    const set = there
      ? await records.limits.update(workspaceId, there.id, change, actor)
      : await records.limits.create({ ...input, thresholds, uncertain, label }, actor);
    gate.limitChanged(set);
    const beside = await records.limits.find({ ...input, action: set.action === 'block' ? 'warn' : 'block' });
    return { ...limitView(set), ...(beside && { beside: limitView(beside) }) };
  },
});
