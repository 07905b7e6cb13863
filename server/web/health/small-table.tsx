import { Table } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { Empty } from '../parts/states/empty.tsx'
import { Section } from '../parts/section.tsx'

interface SmallTableProps {
  readonly title: string
  /** Those with numbers below them begin with `#`. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ReactNode[])[]
  readonly empty: string
  readonly icon?: ComponentType<{ readonly width?: number; readonly height?: number }>
}

/** A few rows under a title. */
export function SmallTable({ title, columns, rows, empty, icon }: SmallTableProps) {
  const numberClass = (column: string | undefined) =>
    column?.startsWith('#') === true ? { className: 'number' } : {}
  return (
    <Section title={title} isFlush>
      {rows.length === 0 ? (
        <Empty {...(icon && { icon })}>{empty}</Empty>
      ) : (
        <Table.ScrollContainer minWidth={420} tabIndex={0} role="group" aria-label={title}>
          <Table verticalSpacing={8} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column} {...numberClass(column)}>
                    {column.replace('#', '')}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, index) => (
                <Table.Tr key={index}>
                  {row.map((cell, place) => (
                    <Table.Td key={columns[place]} {...numberClass(columns[place])}>
                      {cell}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  )
}
