import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/address.ts';
import { findChoice, type SearchParameters, readText } from '../../shared/filter/usage-filter.ts';
import { useMay } from '../../shared/session/session.ts';
import { Page } from '../../shared/ui/page.tsx';
import { AccountPart } from './account-part.tsx';
import { AuditPart } from './audit-part.tsx';
import { MembersPart } from './members-part.tsx';
import { ProvidersPart } from './providers-part.tsx';
import { TokensPart } from './tokens-part.tsx';
import { WorkspacePart } from './workspace-part.tsx';

const SETTINGS_PARTS = ['workspace', 'members', 'tokens', 'providers', 'account', 'audit'] as const;
type SettingsPart = (typeof SETTINGS_PARTS)[number];

const PART_NAMES: Readonly<Record<SettingsPart, string>> = {
  workspace: 'Workspace',
  members: 'Members',
  tokens: 'Access tokens',
  providers: 'Providers',
  account: 'Your account',
  audit: 'Audit log',
};

const PART_CONTENT: Readonly<Record<SettingsPart, () => ReactNode>> = {
  workspace: WorkspacePart,
  members: MembersPart,
  tokens: TokensPart,
  providers: ProvidersPart,
  account: AccountPart,
  audit: AuditPart,
};

/** Settings of the workspace and the account. Each part has its own address. */
export function SettingsPage(): ReactNode {
  const { search, change } = useAddress(readPart);
  const parts = useVisibleParts();
  const part = parts.includes(search) ? search : 'workspace';
  const Content = PART_CONTENT[part];
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
              {PART_NAMES[each]}
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

function readPart(search: SearchParameters): SettingsPart {
  return findChoice(SETTINGS_PARTS, readText(search, 'part')) ?? 'workspace';
}

/** Returns the parts that the user may see. */
function useVisibleParts(): readonly SettingsPart[] {
  const mayWork = useMay('work');
  const mayChange = useMay('manage');
  return SETTINGS_PARTS.filter((part) => (part !== 'tokens' || mayWork) && (part !== 'audit' || mayChange));
}
