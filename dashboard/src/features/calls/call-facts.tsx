import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { formatDuration } from '../../shared/format/time.ts';
import { sourceName } from '../../shared/names/display-names.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, Instant, TagList } from '../../shared/ui/values.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

interface CallFactsProps {
  readonly call: EntryDetail;
}

export function CallFacts({ call }: CallFactsProps): ReactNode {
  const { model, requestedModel, keyId, tags, status } = call;
  return (
    <Facts
      of={[
        ['Outcome', <OutcomeBadge key="outcome" call={call} />],
        ['Model', model ?? 'none answered'],
        ['Asked for', requestedModel === model ? null : requestedModel],
        ['Provider', call.provider],
        ['Operation', `${call.operation}${call.stream ? ', streamed' : ''}`],
        [
          'Key',
          <PageLink key="key" to={`/keys/${keyId}`}>
            {call.keyName ?? keyId}
          </PageLink>,
        ],
        ['Tags', Object.keys(tags).length === 0 ? 'none' : <TagList key="tags" tags={tags} />],
        ['Seen at', sourceName(call.source)],
        ['Status', status === 0 ? 'there was no answer' : status],
        ['Usage', USAGE_WORDS[call.usageSource]],
        ['Request id', call.requestId],
        ['Answer id', call.responseId],
        ['Session', call.sessionHash],
      ]}
    />
  );
}

const USAGE_WORDS: Readonly<Record<EntryDetail['usageSource'], string>> = {
  reported: 'as the provider told it',
  counted: 'estimated from what was delivered',
  none: 'not known',
};

export function TimingFacts({ call }: CallFactsProps): ReactNode {
  const { startedAt, endedAt, durationMs, firstByteMs } = call;
  return (
    <Facts
      of={[
        [
          'Began',
          <span key="began">
            <Instant at={startedAt} />{' '}
            <span className="soft">
              (<Ago at={startedAt} />)
            </span>
          </span>,
        ],
        ['First byte', firstByteMs === null ? null : `after ${formatDuration(firstByteMs)}`],
        ['Ended', <Instant key="ended" at={endedAt} />],
        ['All together', formatDuration(durationMs)],
      ]}
    />
  );
}
