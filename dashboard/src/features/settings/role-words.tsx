import type { ReactNode } from 'react';
import { Facts } from '../../shared/ui/facts.tsx';
import { More } from '../../shared/ui/more.tsx';

/** What each role may do. */
export function RoleDescriptions(): ReactNode {
  return (
    <More title="What roles may do">
      <Facts
        of={[
          ['Viewer', 'Reads everything of the workspace. Changes nothing.'],
          ['Member', 'Makes wrapped keys and access tokens, changes those they made, marks alerts as read.'],
          ['Admin', 'Changes everything in the workspace: limits, webhooks, prices, connections, members below owner.'],
          ['Owner', 'The same, and owners too. Owners of the first workspace look after the whole installation.'],
        ]}
      />
    </More>
  );
}
