import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';
import { IconButton } from '../../shared/ui/icon-button.tsx';
import { SidePanel } from '../../shared/ui/side-panel.tsx';
import { CallContent } from './call-content.tsx';
import { useCall } from './queries.ts';

interface CallPanelProps {
  readonly callId: string;
  /** IDs of the calls of the list, as shown. */
  readonly listed: readonly string[];
  readonly onOpen: (callId: string) => void;
  readonly onClose: () => void;
}

/** A call of the list, with steps to its neighbors. */
export function CallPanel({ callId, listed, onOpen, onClose }: CallPanelProps): ReactNode {
  const call = useCall(callId);
  const place = listed.indexOf(callId);
  const step = (by: number): (() => void) | undefined => {
    const to = place < 0 ? undefined : listed[place + by];
    return to === undefined ? undefined : () => onOpen(to);
  };
  useHotkeys([
    ['k', () => step(-1)?.()],
    ['j', () => step(1)?.()],
  ]);
  return (
    <SidePanel
      title="Call"
      onClose={onClose}
      actions={
        <>
          <IconButton icon="up" label="Previous call in the list (K)" onClick={step(-1)} />
          <IconButton icon="down" label="Next call in the list (J)" onClick={step(1)} />
        </>
      }
    >
      <div className="stack">
        <PageLink to={`/calls/${callId}`}>
          <code>{callId}</code>
        </PageLink>
        <Loaded of={call} placeholder={<RecordPlaceholder />}>
          {(found) => found.id === callId && <CallContent call={found} />}
        </Loaded>
      </div>
    </SidePanel>
  );
}
