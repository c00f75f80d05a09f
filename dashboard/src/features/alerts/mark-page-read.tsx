import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useMay } from '../../shared/session/session.ts';
import { useMarkRead } from './use-mark-read.ts';

/** Marks what is shown as read. An overrun is left: reading it changes how calls are held, and is done by itself. */
export function MarkPageRead({ alerts }: { readonly alerts: readonly AlertShape[] }): ReactNode {
  const mayMark = useMay('work');
  const mark = useMarkRead();
  const unread = alerts.filter(({ read, type }) => !read && type !== 'OVERRUN').map(({ id }) => id);
  if (mark.error) return <ErrorNote error={mark.error} />;
  if (!mayMark || unread.length === 0) return null;
  return (
    <Button variant="default" loading={mark.isPending} onClick={() => mark.mutate(unread)}>
      {unread.length === 1 ? 'Mark this one as read' : `Mark these ${unread.length} as read`}
    </Button>
  );
}
