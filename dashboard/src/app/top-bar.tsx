import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LiveState } from '../shared/api/live.ts';
import { useWorkspace } from '../shared/session/session.ts';
import { browserZone, useClockChoice } from '../shared/time/clock.ts';
import { Icon } from '../shared/ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Palette } from './palette/palette.tsx';
import styles from './top-bar.module.css';

/** The bar above every page: search, time zone, appearance and account. */
export function TopBar({ live }: { readonly live: LiveState }): ReactNode {
  return (
    <section className={styles.bar} aria-label="Tools">
      <Palette />
      {live === 'off' && (
        <span className={styles.off} role="status">
          Live updates paused. Reconnecting…
        </span>
      )}
      <div className={styles.end}>
        <ClockSwitch />
        <AppearanceSwitch />
        <AccountMenu />
      </div>
    </section>
  );
}

/** Chooses the time zone for times of day. Days always use the zone of the workspace, as limits and bills do. */
function ClockSwitch(): ReactNode {
  const [choice, choose] = useClockChoice();
  const { timeZone } = useWorkspace();
  const choices = [
    ['workspace', `Workspace (${timeZone})`],
    ['mine', `This browser (${browserZone()})`],
  ] as const;
  return (
    <Menu position="bottom-end" shadow="md" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" aria-label="Time zone">
          <Icon name="clock" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Show times in</Menu.Label>
        {choices.map(([each, name]) => (
          <Menu.Item
            key={each}
            rightSection={choice === each && <Icon name="check" size={15} />}
            onClick={() => choose(each)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Label>Days always use the workspace zone</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

const CHOICES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'System'],
] as const;

function AppearanceSwitch(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" shadow="md" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" aria-label="Appearance">
          <Icon name={colorScheme === 'dark' ? 'moon' : 'sun'} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map(([scheme, name]) => (
          <Menu.Item
            key={scheme}
            rightSection={colorScheme === scheme && <Icon name="check" size={15} />}
            onClick={() => setColorScheme(scheme)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
