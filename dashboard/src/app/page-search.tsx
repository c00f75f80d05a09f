import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Icon } from '../shared/theme/icon.tsx';
import styles from './top-bar.module.css';
import { findPagePath, navigationTargets } from './places.ts';

/** Goes to a page by its name, or to a call by its id. The browser offers the names itself. */
export function PageSearch(): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [missed, setMissed] = useState(false);
  const list = useId();
  const navigate = useNavigate();
  useHotkeys([
    ['mod+K', () => field.current?.focus()],
    ['/', () => field.current?.focus()],
  ]);
  const go = (event: FormEvent): void => {
    event.preventDefault();
    const place = findPagePath(text);
    setMissed(place === null && text.trim() !== '');
    if (place === null) return;
    setText('');
    field.current?.blur();
    void navigate({ to: place });
  };
  return (
    <form role="search" aria-label="Go to" className={styles.search} onSubmit={go}>
      <Icon name="search" size={16} />
      <input
        ref={field}
        value={text}
        list={list}
        aria-label="Go to a page, or to a call by its id"
        aria-invalid={missed}
        placeholder="Go to …"
        title="Ctrl K"
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setMissed(false);
        }}
      />
      <datalist id={list}>
        {navigationTargets.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <span role="status" className={missed ? styles.missed : 'visually-hidden'}>
        {missed ? 'No page or call of that name' : ''}
      </span>
    </form>
  );
}
