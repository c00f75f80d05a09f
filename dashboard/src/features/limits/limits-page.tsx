import type { ReactNode } from 'react';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { LimitTable } from './limit-table.tsx';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** All limits with their current use. */
export function LimitsPage(): ReactNode {
  const limits = useLimits();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Limits"
      lead="Maximum spend, calls, tokens and concurrent calls."
      actions={mayChange && <ButtonLink to="/limits/new">Create limit</ButtonLink>}
    >
      <Card>
        <Loaded of={limits} placeholder={<TablePlaceholder rows={6} />}>
          {({ limits: shown, nextCursor }) =>
            shown.length === 0 ? (
              <NoLimits mayChange={mayChange} />
            ) : (
              <>
                <LimitTable limits={shown} />
                {nextCursor !== null && (
                  <p className="soft">
                    Showing the first {formatCount(shown.length)}. To list all, run{' '}
                    <code>npx tollbook limits list --json</code>.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function NoLimits({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <EmptyState
      icon="limits"
      title="No limits yet"
      action={mayChange ? <ButtonLink to="/limits/new">Create limit</ButtonLink> : undefined}
    >
      A limit sets a maximum of dollars, calls or tokens for all calls or some of them, for example those of one key.
      Calls that would exceed it are shortened or refused before they are sent.
      {!mayChange && ' Ask an admin to create one.'}
    </EmptyState>
  );
}
