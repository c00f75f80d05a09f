import type { ReactNode } from 'react';
import type { WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, Money } from '../../shared/ui/values.tsx';
import styles from './first-call.module.css';
import { useLastCall } from './queries.ts';

/** Waits for the first call of a key, and turns green when it is recorded. */
export function FirstCall({ keyId }: { readonly keyId: string }): ReactNode {
  const call = useLastCall(keyId);
  return (
    <div className={styles.wait} data-state={call ? 'seen' : 'waiting'} role="status">
      <span className={styles.mark}>{call && <Icon name="check" size={20} />}</span>
      {call ? (
        <div>
          <strong>Call recorded.</strong>{' '}
          <PageLink to={`/calls/${call.id}`}>
            {call.model ?? call.requestedModel ?? call.provider}, <Money usd={call.cost} />
          </PageLink>{' '}
          <span className="soft">
            (<Ago at={call.startedAt} />)
          </span>
          {call.outcome === 'failed' && (
            <p className="soft">The provider refused it with status {call.status}. Open the call for details.</p>
          )}
        </div>
      ) : (
        <div>
          <strong>Waiting for your first call</strong>
          <p className="soft">It appears here a moment after you run one of the examples above.</p>
        </div>
      )}
    </div>
  );
}

/** Time of the last call, or a placeholder until the first one. */
export function LastCall({ of }: { readonly of: WrappedKeyDetail }): ReactNode {
  if (of.lastCallAt === null) return <FirstCall keyId={of.id} />;
  return (
    <p className="soft">
      Last used <Ago at={of.lastCallAt} />.
    </p>
  );
}
