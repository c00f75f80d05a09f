import { type ReactNode, useId } from 'react';
import styles from './choice-cards.module.css';

interface ChoiceOption<Value extends string> {
  readonly value: Value;
  readonly name: string;
  /** Short explanation. */
  readonly note?: string;
}

interface ChoiceCardsProps<Value extends string> {
  readonly legend: string;
  readonly choices: readonly ChoiceOption<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice among a few visible options, as native radio buttons. */
export function ChoiceCards<Value extends string>(props: ChoiceCardsProps<Value>): ReactNode {
  const { legend, choices, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={styles.set}>
      <legend>{legend}</legend>
      <div className={styles.choices}>
        {choices.map((choice) => (
          <label key={choice.value} className={styles.choice}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            <span>
              {choice.name}
              {choice.note !== undefined && <span className={styles.note}>{choice.note}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
