import { Fragment, type ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import type { HelpBlock, HelpInline } from './document.ts';
import styles from './help.module.css';

/** The blocks of a help page. */
export function HelpContent({ blocks }: { readonly blocks: readonly HelpBlock[] }): ReactNode {
  return blocks.map((block, index) => <HelpBlockView key={index} block={block} />);
}

function HelpBlockView({ block }: { readonly block: HelpBlock }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return <HelpHeading block={block} />;
    case 'paragraph':
      return (
        <p>
          <HelpText parts={block.children} />
        </p>
      );
    case 'code':
      return <CopyBlock name="example" text={block.text} />;
    case 'quote':
      return (
        <blockquote>
          <HelpContent blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return <HelpList block={block} />;
    case 'table':
      return <HelpTable block={block} />;
  }
}

type BlockProps<Kind extends HelpBlock['kind']> = { readonly block: Extract<HelpBlock, { readonly kind: Kind }> };

/** A heading that links to itself. */
function HelpHeading({ block: { level, id, children } }: BlockProps<'heading'>): ReactNode {
  const Heading = level <= 2 ? 'h2' : 'h3';
  return (
    <Heading id={id} className={styles.heading}>
      <a href={`#${id}`}>
        <HelpText parts={children} />
      </a>
    </Heading>
  );
}

function HelpList({ block: { ordered, items } }: BlockProps<'list'>): ReactNode {
  const List = ordered ? 'ol' : 'ul';
  return (
    <List>
      {items.map((blocks, index) => (
        <li key={index}>
          {blocks.map((block, at) =>
            block.kind === 'paragraph' ? (
              <HelpText key={at} parts={block.children} />
            ) : (
              <HelpBlockView key={at} block={block} />
            ),
          )}
        </li>
      ))}
    </List>
  );
}

function HelpTable({ block: { head, rows } }: BlockProps<'table'>): ReactNode {
  return (
    <div className={styles.table} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <HelpText parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>
                  <HelpText parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HelpText({ parts }: { readonly parts: readonly HelpInline[] }): ReactNode {
  return parts.map((part, index) => (
    <Fragment key={index}>
      <HelpInlineView part={part} />
    </Fragment>
  ));
}

function HelpInlineView({ part }: { readonly part: HelpInline }): ReactNode {
  if (typeof part === 'string') return part;
  if (part.kind === 'code') return <code>{part.text}</code>;
  const children = <HelpText parts={part.children} />;
  switch (part.kind) {
    case 'strong':
      return <strong>{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 'group':
      return children;
    case 'link':
      if (part.page !== null)
        return (
          <PageLink to={`/help/${part.page}`} hash={part.href.slice(1)}>
            {children}
          </PageLink>
        );
      return <a href={part.href}>{children}</a>;
  }
}
