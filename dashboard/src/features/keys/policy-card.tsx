import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { useMay } from '../../shared/session/session.ts';
import { PolicyDialog } from './policy-dialog.tsx';
import { describePolicy } from './policy-words.ts';
import { usePolicy } from './use-policy.ts';

interface PolicyCardProps {
  readonly keyId: string;
  readonly revoked: boolean;
}

/** What a key may do. */
export function PolicyCard({ keyId, revoked }: PolicyCardProps): ReactNode {
  const policy = usePolicy(keyId);
  const mayChange = useMay('manage') && !revoked;
  const [editing, setEditing] = useState(false);
  return (
    <Card
      title="What it may do"
      aside={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)} disabled={!policy.data}>
            Edit rules
          </Button>
        )
      }
    >
      <Loaded of={policy}>
        {(found) => {
          const rules = describePolicy(found.policy);
          if (rules.length > 0) return <Facts of={rules} />;
          return (
            <p className="soft">
              Everything that its provider allows, within the limits. Rules can say which models, how much output, from
              where and when, and which tags a call must carry.
            </p>
          );
        }}
      </Loaded>
      {editing && policy.data && <PolicyDialog of={policy.data} onClose={() => setEditing(false)} />}
    </Card>
  );
}
