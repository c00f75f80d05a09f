import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { oneOf, type SearchText, textIn } from '../../shared/filter/usage-filter.ts';
import { useAddress } from '../../shared/filter/use-address.ts';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { AccountPart } from './account-part.tsx';
import { AuditPart } from './audit-part.tsx';
import { MembersPart } from './members-part.tsx';
import { TokensPart } from './tokens-part.tsx';
import { WorkspacePart } from './workspace-part.tsx';

const PARTS = ['workspace', 'members', 'tokens', 'account', 'audit'] as const;
type Part = (typeof PARTS)[number];

const NAMES: Readonly<Record<Part, string>> = {
  workspace: 'Workspace',
  members: 'Members',
  tokens: 'Access tokens',
  account: 'Your account',
  audit: 'Audit log',
};

const CONTENT: Readonly<Record<Part, () => ReactNode>> = {
  workspace: WorkspacePart,
  members: MembersPart,
  tokens: TokensPart,
  account: AccountPart,
  audit: AuditPart,
};

/** Who may do what here, and who did. Each part has its own address. */
export function SettingsPage(): ReactNode {
  const { search, change } = useAddress(readPart);
  const parts = useParts();
  const part = parts.includes(search) ? search : 'workspace';
  const Content = CONTENT[part];
  return (
    <Page title="Settings">
      <Tabs
        value={part}
        onChange={(next) => change({ part: next ?? undefined, before: undefined })}
        keepMounted={false}
      >
        <Tabs.List>
          {parts.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {NAMES[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={part} pt="lg">
          <Content />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function readPart(search: SearchText): Part {
  return oneOf(PARTS, textIn(search, 'part')) ?? 'workspace';
}

/** What one may not see at all is not offered. */
function useParts(): readonly Part[] {
  const mayWork = useMay('work');
  const mayChange = useMay('manage');
  return PARTS.filter((part) => (part !== 'tokens' || mayWork) && (part !== 'audit' || mayChange));
}
