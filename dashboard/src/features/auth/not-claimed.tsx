import type { ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { AuthPage } from './entrance.tsx';

/** Nobody has an account yet: the first one is made by a link that only whoever runs Tollbook sees. */
export function NotClaimed(): ReactNode {
  return (
    <AuthPage title="Make this Tollbook yours">
      <p>
        When Tollbook started, it printed a link that ends in <code>/claim#…</code>. Open it: it makes the owner’s
        account and works once.
      </p>
      <p className="soft">The link is gone from your terminal? Have a new one printed where Tollbook runs:</p>
      <CopyBlock name="command" text="npx tollbook claim" />
    </AuthPage>
  );
}
