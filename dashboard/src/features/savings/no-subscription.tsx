import type { ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { useMay } from '../../shared/session/session.ts';

export function NoSubscription(): ReactNode {
  const mayAdd = useMay('manage');
  const mayUpload = useMay('work');
  return (
    <EmptyState
      icon="savings"
      title="No subscription yet"
      action={
        mayUpload ? <CopyBlock name="command that syncs Claude Code" text="npx tollbook sync claude-code" /> : undefined
      }
    >
      {mayAdd ? 'Add the plans' : 'An admin of this workspace adds the plans'} that you pay for, such as Claude Max or
      ChatGPT Plus. {mayUpload ? 'Then sync' : 'Members sync'} what Claude Code and Codex used on your machines: numbers
      only, no code and no prompts leave them.
    </EmptyState>
  );
}
