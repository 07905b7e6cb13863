import { Alert, Grid, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useParams } from 'wouter'
import { callTagged, type Tagged } from '../api/call.ts'
import { useFilters } from '../lists/filters/use-filters.ts'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { useMay } from '../session/session.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import { ViewRefusal } from '../shell/view/view-refusal.tsx'
import { Authenticate } from './authenticate.tsx'
import { ConnectionActions } from './connection-actions.tsx'
import { ConnectionSettings } from './connection-settings.tsx'
import { ConnectionState } from './connection-state.tsx'
import { ageText, type Connection, type Plugin } from './connection.ts'
import { Manifest } from './manifest.tsx'
import { SetupSteps } from './setup-steps.tsx'
import { usePlugins } from './use-plugins.ts'

const names = ['new'] as const

/** One connection: whether it works, how it is set up, and how the other system is. */
export default function ConnectionPage() {
  const { id } = useParams<{ id: string }>()
  const path = `/connections/${encodeURIComponent(id)}`
  const plugins = usePlugins()
  const queries = useQueryClient()
  const queryKey = ['connection', id]
  const found = useQuery({
    queryKey,
    queryFn: () => callTagged<Connection>('GET', path),
  })
  if (found.isLoadingError) return <ViewRefusal error={found.error} onRetry={() => void found.refetch()} />
  if (plugins.isLoadingError)
    return <ViewRefusal error={plugins.error} onRetry={() => void plugins.refetch()} />
  if (found.isPending || plugins.isPending) return <PageLoading />
  const plugin = plugins.data.find(({ name }) => name === found.data.data.plugin)
  return (
    <ConnectionView
      found={found.data}
      plugin={plugin}
      path={path}
      onDone={() => void found.refetch()}
      onSaved={(saved) => {
        // An answer under way is older.
        void queries.cancelQueries({ queryKey })
        queries.setQueryData(queryKey, saved)
      }}
    />
  )
}

interface ConnectionViewProps {
  readonly found: Tagged<Connection>
  readonly plugin: Plugin | undefined
  readonly path: string
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<Connection>) => void
}

function ConnectionView({ found: { data, etag }, plugin, path, onDone, onSaved }: ConnectionViewProps) {
  const { filters, set } = useFilters(names)
  const [isNew] = useState(filters.new !== undefined)
  useEffect(() => {
    // Whoever loads the page again asks for nothing.
    if (isNew) set('new', null)
  }, [isNew, set])
  /** What was found of other settings says nothing of these. */
  const [saves, setSaves] = useState(0)
  const [isEdited, setEdited] = useState(false)
  const mayEdit = useMay('admin')
  const setup = plugin?.connection ?? undefined
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={data.name}
        states={<ConnectionState connection={data} />}
        about={aboutOf(data, plugin)}
        actions={mayEdit && <ConnectionActions connection={data} path={path} etag={etag} onDone={onDone} />}
      />
      <Remarks connection={data} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, md: 7 }}>
          {setup && (
            <ConnectionSettings
              connection={data}
              setup={setup}
              path={path}
              etag={etag}
              mayEdit={mayEdit}
              onEdited={setEdited}
              onDone={onDone}
              onSaved={(saved) => {
                onSaved(saved)
                setSaves((count) => count + 1)
              }}
            />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="var(--tocsin-gap)">
            {mayEdit && (
              <Authenticate
                key={saves}
                path={path}
                isAtOnce={isNew && saves === 0}
                isEdited={isEdited}
                onDone={onDone}
              />
            )}
            {mayEdit && setup?.has_manifest === true && <Manifest path={path} docs={setup.docs} />}
            {mayEdit && setup && <SetupSteps setup={setup} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

function aboutOf(data: Connection, plugin: Plugin | undefined): string {
  const { credential_age_days: days } = data
  const age = days === null ? [] : [`credentials ${ageText(days)}`]
  return [plugin?.title ?? data.plugin, data.organization_code, ...age].join(' · ')
}

/** What makes a connection unusable, or soon will. */
function Remarks({ connection: { broken, warnings } }: { readonly connection: Connection }) {
  return (
    <>
      {broken !== null && (
        <Alert color="red" title="Broken">
          <Text size="sm">{showInvisible(broken.reason)}</Text>
        </Alert>
      )}
      {warnings.map(({ reason }) => (
        <Alert key={reason} color="orange">
          <Text size="sm">{showInvisible(reason)}</Text>
        </Alert>
      ))}
    </>
  )
}
