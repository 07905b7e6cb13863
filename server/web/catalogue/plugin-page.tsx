import { Button, Grid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { apiAll, apiGet } from '../api/call.ts'
import type { ApiConnection, ApiPlugin, ApiSkill } from '../api/types.ts'
import { ConnectionState, SetupSteps } from '../connections/connection-parts.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { FieldGrid, PageLoading, TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { useMay } from '../session/session.ts'
import { ViewError, ViewHead } from '../shell/view.tsx'
import { EffectBadge, languageText, useConnectionsOf } from './catalogue-parts.tsx'

/** One plugin: its skills, its connections and their set-up. */
export default function PluginPage() {
  const { id } = useParams<{ id: string }>()
  const plugin = useQuery({
    queryKey: ['plugin', id],
    queryFn: () => apiGet<ApiPlugin>(`/plugins/${encodeURIComponent(id)}`),
    staleTime: Infinity,
  })
  if (plugin.isPending) return <PageLoading />
  if (plugin.isLoadingError) return <ViewError error={plugin.error} onRetry={() => void plugin.refetch()} />
  return <PluginView plugin={plugin.data} />
}

function PluginView({ plugin }: { readonly plugin: ApiPlugin }) {
  const { name, title, description, kind, source, connection } = plugin
  const mayMake = useMay('connections:write')
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={title}
        about={description}
        actions={
          mayMake &&
          connection !== null && (
            <Button component={Link} href={`/connections/new?plugin=${encodeURIComponent(name)}`} size="xs">
              New connection
            </Button>
          )
        }
      />
      <FieldGrid
        entries={[
          ['Name in playbooks', name],
          ['Written in', languageText(kind)],
          ['Source', source],
        ]}
      />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, md: connection === null ? 12 : 7 }}>
          <Skills plugin={name} />
        </Grid.Col>
        {connection !== null && (
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack gap="var(--tocsin-gap)">
              <Connections plugin={name} />
              <SetupSteps setup={connection} />
            </Stack>
          </Grid.Col>
        )}
      </Grid>
    </Stack>
  )
}

const skillColumns: readonly SmallColumn<ApiSkill>[] = [
  {
    title: 'Skill',
    cell: ({ name, title, description }) => (
      <>
        <TextLink href={`/catalogue/skills/${name}`} isStrong>
          {title}
        </TextLink>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      </>
    ),
  },
  { title: 'Effect', isNarrow: true, cell: (skill) => <EffectBadge skill={skill} /> },
]

function Skills({ plugin }: { readonly plugin: string }) {
  const skills = useQuery({
    queryKey: ['skills of', plugin],
    queryFn: () => apiAll<ApiSkill>('/skills', { plugin }),
    staleTime: Infinity,
  })
  if (skills.isError) return <ErrorAlert error={skills.error} onRetry={() => void skills.refetch()} />
  return (
    <SmallTable
      title="Skills"
      {...(skills.isSuccess && { count: skills.data.length })}
      columns={skillColumns}
      rows={skills.data ?? []}
      idOf={({ name }) => name}
      empty={skills.isPending ? 'Loading' : 'This plugin has no skills'}
    />
  )
}

const connectionColumns: readonly SmallColumn<ApiConnection>[] = [
  {
    title: 'Name',
    cell: ({ connection_uuid: id, name }) => <TextLink href={`/connections/${id}`}>{name}</TextLink>,
  },
  { title: 'Organization', cell: ({ organization_code: code }) => code },
  { title: 'State', isNarrow: true, cell: (connection) => <ConnectionState connection={connection} /> },
]

function Connections({ plugin }: { readonly plugin: string }) {
  const connections = useConnectionsOf(plugin)
  if (connections.isError)
    return <ErrorAlert error={connections.error} onRetry={() => void connections.refetch()} />
  return (
    <SmallTable
      title="Connections"
      columns={connectionColumns}
      rows={connections.data ?? []}
      idOf={({ connection_uuid: id }) => id}
      empty={connections.isPending ? 'Loading' : 'No connection yet'}
    />
  )
}
