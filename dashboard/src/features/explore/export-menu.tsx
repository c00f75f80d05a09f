import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { addressOf } from '../../shared/api/request.ts';
import type { UsageFilter } from '../../shared/filter/usage-filter.ts';
import { useUsageQuery } from '../../shared/filter/use-usage-query.ts';
import { Icon } from '../../shared/look/icon.tsx';
import { useWorkspace } from '../../shared/session/session.ts';

const FORMATS = [
  ['csv', 'CSV, for spreadsheets'],
  ['jsonl', 'JSON lines, with every field'],
  ['focus', 'FOCUS 1.2, for finance tools'],
] as const;

/** The calls behind what is shown, as a file. */
export function ExportMenu({ filter }: { readonly filter: UsageFilter }): ReactNode {
  const { id } = useWorkspace();
  const query = { ...useUsageQuery(filter), workspace: id };
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(([format, name]) => (
          <Menu.Item key={format} component="a" href={addressOf('/api/manage/export', { ...query, format })} download>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
