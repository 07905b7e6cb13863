import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { breakable } from './json/breakable.tsx'

/** Names and values side by side; those without value are left out. */
export function Fields({
  entries,
}: {
  readonly entries: readonly (readonly [name: string, value: ReactNode])[]
}) {
  return (
    <Paper withBorder px="md" py="sm">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 6 }} spacing="md" verticalSpacing="sm" m={0}>
        {entries
          .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="xs" c="dimmed">
                {name}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {typeof value === 'string' ? breakable(value) : value}
              </Text>
            </div>
          ))}
      </SimpleGrid>
    </Paper>
  )
}
