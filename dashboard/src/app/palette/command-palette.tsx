import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import styles from './command-palette.module.css';
import { findCallPath, findTargets, type FoundGroup, type PaletteTarget } from './targets.ts';
import { useTargets } from './use-targets.ts';

interface CommandPaletteProps {
  readonly onShortcuts: () => void;
  readonly onClose: () => void;
}

/** Finds pages, records and actions by name: arrow keys choose, Enter opens, Escape closes. */
export function CommandPalette({ onShortcuts, onClose }: CommandPaletteProps): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const all = useTargets(onShortcuts);
  const callTarget = useCallTarget(text);
  const groups = findTargets(all, text);
  const shown: readonly FoundGroup[] = callTarget ? [{ group: 'Pages', targets: [callTarget] }] : groups;
  const targets = shown.flatMap((group) => group.targets);
  const active = targets[Math.min(chosen, targets.length - 1)];
  const run = (target: PaletteTarget | undefined): void => {
    if (!target) return;
    // First: a dialog that is removed later would take the focus back from the new page.
    onClose();
    target.run();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && targets.length > 0) setChosen((now) => (now + step + targets.length) % targets.length);
    else if (event.key === 'Enter') run(active);
    else return;
    event.preventDefault();
  };
  return (
    <PaletteDialog onClose={onClose}>
      <div className={styles.field}>
        <Icon name="search" size={18} />
        <input
          role="combobox"
          aria-label="Go to a page, key, limit, model, person or session"
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(id, active)}
          autoComplete="off"
          spellCheck={false}
          placeholder="Go to a page, key, limit, model, person, session…"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <button type="button" className={styles.close} onClick={onClose} aria-label="Esc: close">
          <kbd>Esc</kbd>
        </button>
      </div>
      <Results
        id={id}
        groups={shown}
        active={active}
        onChoose={(target) => setChosen(targets.indexOf(target))}
        onRun={run}
      />
      {targets.length === 0 && <p className={styles.none}>No match. Calls are found by their ID.</p>}
      <span role="status" className="visually-hidden">
        {countNoun(targets.length, 'result')}
      </span>
    </PaletteDialog>
  );
}

interface ResultsProps {
  readonly id: string;
  readonly groups: readonly FoundGroup[];
  readonly active: PaletteTarget | undefined;
  readonly onChoose: (target: PaletteTarget) => void;
  readonly onRun: (target: PaletteTarget) => void;
}

function Results({ id, groups, active, onChoose, onRun }: ResultsProps): ReactNode {
  return (
    <div id={id} role="listbox" aria-label="Results" className={styles.list}>
      {groups.map(({ group, targets }) => (
        <div key={group} role="group" aria-labelledby={`${id} ${group}`}>
          <div id={`${id} ${group}`} className={styles.group}>
            {group}
          </div>
          {targets.map((target) => (
            <Option
              key={target.id}
              id={optionId(id, target)}
              target={target}
              isActive={target === active}
              onChoose={() => onChoose(target)}
              onRun={() => onRun(target)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function optionId(list: string, { group, id }: PaletteTarget): string {
  return `${list}-${group}-${id}`.replaceAll(/\s/g, '-');
}

/** Returns a target for the ID of a call; null = the text is none. */
function useCallTarget(text: string): PaletteTarget | null {
  const navigate = useNavigate();
  const path = findCallPath(text);
  if (path === null) return null;
  return {
    group: 'Pages',
    id: path,
    name: `Call ${text.trim()}`,
    icon: 'calls',
    run: () => void navigate({ to: path }),
  };
}

interface OptionProps {
  readonly id: string;
  readonly target: PaletteTarget;
  readonly isActive: boolean;
  readonly onChoose: () => void;
  readonly onRun: () => void;
}

function Option({ id, target, isActive, onChoose, onRun }: OptionProps): ReactNode {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isActive) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <button
      type="button"
      tabIndex={-1}
      ref={ref}
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.option}
      onMouseMove={onChoose}
      onClick={onRun}
    >
      <Icon name={target.icon} size={16} />
      <span className={styles.name}>{target.name}</span>
    </button>
  );
}

/** A native modal dialog at the top. */
function PaletteDialog({
  onClose,
  children,
}: {
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector('input')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label="Go to"
      className={styles.palette}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
