import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { NewTokenButton } from './new-token-button.tsx';
import { TokenTable } from './token-table.tsx';
import { useTokens } from './use-tokens.ts';

/** Secrets for programs that read the book. */
export function TokensPart(): ReactNode {
  return (
    <Card title="Access tokens" aside={<NewTokenButton />}>
      <p className="soft">
        For the API, the tool server and syncs. They read the book; calls to providers go with wrapped keys.
      </p>
      <Loaded of={useTokens()}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState icon="keys" title="No access token yet">
              Make one for a script that reads reports, or for the tools of your assistant.
            </EmptyState>
          ) : (
            <TokenTable tokens={tokens} />
          )
        }
      </Loaded>
    </Card>
  );
}
