import { Table, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { Empty, Section } from './layout.tsx'

export interface SmallColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly isNumber?: boolean
  /** As narrow as its content. */
  readonly isNarrow?: boolean
}

interface SmallTableProps<Row> {
  readonly title: string
  readonly count?: number
  /** Buttons at the end of the title line. */
  readonly actions?: ReactNode
  readonly columns: readonly SmallColumn<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  /** Shown without rows. */
  readonly empty: string
  readonly icon?: ComponentType<{ readonly width?: number; readonly height?: number }>
  /** Height from which it scrolls. */
  readonly mah?: number
  /** Below the rows. */
  readonly note?: string | null
  /** Below all. */
  readonly children?: ReactNode
  readonly className?: string
  /** On phones, each row becomes a list of titles and values, instead of scrolling sideways. */
  readonly isStacked?: boolean
}

/** A table under a title, for at most some hundred rows. */
export function SmallTable<Row>(props: SmallTableProps<Row>) {
  const {
    title,
    columns,
    rows,
    idOf,
    empty,
    icon,
    mah,
    note = null,
    children,
    className,
    isStacked,
    ...section
  } = props
  const look = ({ isNumber, isNarrow }: SmallColumn<Row>) => ({
    ...(isNumber && { className: 'number' }),
    ...(isNarrow && { w: '1%', style: { whiteSpace: 'nowrap' } as const }),
  })
  return (
    <Section title={title} isFlush {...section}>
      {rows.length === 0 ? (
        <Empty {...(icon && { icon })}>{empty}</Empty>
      ) : (
        <Table.ScrollContainer
          minWidth={isStacked ? 0 : 440}
          {...(isStacked && { className: 'stacked-table' })}
          tabIndex={0}
          role="group"
          aria-label={title}
          {...(mah && { mah })}
        >
          <Table verticalSpacing={8} aria-label={title} role="table" {...(className && { className })}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column.title} {...look(column)}>
                    {column.title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={idOf(row)} role="row">
                  {columns.map((column) => (
                    <Table.Td key={column.title} role="cell" data-label={column.title} {...look(column)}>
                      {isStacked ? <div>{column.cell(row)}</div> : column.cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {rows.length > 0 && note !== null && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {note}
        </Text>
      )}
      {children}
    </Section>
  )
}
