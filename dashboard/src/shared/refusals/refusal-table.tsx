import { type ReactNode, useMemo } from 'react';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import type { RefusalShape } from '../../../../src/contract/refusals.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import { REFUSAL_REASON_TEXTS } from '../../../../src/domain/text/refusals.ts';
import { PERSON_TAG } from '../../../../src/domain/text/person.ts';
import { readText, type SearchParameters } from '../filter/usage-filter.ts';
import { useAddress } from '../filter/address.ts';
import { isolated } from '../format/isolated.ts';
import { AmountLeft, AmountNeeded } from '../limits/limit-amount.tsx';
import { limitName } from '../limits/limit-text.ts';
import { LimitValue } from '../limits/limit-value.tsx';
import { useLimits } from '../limits/use-limits.ts';
import { useKeyNames } from '../names/queries.ts';
import { type TableColumn, DataTable } from '../ui/data-table.tsx';
import { openHere, PageLink } from '../ui/links.tsx';
import { Ago } from '../ui/values.tsx';
import { RefusalPanel } from './refusal-panel.tsx';

interface RefusalTableProps {
  readonly refusals: readonly RefusalShape[];
  /** The limit of all refusals; absent = they are of several. */
  readonly limit?: LimitShape;
}

/**
 * Calls that limits refused; a click opens the details. Above a rate, those of one minute are one row with their number.
 */
export function RefusalTable({ refusals, limit }: RefusalTableProps): ReactNode {
  const keyNames = useKeyNames();
  const keyName = (id: string): string => keyNames.get(id) ?? id;
  const { data } = useLimits();
  const { search, change } = useAddress(readOpen);
  const open = refusals.find(({ callId }) => callId === search.open);
  const onOpen = (callId: string | undefined): void => change({ call: callId });
  const limits = useMemo(
    () => new Map((limit ? [limit] : (data?.limits ?? [])).map((each) => [each.id, each])),
    [limit, data],
  );
  const hidden = new Set([
    limit && 'limit',
    refusals.every(({ value }) => value === null) && 'value',
    refusals.every(({ tags }) => tags[PERSON_TAG] === undefined) && 'person',
  ]);
  return (
    <>
      <DataTable
        name="Refused calls"
        oneLine
        columns={refusalColumns(limits, keyName, onOpen).filter(({ id }) => !hidden.has(id))}
        rows={refusals}
        rowKey={({ callId }) => callId}
        onOpen={({ callId }) => onOpen(callId)}
        openKey={open?.callId}
      />
      {open && (
        <RefusalPanel
          key={open.callId}
          refusal={open}
          limit={limits.get(open.limitId)}
          keyName={keyName}
          onClose={() => onOpen(undefined)}
        />
      )}
    </>
  );
}

/** Reads the search parameter of the call in the panel. */
function readOpen(search: SearchParameters): { readonly open: string | undefined } {
  return { open: readText(search, 'call') };
}

interface LimitLinkProps {
  readonly id: string;
  /** undefined = deleted. */
  readonly limit: LimitShape | undefined;
  readonly keyName: (id: string) => string;
}

function LimitLink({ id, limit, keyName }: LimitLinkProps): ReactNode {
  if (limit === undefined) return <span className="soft">Deleted limit</span>;
  return <PageLink to={`/limits/${id}`}>{limitName(limit, keyName)}</PageLink>;
}

function refusalColumns(
  limits: ReadonlyMap<string, LimitShape>,
  keyName: (id: string) => string,
  onOpen: (callId: string) => void,
): readonly TableColumn<RefusalShape>[] {
  const keyLink = (keyId: string): ReactNode => <PageLink to={`/keys/${keyId}`}>{isolated(keyName(keyId))}</PageLink>;
  return [
    {
      id: 'at',
      name: 'Time',
      cell: ({ at, keyId, callId }) => (
        <>
          <PageLink to="/calls" search={{ find: callId }} onClick={(event) => openHere(event, () => onOpen(callId))}>
            <Ago at={at} />
          </PageLink>
          <span className="beneath narrow">{keyLink(keyId)}</span>
        </>
      ),
    },
    {
      id: 'model',
      name: 'Model',
      wideOnly: true,
      cell: ({ model, calls, summed }) => (summed ? `${formatCount(calls)} calls in a minute` : model),
    },
    { id: 'key', name: 'Key', wideOnly: true, cell: ({ keyId }) => keyLink(keyId) },
    { id: 'person', name: 'Person', wideOnly: true, cell: ({ tags }) => isolated(tags[PERSON_TAG] ?? '') },
    {
      id: 'limit',
      name: 'Limit',
      cell: ({ limitId, tags }) => (
        <>
          <LimitLink id={limitId} limit={limits.get(limitId)} keyName={keyName} />
          <span className="soft beneath narrow">{isolated(tags[PERSON_TAG] ?? '')}</span>
        </>
      ),
    },
    {
      id: 'value',
      name: 'Value',
      wideOnly: true,
      cell: ({ value, limitId }) => {
        const scope = limits.get(limitId)?.scope;
        return value === null || scope === undefined ? value : <LimitValue scope={scope} value={value} />;
      },
    },
    { id: 'why', name: 'Reason', wideOnly: true, cell: ({ reason }) => REFUSAL_REASON_TEXTS[reason] },
    {
      id: 'need',
      name: 'Needed',
      figures: true,
      cell: ({ unit, needed }) => needed !== null && <AmountNeeded unit={unit} of={needed} />,
    },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      wideOnly: true,
      cell: ({ unit, remaining }) => remaining !== null && <AmountLeft unit={unit} of={remaining} />,
    },
  ];
}
