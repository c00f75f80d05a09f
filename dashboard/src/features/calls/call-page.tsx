import type { ReactNode } from 'react';
import { usePathParameter } from '../../shared/filter/address.ts';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';
import { CallContent } from './call-content.tsx';
import { useCall } from './queries.ts';

/** One call: its cost with the prices used, its details, timing, and the limits it counted toward. */
export function CallPage(): ReactNode {
  const callId = usePathParameter('callId');
  const call = useCall(callId);
  return (
    <Page title="Call" lead={<code>{callId}</code>}>
      <Loaded of={call} placeholder={<RecordPlaceholder />}>
        {(found) => <CallContent call={found} />}
      </Loaded>
    </Page>
  );
}
