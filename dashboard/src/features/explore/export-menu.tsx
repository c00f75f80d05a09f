import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsageFilter } from '../../shared/filter/usage-filter.ts';
import { useUsageQuery } from '../../shared/filter/use-usage-query.ts';
import { Icon } from '../../shared/theme/icon.tsx';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useExport } from './use-export.ts';

const FORMATS = [
  ['csv', 'CSV, for spreadsheets'],
  ['jsonl', 'JSON lines, with every field'],
  ['focus', 'FOCUS 1.2, for finance tools'],
] as const;

/** The calls behind what is shown, as a file. */
export function ExportMenu({ filter }: { readonly filter: UsageFilter }): ReactNode {
  const query = useUsageQuery(filter);
  const save = useExport();
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={16} />} loading={save.isPending}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(([format, name]) => (
            <Menu.Item key={format} onClick={() => save.mutate({ ...query, format })}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {save.error && (
        <Dialog title="Nothing was exported" onClose={save.reset}>
          <ErrorNote error={save.error} />
        </Dialog>
      )}
    </>
  );
}
