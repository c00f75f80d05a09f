import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Icon } from '../../shared/ui/icon.tsx';
import styles from '../top-bar.module.css';
import { CommandPalette } from './command-palette.tsx';

/** Loaded when first opened. The palette is not: it would miss what is typed meanwhile. */
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }));

/** The button and keys that open the command palette and the list of shortcuts. */
export function Palette(): ReactNode {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null);
  const close = (): void => setOpen(null);
  useHotkeys([
    ['/', () => setOpen('palette')],
    ['shift+?', () => setOpen('shortcuts')],
    // Where its key needs no Shift.
    ['?', () => setOpen('shortcuts')],
  ]);
  // Also while a field has the focus.
  useHotkeys([['mod+K', () => setOpen((now) => (now === 'palette' ? null : 'palette'))]], []);
  return (
    <>
      <button type="button" className={styles.search} aria-keyshortcuts="Control+K" onClick={() => setOpen('palette')}>
        <Icon name="search" size={16} />
        Go to…
        <kbd>Ctrl K</kbd>
      </button>
      {open === 'palette' && <CommandPalette onClose={close} onShortcuts={() => setOpen('shortcuts')} />}
      <Suspense>{open === 'shortcuts' && <ShortcutsDialog onClose={close} />}</Suspense>
    </>
  );
}
