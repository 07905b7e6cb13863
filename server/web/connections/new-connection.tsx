import { Loader, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import { useFilters } from '../lists/use-filters.ts'
import { ViewTitle } from '../shell/view-title.tsx'
import './connections.css'
import { ConnectionForm } from './connection-form.tsx'
import { usePlugins } from './use-plugins.ts'

const names = ['plugin'] as const

/** Leads from the choice of a system to a connection to it. */
export default function NewConnection() {
  const plugins = usePlugins()
  const { filters, set } = useFilters(names)
  if (plugins === undefined) return <Loader aria-label="Loading" />
  const chosen = plugins.find(({ name }) => name === filters.plugin)
  if (chosen !== undefined) return <ConnectionForm plugin={chosen} onBack={() => set('plugin', null)} />
  return (
    <Stack>
      <ViewTitle>New connection</ViewTitle>
      <Text size="sm">Which system is it to?</Text>
      <SimpleGrid cols={{ base: 1, md: 2, lg: 3 }}>
        {plugins.map(({ name, title, connection }) => (
          <UnstyledButton key={name} className="plugin-card" onClick={() => set('plugin', name)}>
            <Text fw={600}>{title}</Text>
            <Text size="sm" c="dimmed">
              {connection?.description}
            </Text>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
