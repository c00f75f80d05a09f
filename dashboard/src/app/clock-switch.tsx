import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../shared/theme/icon.tsx';
import { useWorkspace } from '../shared/session/session.ts';
import { browserZone, useClockChoice } from '../shared/time/zone.ts';

/** Whose clock times are shown. Days stay those of the workspace: limits and bills are counted in them. */
export function ClockSwitch(): ReactNode {
  const [choice, choose] = useClockChoice();
  const { timeZone } = useWorkspace();
  const choices = [
    ['workspace', `Workspace: ${timeZone}`],
    ['mine', `Mine: ${browserZone()}`],
  ] as const;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" aria-label="Time zone">
          <Icon name="clock" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Clock times in</Menu.Label>
        {choices.map(([each, name]) => (
          <Menu.Item
            key={each}
            rightSection={choice === each && <Icon name="check" size={15} />}
            onClick={() => choose(each)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Label>Days are always those of the workspace</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
