import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Empty } from '../parts/empty.tsx'
import { Section } from '../parts/section.tsx'

interface SmallTableProps {
  readonly title: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly ReactNode[])[]
  readonly empty: string
}

/** A few rows under a title. */
export function SmallTable({ title, heads, rows, empty }: SmallTableProps) {
  return (
    <Section title={title} isFlush>
      {rows.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <Table.ScrollContainer minWidth={500}>
          <Table aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {heads.map((head) => (
                  <Table.Th key={head}>{head}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, index) => (
                <Table.Tr key={index}>
                  {row.map((cell, column) => (
                    <Table.Td key={heads[column]}>{cell}</Table.Td>
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
