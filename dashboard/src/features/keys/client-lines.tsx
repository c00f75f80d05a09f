import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyClients } from '../../../../src/contract/keys.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { useClientLines } from './queries.ts';
import { LinesPlaceholder } from '../../shared/ui/placeholders.tsx';

interface ClientLinesProps {
  readonly keyId: string;
  /** null = no longer known: the lines contain a placeholder. */
  readonly secret: string | null;
}

/** Setup lines for each client. Only the key and the address change in a program. */
export function ClientLines({ keyId, secret }: ClientLinesProps): ReactNode {
  const lines = useClientLines(keyId);
  return (
    <Loaded of={lines} placeholder={<LinesPlaceholder rows={6} />}>
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

interface ClientGroup {
  /** Label of the tab: "curl", "Codex". */
  readonly name: string;
  readonly steps: readonly { readonly title: string; readonly text: string }[];
}

/** Groups setup steps by client; a step that starts with "and then" belongs to the client before it. */
export function clientGroups(
  { placeholder, clients }: Pick<KeyClients, 'placeholder' | 'clients'>,
  secret: string | null,
): readonly ClientGroup[] {
  const groups: { name: string; steps: { title: string; text: string }[] }[] = [];
  for (const { client, lines } of clients) {
    const text = lines.join('\n');
    const step = { title: client, text: secret === null ? text : text.replaceAll(placeholder, secret) };
    const last = groups.at(-1);
    if (client.startsWith('and then') && last) last.steps.push(step);
    else groups.push({ name: client.split(/[:(]/)[0]?.trim() ?? client, steps: [step] });
  }
  return groups;
}
