import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/links.tsx';
import { ChangeMark } from './change-mark.tsx';
import type { ChartActions, ChartLink, ChartMark, ChartTime } from './chart-actions.ts';
import { Swatch, ValueButton } from './chart-legend.tsx';
import { amountText, type ColumnRow, columnSum } from './column-rows.ts';
import styles from './column-tooltip.module.css';
import type { AmountRange, ChartBand } from './plot-band.tsx';
import type { ChartLayer } from './stack.ts';

interface ColumnTooltipProps {
  /** The date or hour of the column. */
  readonly title: string;
  readonly time: ChartTime;
  readonly column: number;
  readonly layers: readonly ChartLayer[];
  readonly colors: readonly string[];
  readonly nameOf: (value: string | null) => string;
  readonly format: (amount: number) => string;
  readonly band?: ChartBand | undefined;
  /** Number of columns with figures; absent = all. */
  readonly known?: number | undefined;
  readonly marks: readonly ChartMark[];
  readonly actions: ChartActions;
  /** Place of the column in the chart, 0 to 1. */
  readonly place: number;
}

/** All values of one column, below the chart: the pointer reaches it on its way down, and it hides no bar. */
export function ColumnTooltip(props: ColumnTooltipProps): ReactNode {
  const { title, time, column, layers, format, band, known = Infinity, marks, actions, place } = props;
  const range = band?.columns[column] ?? null;
  const { total, previous, rows } = columnSum(layers, column);
  const ref = useInView();
  return (
    <div
      ref={ref}
      className={styles.tooltip}
      role="group"
      aria-label={title}
      style={{ '--place': String(place) } as Record<string, string>}
    >
      <p className={styles.head}>
        <strong>{title}</strong>
        {column < known && <span className="figure">{format(total)}</span>}
        {previous !== null && (
          <span className="soft figure">
            Previous period {format(previous)} <ChangeMark now={total} before={previous} />
          </span>
        )}
      </p>
      {band && range && (
        <p className="soft figure">
          {band.name} {rangeText(range, format)}
        </p>
      )}
      {rows.length > 0 && (
        <table className={styles.rows}>
          <tbody>
            {rows.map((row) => (
              <TooltipRow key={row.layer} {...props} row={row} />
            ))}
          </tbody>
        </table>
      )}
      {marks.map(({ at, text, to, tone }) => (
        <p key={at + text} className={styles.mark} data-tone={tone}>
          {to === undefined ? text : <PageLink to={to}>{text}</PageLink>}
        </p>
      ))}
      <p className={styles.actions}>
        {actions.zoom && (
          <button type="button" className={styles.action} onClick={() => actions.zoom?.(time)}>
            <Icon name="search" size={14} /> Zoom in
          </button>
        )}
        <CallsLink link={total > 0 ? actions.calls(time) : null}>Calls</CallsLink>
      </p>
    </div>
  );
}

/** "$5.20 ($4 to $7)"; the range alone is left out when it has no width. */
export function rangeText({ low, middle, high }: AmountRange, format: (amount: number) => string): string {
  return low === high ? format(middle) : `${format(middle)} (${format(low)} to ${format(high)})`;
}

interface TooltipRowProps extends ColumnTooltipProps {
  readonly row: ColumnRow;
}

function TooltipRow({ row, time, layers, colors, nameOf, format, actions }: TooltipRowProps): ReactNode {
  const value = layers[row.layer]?.value ?? null;
  const name = nameOf(value);
  return (
    <tr>
      <th scope="row">
        <span className={styles.name}>
          <Swatch color={colors[row.layer]} /> <ValueButton name={name} pick={actions.pick(value, time)} />
        </span>
      </th>
      <td>{amountText(row.amount, row.leftOut, format)}</td>
      <td className="soft">{formatPercent(row.share)}</td>
      {row.previous !== null && (
        <>
          <td className="soft">{format(row.previous)}</td>
          <td>
            <ChangeMark now={row.amount} before={row.previous} />
          </td>
        </>
      )}
      <td>
        <CallsLink link={actions.calls(time, value)} of={name} />
      </td>
    </tr>
  );
}

interface CallsLinkProps {
  readonly link: ChartLink | null;
  /** Name of the row, for screen readers. */
  readonly of?: string;
  readonly children?: ReactNode;
}

/** An icon that leads to the calls behind a value. */
export function CallsLink({ link, of, children }: CallsLinkProps): ReactNode {
  if (link === null) return null;
  return (
    <PageLink
      to={link.to}
      search={link.search}
      className={styles.action}
      {...(of !== undefined && { title: `Calls of ${of}`, 'aria-label': `Calls of ${of}` })}
    >
      <Icon name="calls" size={14} /> {children}
    </PageLink>
  );
}

/** Scrolls the tooltip into view on a phone, where the chart may end at the edge of the screen. */
function useInView(): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (matchMedia('(hover: none)').matches) ref.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return ref;
}
