import type { ReactNode } from 'react';
import { CopyBlock } from '../../shared/parts/copy-block.tsx';
import { EmptyState } from '../../shared/parts/empty-state.tsx';

export function NoSubscription(): ReactNode {
  return (
    <EmptyState
      icon="savings"
      title="No subscription yet"
      action={<CopyBlock name="command that syncs Claude Code" text="npx tollbook sync claude-code" />}
    >
      Add the plans that you pay for, such as Claude Max or ChatGPT Plus. Then sync what Claude Code and Codex used on
      your machines: numbers only, no code and no prompts leave them.
    </EmptyState>
  );
}
