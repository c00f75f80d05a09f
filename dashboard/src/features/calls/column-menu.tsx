import { Button, Checkbox, Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/ui/icon.tsx';
import { CALL_COLUMNS, type CallColumn, columnName } from './call-columns.tsx';

interface ColumnMenuProps {
  readonly chosen: readonly CallColumn[];
  readonly onChange: (columns: readonly CallColumn[]) => void;
}

/** Chooses the columns of the table of calls. */
export function ColumnMenu({ chosen, onChange }: ColumnMenuProps): ReactNode {
  const [open, setOpen] = useState(false);
  const choose = (values: readonly string[]): void => onChange(CALL_COLUMNS.filter((each) => values.includes(each)));
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button
          variant="subtle"
          size="sm"
          leftSection={<Icon name="columns" size={16} />}
          onClick={() => setOpen(!open)}
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group label="Columns" value={[...chosen]} onChange={choose}>
          <div className="stack-tight">
            {CALL_COLUMNS.map((column) => (
              <Checkbox key={column} value={column} label={columnName(column)} size="xs" />
            ))}
          </div>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
