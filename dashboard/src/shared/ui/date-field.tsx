import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { formatDay } from '../../../../src/domain/text/dates.ts';
import { readDay } from '../time/local-day.ts';
import { useFieldError } from './form.tsx';
import { Icon } from './icon.tsx';

interface DateFieldProps extends Pick<TextInputProps, 'label' | 'description' | 'required' | 'aria-label'> {
  /** Name of the form field, whose value is `2026-11-22`, or '' if the field is empty. */
  readonly name?: string;
  /** `2026-11-22`; '' = empty. */
  readonly defaultValue?: string;
  /** Called with `2026-11-22` when a date was typed or picked. */
  readonly onChange?: (day: string) => void;
}

/** A date that is shown and typed as `22 Nov 2026`, with the calendar of the browser. */
export function DateField({ name, defaultValue = '', onChange, ...field }: DateFieldProps): ReactNode {
  const [text, setText] = useState(() => writeDay(defaultValue));
  const input = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const day = readDay(text);
  const isInvalid = day === null && text.trim() !== '';
  const [isLeft, setLeft] = useState(false);
  const formError = useFieldError(name);
  useEffect(() => input.current?.setCustomValidity(isInvalid ? INVALID_DATE : ''), [isInvalid]);
  const commit = (chosen: string | null): void => {
    if (chosen === null) return;
    setText(writeDay(chosen));
    if (chosen !== defaultValue) onChange?.(chosen);
  };
  return (
    <>
      <TextInput
        {...field}
        ref={input}
        data-field={name}
        error={isInvalid && isLeft ? INVALID_DATE : formError}
        placeholder="22 Nov 2026"
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setLeft(false);
        }}
        onBlur={() => {
          setLeft(true);
          commit(day);
        }}
        onKeyDown={({ key }) => key === 'Enter' && commit(day)}
        rightSection={
          <ActionIcon variant="subtle" aria-label="Open calendar" onClick={() => calendar.current?.showPicker()}>
            <Icon name="calendar" size={16} />
          </ActionIcon>
        }
      />
      {name !== undefined && <input type="hidden" name={name} value={day ?? ''} />}
      <input
        ref={calendar}
        type="date"
        className="visually-hidden"
        tabIndex={-1}
        aria-hidden
        value={day ?? ''}
        onChange={({ currentTarget }) => commit(currentTarget.value || null)}
      />
    </>
  );
}

const INVALID_DATE = 'Enter a date such as 22 Nov 2026.';

function writeDay(day: string): string {
  return day === '' ? '' : formatDay(day);
}
