import type { ReactNode } from 'react';
import type { WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, Money } from '../../shared/ui/values.tsx';
import styles from './first-call.module.css';
import { useLastCall } from './queries.ts';

/** Waits for the first call of a key, and turns green as soon as it is in the book. */
export function FirstCall({ keyId }: { readonly keyId: string }): ReactNode {
  const call = useLastCall(keyId);
  return (
    <div className={styles.wait} data-state={call ? 'seen' : 'waiting'} role="status">
      <span className={styles.mark}>{call && <Icon name="check" size={20} />}</span>
      {call ? (
        <div>
          <strong>The call is in the book.</strong>{' '}
          <PageLink to={`/calls/${call.id}`}>
            {call.model ?? call.requestedModel ?? call.provider}, <Money usd={call.cost} />
          </PageLink>{' '}
          <span className="soft">
            (<Ago at={call.startedAt} />)
          </span>
          {call.outcome === 'failed' && (
            <p className="soft">The provider refused it with status {call.status}: its page says more.</p>
          )}
        </div>
      ) : (
        <div>
          <strong>Waiting for your first call</strong>
          <p className="soft">It appears here within a moment after you run one of the lines above.</p>
        </div>
      )}
    </div>
  );
}

/** When a key was used last; until its first call, that it is waited for. */
export function LastCall({ of }: { readonly of: WrappedKeyDetail }): ReactNode {
  if (of.lastCallAt === null) return <FirstCall keyId={of.id} />;
  return (
    <p className="soft">
      Last used <Ago at={of.lastCallAt} />.
    </p>
  );
}
