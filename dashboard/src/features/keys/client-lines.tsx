import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { clientGroups } from './client-groups.ts';
import { useClientLines } from './use-client-lines.ts';

interface ClientLinesProps {
  readonly keyId: string;
  /** null = nobody has it any more: the lines say where it belongs. */
  readonly secret: string | null;
}

/** Lines to copy for each client: nothing but the key and the address changes in a program. */
export function ClientLines({ keyId, secret }: ClientLinesProps): ReactNode {
  const lines = useClientLines(keyId);
  return (
    <Loaded of={lines} rows={6}>
      {(answer) => {
        const groups = clientGroups(answer, secret);
        return (
          <Tabs defaultValue={groups[0]?.name ?? null} keepMounted={false}>
            <Tabs.List>
              {groups.map(({ name }) => (
                <Tabs.Tab key={name} value={name}>
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {groups.map(({ name, steps }) => (
              <Tabs.Panel key={name} value={name} pt="md" className="stack">
                {steps.map(({ title, text }) => (
                  <div key={title}>
                    {title !== name && <p className="soft">{title}</p>}
                    <CopyBlock name={title} text={text} />
                  </div>
                ))}
              </Tabs.Panel>
            ))}
          </Tabs>
        );
      }}
    </Loaded>
  );
}
