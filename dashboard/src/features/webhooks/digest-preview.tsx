import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { useDigest } from './use-digest.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';

/** What webhooks with a weekly digest get, of the last week that is over. */
export function DigestPreview(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Preview the weekly digest
      </Button>
      {open && <DigestDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function DigestDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const digest = useDigest();
  return (
    <Dialog title="The weekly digest" onClose={onClose}>
      <Loaded of={digest} rows={8}>
        {({ title, message, facts }) => (
          <div className="stack">
            <h3>{isolatedQuotes(title)}</h3>
            <p>{isolatedQuotes(message)}</p>
            <Facts of={facts.map(({ name, value }) => [name, value])} />
            <p className="soft">Sent each Monday at 08:00 in the workspace’s time zone, to webhooks that ask for it.</p>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
