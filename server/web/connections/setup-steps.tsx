import { Anchor, List, Stack, Text } from '@mantine/core'
import { ExternalLinkIcon } from '@radix-ui/react-icons'
import { Section } from '../parts/section.tsx'
import type { Plugin } from './connection.ts'

/** What an operator does in the other system, beside the form that it is entered in. */
export function SetupSteps({
  setup: { setup, docs },
}: {
  readonly setup: NonNullable<Plugin['connection']>
}) {
  if (setup.length === 0 && docs === null) return null
  return (
    <Section title="Setup">
      <Stack gap="sm">
        <List type="ordered" size="sm" spacing={8} pr="md">
          {setup.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        {docs !== null && (
          <Text size="sm">
            <Anchor underline="always" href={docs} target="_blank" rel="noreferrer" size="sm">
              Vendor documentation <ExternalLinkIcon width={12} aria-label="(opens in a new tab)" />
            </Anchor>
          </Text>
        )}
      </Stack>
    </Section>
  )
}
