import { Anchor, Table, Text } from '@mantine/core'
import { ExternalLinkIcon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { schemaRows } from '../../../core/skill/describe/schema-rows.ts'
import { apiAll } from '../api/call.ts'
import type { ApiConnection, ApiPlugin, ApiSkill } from '../api/types.ts'
import { Empty, Section } from '../parts/layout.tsx'
import { StateBadge } from '../parts/states.tsx'
import { breakable } from '../parts/text-view.tsx'
import './catalogue.css'

/** Whether a skill reads, writes or is destructive. */
export function EffectBadge({ skill }: { readonly skill: Pick<ApiSkill, 'effect' | 'destructive'> }) {
  const { effect, destructive } = skill
  if (destructive !== null) return <StateBadge text={capitalized(destructive)} color="red" />
  return effect === 'write' ? (
    <StateBadge text="Write" color="orange" />
  ) : (
    <StateBadge text="Read" color="green" />
  )
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

export const languageText = (kind: ApiPlugin['kind']): string | null =>
  kind === null ? null : { typescript: 'TypeScript', yaml: 'YAML' }[kind]

/** A link to the documentation of the vendor. */
export function VendorDocs({ href }: { readonly href: string }) {
  return (
    <Anchor underline="always" href={href} target="_blank" rel="noreferrer" size="sm">
      Vendor documentation <ExternalLinkIcon size={12} aria-label="(opens in a new tab)" />
    </Anchor>
  )
}

interface SchemaTableProps {
  readonly title: string
  readonly schema: object
  /** Shown at a required value, or at an optional one. */
  readonly required?: string
  readonly optional?: string
}

/** The values of an object schema, each with its type and description. */
export function SchemaTable({ title, schema, required, optional }: SchemaTableProps) {
  const rows = schemaRows(schema)
  return (
    <Section title={title} isFlush>
      {rows.length === 0 ? (
        <Empty>None</Empty>
      ) : (
        <Table.ScrollContainer minWidth={480} tabIndex={0} role="group" aria-label={title}>
          <Table verticalSpacing={8} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Type</Table.Th>
                <Table.Th>Description</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ name, type, required: isRequired, notes, description }) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    <code>{breakable(name)}</code>
                    <Mark text={isRequired ? required : optional} />
                  </Table.Td>
                  <Table.Td className="schema-type">{[type, ...notes].join(' · ')}</Table.Td>
                  <Table.Td className="outside-text">{description}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  )
}

function Mark({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  )
}

/** The connections of a plugin that the session may see. */
export const useConnectionsOf = (plugin: string) =>
  useQuery({
    queryKey: ['connections of', plugin],
    queryFn: () => apiAll<ApiConnection>('/connections', { plugin }),
  })
