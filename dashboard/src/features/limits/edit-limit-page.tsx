import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePathParameter } from '../../shared/filter/address.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { toDraft } from './limit-draft.ts';
import { LimitForm } from './limit-form.tsx';
import { useLimit } from '../../shared/limits/use-limits.ts';
import { FieldsPlaceholder } from '../../shared/ui/placeholders.tsx';

export function EditLimitPage(): ReactNode {
  const limitId = usePathParameter('limitId');
  const limit = useLimit(limitId);
  const navigate = useNavigate();
  const mayChange = useMay('manage');
  return (
    <Page title="Edit limit" lead="After a change of scope, unit or window, usage so far in the new window counts.">
      {!mayChange && <Note kind="info">Only admins can edit limits.</Note>}
      {mayChange && (
        <Card>
          <Loaded of={limit} placeholder={<FieldsPlaceholder rows={4} />}>
            {(found) => (
              <LimitForm
                first={toDraft(found)}
                of={found}
                onSaved={() => void navigate({ to: `/limits/${limitId}` })}
              />
            )}
          </Loaded>
        </Card>
      )}
    </Page>
  );
}
