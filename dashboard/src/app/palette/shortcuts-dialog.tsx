import type { ReactNode } from 'react';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { Facts } from '../../shared/ui/facts.tsx';

const SHORTCUTS = [
  ['Go to a page, key, limit, model, person or session', ['Ctrl K', '⌘ K', '/']],
  ['Show these shortcuts', ['?']],
  ['Open the chosen call next to the list', ['Enter']],
  ['Next or previous call while one is open', ['J', 'K']],
  ['Close a panel, menu or dialog', ['Esc']],
] as const;

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Facts of={SHORTCUTS.map(([does, keys]) => [does, <Keys key={does} keys={keys} />])} />
    </Dialog>
  );
}

function Keys({ keys }: { readonly keys: readonly string[] }): ReactNode {
  return (
    <span className="row">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
