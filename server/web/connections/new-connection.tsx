import { SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import { Link } from 'wouter'
import { useFilters } from '../lists/filters/use-filters.ts'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { Allowed } from '../shell/allowed.tsx'
import { ViewHead } from '../shell/view/view-head.tsx'
import { ViewRefusal } from '../shell/view/view-refusal.tsx'
import './connections.css'
import { ConnectionForm } from './connection-form.tsx'
import { usePlugins } from './use-plugins.ts'

const names = ['plugin'] as const

/** Leads from the choice of a system to a connection to it. */
export default function NewConnection() {
  return (
    <Allowed roles={['admin']}>
      <ChosenPlugin />
    </Allowed>
  )
}

function ChosenPlugin() {
  const plugins = usePlugins()
  const { filters } = useFilters(names)
  if (plugins.isLoadingError)
    return <ViewRefusal error={plugins.error} onRetry={() => void plugins.refetch()} />
  if (plugins.isPending) return <PageLoading />
  const chosen = plugins.data.find(({ name }) => name === filters.plugin)
  if (chosen?.connection)
    return <ConnectionForm key={chosen.name} plugin={chosen} setup={chosen.connection} />
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title="New connection" about="Choose a system" />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {plugins.data.map(({ name, title, connection }) => (
          <UnstyledButton
            key={name}
            component={Link}
            href={`/connections/new?plugin=${encodeURIComponent(name)}`}
            className="plugin-card"
          >
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
