import type { ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { useMay } from '../../shared/session/session.ts';

export function NoConnection(): ReactNode {
  const mayConnect = useMay('manage');
  return (
    <EmptyState
      icon="reports"
      title="No organization is connected"
      action={
        mayConnect ? (
          <CopyBlock
            name="command that connects an organization"
            text="npx tollbook admin-keys add --provider anthropic --name main --key-stdin"
          />
        ) : undefined
      }
    >
      With an admin key of your organization at Anthropic or OpenAI, Tollbook reads its usage and cost reports: a year
      back, and then every few minutes. You see all that was spent without changing any program, and how much of it
      passes the gate. The key is kept encrypted, and reads reports only.
      {!mayConnect && ' An admin of this workspace can connect one.'}
    </EmptyState>
  );
}
