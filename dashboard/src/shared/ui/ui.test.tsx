import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { Breakable } from './values.tsx';
import { theme } from '../theme/theme.ts';
import { CopyBlock } from './copy-block.tsx';
import { DataTable } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNote } from './note.tsx';

const HOSTILE = '<img src=x onerror="alert(1)">{{constructor}}';

function render(node: ReactNode): string {
  return renderToStaticMarkup(
    <MantineProvider theme={theme} withCssVariables={false} withGlobalClasses={false}>
      {node}
    </MantineProvider>,
  );
}

test('foreign text is always escaped', () => {
  const columns = [{ id: 'name', name: HOSTILE, cell: (row: string): ReactNode => row }];
  const markup = [
    render(<DataTable name={HOSTILE} columns={columns} rows={[HOSTILE]} rowKey={(row) => row} />),
    render(<CopyBlock name="curl" text={HOSTILE} />),
    render(<ErrorNote error={new ApiError(400, { error: HOSTILE })} />),
  ].join('');
  expect(markup).not.toContain('<img');
  expect(markup).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
});

test('no component writes an inline style into the page', () => {
  const markup = render(
    <EmptyState icon="calls" title="Nothing" action={<CopyBlock name="curl" text="curl" />}>
      text
    </EmptyState>,
  );
  expect(markup).not.toContain('<style');
});

test('an address may break before its host and after its dots, and loses nothing', () => {
  expect(render(<Breakable text="ada_k@example.com" />)).toContain('ada_<wbr/>k<wbr/>@example.<wbr/>com');
  for (const text of ['127.0.0.1', '@@a', '-', '', 'usage:read', 'http://[::1]/'])
    expect(render(<Breakable text={text} />).replaceAll('<wbr/>', '')).toContain(text);
});

test('a sortable column is a button and states its direction', () => {
  const columns = [{ id: 'cost', name: 'Cost', cell: String, sortBy: (row: number): number => row }];
  const sort = { column: 'cost', descending: true };
  const markup = render(<DataTable name="Costs" columns={columns} rows={[1, 3, 2]} rowKey={String} sort={sort} />);
  expect(markup).toContain('aria-sort="descending"');
  expect(markup).toMatch(/<th[^>]*><button type="button"/);
  expect(markup.match(/<td[^>]*>\d/g)?.map((cell) => cell.at(-1))).toEqual(['3', '2', '1']);
});

test('an error shows the message of the service, and the request ID of server errors', () => {
  const refused = render(<ErrorNote error={new ApiError(409, { error: 'The name is taken.', requestId: 'req_1' })} />);
  expect(refused).toContain('The name is taken.');
  expect(refused).toContain('role="alert"');
  expect(refused).not.toContain('req_1');
  const failed = render(<ErrorNote error={new ApiError(503, { error: 'The ledger is busy.', requestId: 'req_2' })} />);
  expect(failed).toContain('Request ID in the server log: <code>req_2</code>');
});

test('a change of a record that someone else changed meanwhile offers to reload the page', () => {
  const changed = render(<ErrorNote error={new ApiError(412, { error: 'Read it again.' })} />);
  expect(changed).toContain('Someone else changed or deleted this after you opened it, so nothing was saved.');
  expect(changed).toContain('Reload page');
  expect(changed).not.toContain('Read it again.');
});
