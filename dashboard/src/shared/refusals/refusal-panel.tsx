import type { ReactNode } from 'react';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import type { RefusalShape } from '../../../../src/contract/refusals.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { REFUSAL_REASON_TEXTS } from '../../../../src/domain/text/refusals.ts';
import { PERSON_TAG } from '../../../../src/domain/text/person.ts';
import { isolated } from '../format/isolated.ts';
import { AmountLeft, AmountNeeded } from '../limits/limit-amount.tsx';
import { limitName } from '../limits/limit-text.ts';
import { LimitValue } from '../limits/limit-value.tsx';
import { SessionLink } from '../names/session-name.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { PageLink } from '../ui/links.tsx';
import { Note } from '../ui/note.tsx';
import { SidePanel } from '../ui/side-panel.tsx';
import { Instant, TagList } from '../ui/values.tsx';

interface RefusalPanelProps {
  readonly refusal: RefusalShape;
  /** undefined = deleted. */
  readonly limit: LimitShape | undefined;
  readonly keyName: (id: string) => string;
  readonly onClose: () => void;
}

/** A refused call of the list, with its person, the limit and the reason. */
export function RefusalPanel({ refusal, limit, keyName, onClose }: RefusalPanelProps): ReactNode {
  return (
    <SidePanel title="Refused call" onClose={onClose}>
      <div className="stack">
        <Note kind="bad">
          <p>{REFUSAL_REASON_TEXTS[refusal.reason]}. The call was not sent, and cost nothing.</p>
        </Note>
        <Card title="Limit">
          <RefusingLimitFacts refusal={refusal} limit={limit} keyName={keyName} />
        </Card>
        <Card title="Call">
          <RefusedCallFacts refusal={refusal} keyName={keyName} />
        </Card>
      </div>
    </SidePanel>
  );
}

function RefusingLimitFacts({ refusal, limit, keyName }: Omit<RefusalPanelProps, 'onClose'>): ReactNode {
  const { limitId, value, unit, needed, remaining } = refusal;
  return (
    <Facts
      of={[
        [
          'Limit',
          limit === undefined ? (
            'Deleted'
          ) : (
            <PageLink key="limit" to={`/limits/${limitId}`}>
              {limitName(limit, keyName)}
            </PageLink>
          ),
        ],
        ['Value', value === null || !limit ? value : <LimitValue key="value" scope={limit.scope} value={value} />],
        ['Needed', needed === null ? null : <AmountNeeded key="needed" unit={unit} of={needed} />],
        ['Left', remaining === null ? null : <AmountLeft key="left" unit={unit} of={remaining} withNoun />],
      ]}
    />
  );
}

function RefusedCallFacts({ refusal, keyName }: Pick<RefusalPanelProps, 'refusal' | 'keyName'>): ReactNode {
  const { at, calls, summed, callId, keyId, provider, model, tags, session, agent, run } = refusal;
  return (
    <Facts
      of={[
        ['Time', <Instant key="at" at={at} />],
        ['Calls', summed ? `${callsText(calls)} in this minute` : null],
        ['Person', tags[PERSON_TAG] ?? null],
        [
          'Key',
          <PageLink key="key" to={`/keys/${keyId}`}>
            {isolated(keyName(keyId))}
          </PageLink>,
        ],
        ['Model', model],
        ['Provider', provider],
        ['Tags', Object.keys(tags).length === 0 ? null : <TagList key="tags" tags={tags} />],
        ['Session', session && <SessionLink key="session" session={session} />],
        ['Agent', agent],
        ['Run', run],
        ['Call ID', <code key="id">{callId}</code>],
      ]}
    />
  );
}
