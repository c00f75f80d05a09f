import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { useTotals } from '../../shared/usage/queries.ts';
import type { ExploreAddress } from './explore-address.ts';
import { useExploreSeries, useExport } from './queries.ts';
import { chartCsv, tableCsv } from './seen-csv.ts';

const FORMATS = [
  ['csv', 'CSV (spreadsheets)'],
  ['jsonl', 'JSON Lines (all fields)'],
  ['focus', 'FOCUS 1.2 (finance tools)'],
] as const;

interface ExportMenuProps extends ExploreAddress {
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Exports what the page shows, or the calls of the current filter. */
export function ExportMenu(view: ExportMenuProps): ReactNode {
  const { filter, dimension, keyNames } = view;
  const query = useUsageQuery(filter);
  const { data: series } = useExploreSeries(view);
  const { data: totals } = useTotals(view);
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
          <Menu.Label>This view</Menu.Label>
          {totals && (
            <Menu.Item onClick={() => saveText('usage.csv', tableCsv({ series: totals, dimension, keyNames }))}>
              Table (CSV)
            </Menu.Item>
          )}
          {series && (
            <Menu.Item onClick={() => saveText('usage-over-time.csv', chartCsv({ series, dimension, keyNames }))}>
              Chart (CSV)
            </Menu.Item>
          )}
          <Menu.Label>Its calls</Menu.Label>
          {FORMATS.map(([format, name]) => (
            <Menu.Item key={format} onClick={() => save.mutate({ ...query, format })}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {save.error && (
        <Dialog title="Export failed" onClose={save.reset}>
          <ErrorNote error={save.error} />
        </Dialog>
      )}
    </>
  );
}

/** Lets the browser save a text as a file. */
function saveText(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
