import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/contract/entries.ts';
import { SessionLink } from '../../shared/names/session-name.tsx';
import { sourceName } from '../../shared/names/display-names.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, Instant, TagList } from '../../shared/ui/values.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import { describeDuration } from '../../../../src/domain/text/durations.ts';

interface CallFactsProps {
  readonly call: EntryDetail;
}

export function CallFacts({ call }: CallFactsProps): ReactNode {
  const { model, requestedModel, keyId, tags, status, shortenedTo } = call;
  return (
    <Facts
      of={[
        ['Outcome', <OutcomeBadge key="outcome" call={call} />],
        ['Model', model ?? 'No response'],
        ['Requested model', requestedModel === model ? null : requestedModel],
        ['Provider', call.provider],
        ['Operation', `${call.operation}${call.stream ? ', streamed' : ''}`],
        ['Requests', call.batchRequests === undefined ? null : formatCount(call.batchRequests)],
        [
          'Key',
          <PageLink key="key" to={`/keys/${keyId}`}>
            {call.keyName ?? keyId}
          </PageLink>,
        ],
        ['Tags', Object.keys(tags).length === 0 ? 'None' : <TagList key="tags" tags={tags} />],
        ['Source', sourceName(call.source)],
        ['Also reported by', call.observedBy?.map(sourceName).join(', ') ?? null],
        ['Shortened to', shortenedTo && describeShortened(shortenedTo)],
        ['Status', status === 0 ? 'No response' : status],
        ['Error type', call.errorType],
        ['Usage', USAGE_WORDS[call.usageSource]],
        ['Request ID', call.requestId],
        ['Response ID', call.responseId],
        ['Session', call.session && <SessionLink key="session" session={call.session} />],
        ['Agent', call.agent],
        ['Parent agent', call.parentAgent],
        ['Run', call.run],
        ['Request class', call.requestClass],
        ['Assistant session', call.sessionHash === call.session ? null : call.sessionHash],
      ]}
    />
  );
}

function describeShortened({ outputTokens, toolUses }: NonNullable<EntryDetail['shortenedTo']>): string {
  const parts = [
    outputTokens === null ? null : `${formatCount(outputTokens)} output tokens`,
    toolUses === null ? null : `${formatCount(toolUses)} tool ${toolUses === 1 ? 'use' : 'uses'}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

const USAGE_WORDS: Readonly<Record<EntryDetail['usageSource'], string>> = {
  reported: 'Reported by provider',
  counted: 'Estimated from the delivered output',
  none: 'Unknown',
};

export function TimingFacts({ call }: CallFactsProps): ReactNode {
  const { startedAt, endedAt, durationMs, firstByteMs } = call;
  return (
    <Facts
      of={[
        [
          'Started',
          <span key="began">
            <Instant at={startedAt} />{' '}
            <span className="soft">
              (<Ago at={startedAt} />)
            </span>
          </span>,
        ],
        ['First byte', firstByteMs === null ? null : `After ${describeDuration(firstByteMs)}`],
        ['Ended', <Instant key="ended" at={endedAt} />],
        ['Duration', describeDuration(durationMs)],
      ]}
    />
  );
}
