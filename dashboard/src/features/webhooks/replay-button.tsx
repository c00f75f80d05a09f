import { Button, Checkbox, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { useMay, useWorkspace } from '../../shared/session/session.ts';
import { endOfDay } from '../../shared/time/end-of-day.ts';
import { addDays, dayStart, localDay } from '../../shared/time/local-day.ts';
import { useNow } from '../../shared/time/use-now.ts';
import { useReplayPeriod } from './use-replay-period.ts';

interface ReplayProps {
  readonly webhookId: string;
}

const MINUTE_MS = 60_000;
const DEFAULT_REPLAY_DAYS = 3;

/** Sends again what a receiver missed. */
export function ReplayButton({ webhookId }: ReplayProps): ReactNode {
  const mayChange = useMay('manage');
  const [open, setOpen] = useState(false);
  if (!mayChange) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Replay a period
      </Button>
      {open && <ReplayDialog webhookId={webhookId} onClose={() => setOpen(false)} />}
    </>
  );
}

function ReplayDialog({ webhookId, onClose }: ReplayProps & { readonly onClose: () => void }): ReactNode {
  const { timeZone } = useWorkspace();
  const replay = useReplayPeriod(webhookId);
  const today = localDay(useNow(MINUTE_MS), timeZone);
  if (replay.data) return <ReplayQueued count={replay.data.deliveries} onClose={onClose} />;
  return (
    <FormDialog
      title="Replay a period"
      deed="Send again"
      busy={replay.isPending}
      error={replay.error}
      onClose={onClose}
      onSubmit={(fields) =>
        replay.mutate({
          startDate: new Date(dayStart(fields('from'), timeZone)).toISOString(),
          endDate: endOfDay(fields('to'), timeZone),
          all: fields('all') === 'yes',
        })
      }
    >
      <p>
        What was not delivered of these days is sent again, under the same message ids: who has one already knows the
        repetition.
      </p>
      <div className="row">
        <TextInput name="from" type="date" label="From" defaultValue={addDays(today, -DEFAULT_REPLAY_DAYS)} required />
        <TextInput name="to" type="date" label="Until the end of" defaultValue={today} required />
      </div>
      <Checkbox name="all" value="yes" label="What was delivered, too" />
    </FormDialog>
  );
}

function ReplayQueued({ count, onClose }: { readonly count: number; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Replay a period" onClose={onClose}>
      <div className="stack">
        <p>{count === 0 ? 'There is nothing to send again.' : `Queued again: ${count.toLocaleString('en')}.`}</p>
        <div className="row">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}
