import { useAlertMarks } from '../alerts/alert-marks.ts';
import { useRead } from '../api/use-api.ts';
import type { ChartMark } from '../chart/chart-actions.ts';
import { isolated } from '../format/isolated.ts';
import { limitName } from '../limits/limit-text.ts';
import { useLimits } from '../limits/use-limits.ts';
import { useKeyNames } from '../names/queries.ts';

/** Returns what may explain a change of usage as marks: alerts, new keys, limits and prices. */
export function useEventMarks(): readonly ChartMark[] {
  const alerts = useAlertMarks(() => true);
  const keys = useRead('GET /api/manage/keys').data ?? [];
  const limits = useLimits().data?.limits ?? [];
  const keyNames = useKeyNames();
  const prices = useRead('GET /api/manage/prices').data ?? [];
  const contracts = useRead('GET /api/manage/contracts').data ?? [];
  return [
    ...alerts,
    ...keys.map(({ id, name, createdAt }) => mark(createdAt, `Key ${isolated(name)} created`, `/keys/${id}`)),
    ...limits.map((limit) =>
      mark(
        limit.createdAt,
        `Limit ${limitName(limit, (id) => isolated(keyNames.get(id) ?? id))} created`,
        `/limits/${limit.id}`,
      ),
    ),
    ...prices.map(({ model, from, createdAt }) =>
      mark(from ?? createdAt, `New price of ${isolated(model)}`, '/prices'),
    ),
    ...contracts.flatMap(({ from }) => (from === null ? [] : [mark(from, 'New contract price', '/prices')])),
  ];
}

function mark(at: string, text: string, to: string): ChartMark {
  return { at, text, tone: 'neutral', to };
}
