import { Autocomplete } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { Icon } from '../shared/ui/icon.tsx';
import { findPagePath, navigationTargets } from './navigation.ts';
import styles from './top-bar.module.css';

/** Opens a page by its name, or a call by its ID. */
export function PageSearch(): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const isChosen = useRef(false);
  const [text, setText] = useState('');
  const [missed, setMissed] = useState(false);
  const navigate = useNavigate();
  useHotkeys([
    ['mod+K', () => field.current?.focus()],
    ['/', () => field.current?.focus()],
  ]);
  const go = (name: string): void => {
    const place = findPagePath(name);
    setMissed(place === null && name.trim() !== '');
    if (place === null) return;
    setText('');
    field.current?.blur();
    void navigate({ to: place });
  };
  return (
    <form
      role="search"
      aria-label="Go to"
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        go(text);
      }}
    >
      <Icon name="search" size={16} />
      <Autocomplete
        ref={field}
        value={text}
        data={navigationTargets.map(({ name }) => name)}
        aria-label="Go to a page or a call ID"
        aria-invalid={missed}
        placeholder="Go to…"
        title="Ctrl K"
        variant="unstyled"
        maxDropdownHeight="70vh"
        comboboxProps={{ position: 'bottom-start', width: 'max-content' }}
        onChange={(changed) => {
          // The name of a chosen page is not left in the field.
          setText(isChosen.current ? '' : changed);
          setMissed(false);
          isChosen.current = false;
        }}
        onOptionSubmit={(name) => {
          isChosen.current = true;
          go(name);
        }}
      />
      <span role="status" className={missed ? styles.missed : 'visually-hidden'}>
        {missed ? 'No match' : ''}
      </span>
    </form>
  );
}
