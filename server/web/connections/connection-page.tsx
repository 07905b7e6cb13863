import { Alert, Grid, Stack, Text, Button, Group } from '@mantine/core'
import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query'
import { useEffect, useState, useRef } from 'react'
import { useParams } from 'wouter'
import { apiCallTagged, type Tagged, apiCall } from '../api/call.ts'
import { useFilters } from '../lists/use-filters.ts'
import { PageLoading, Section, TextLink } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { useMay } from '../session/session.ts'
import { ViewHead, ViewError } from '../shell/view.tsx'
import { ConnectionSettings } from './connection-settings.tsx'
import { ConnectionState, SetupSteps, usePlugins } from './connection-parts.tsx'
import { ageText } from './connection.ts'
import { VendorSignIn } from './vendor-sign-in.tsx'
import type { ApiConnection, ApiPlugin } from '../api/types.ts'
import { Manifest } from './manifest.tsx'
import { ErrorAlert, ConfirmButton } from '../parts/feedback.tsx'
import { useNavigateWhileMounted } from '../parts/hooks.ts'

const names = ['new'] as const

/** One connection: its state, its settings, and a test. */
export default function ConnectionPage() {
  const { id } = useParams<{ id: string }>()
  const path = `/connections/${encodeURIComponent(id)}`
  const plugins = usePlugins()
  const queries = useQueryClient()
  const queryKey = ['connection', id]
  const found = useQuery({
    queryKey,
    queryFn: () => apiCallTagged<ApiConnection>('GET', path),
  })
  if (found.isLoadingError) return <ViewError error={found.error} onRetry={() => void found.refetch()} />
  if (plugins.isLoadingError)
    return <ViewError error={plugins.error} onRetry={() => void plugins.refetch()} />
  if (found.isPending || plugins.isPending) return <PageLoading />
  const plugin = plugins.data.find(({ name }) => name === found.data.data.plugin)
  return (
    <ConnectionView
      found={found.data}
      plugin={plugin}
      path={path}
      onDone={() => void found.refetch()}
      onSaved={(saved) => {
        // A request that is still running would return older data.
        void queries.cancelQueries({ queryKey })
        queries.setQueryData(queryKey, saved)
      }}
    />
  )
}

interface ConnectionViewProps {
  readonly found: Tagged<ApiConnection>
  readonly plugin: ApiPlugin | undefined
  readonly path: string
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<ApiConnection>) => void
}

function ConnectionView({ found: { data, etag }, plugin, path, onDone, onSaved }: ConnectionViewProps) {
  const { filters, set } = useFilters(names)
  const [isNew] = useState(filters.new !== undefined)
  useEffect(() => {
    // Reloading the page does not test again.
    if (isNew) set('new', null)
  }, [isNew, set])
  /** Remounts the test after a save, because its result is outdated. */
  const [saves, setSaves] = useState(0)
  const [isEdited, setEdited] = useState(false)
  const mayEdit = useMay('connections:write')
  const setup = plugin?.connection ?? undefined
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={data.name}
        states={<ConnectionState connection={data} />}
        about={<About connection={data} plugin={plugin} />}
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
            {data.sign_in !== null && (
              <VendorSignIn
                signIn={data.sign_in}
                vendor={plugin?.title ?? data.plugin}
                path={path}
                mayEdit={mayEdit}
                isEdited={isEdited}
                onDone={onDone}
              />
            )}
            {mayEdit && (data.sign_in?.needed ?? null) === null && (
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

function About({
  connection,
  plugin,
}: Pick<ConnectionViewProps, 'plugin'> & { readonly connection: ApiConnection }) {
  const { credential_age_days: days, organization_code: code } = connection
  const age = days === null ? [] : [`credentials ${ageText(days)}`]
  return (
    <>
      {plugin === undefined ? (
        connection.plugin
      ) : (
        <TextLink href={`/catalogue/plugins/${plugin.name}`}>{plugin.title}</TextLink>
      )}
      {['', code, ...age].join(' · ')}
    </>
  )
}

/** Errors and warnings of a connection. */
function Remarks({ connection: { broken, warnings } }: { readonly connection: ApiConnection }) {
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

interface AuthenticateProps {
  readonly path: string
  /** The connection is new: test it automatically. */
  readonly isAtOnce: boolean
  /** The form has unsaved changes. Tests use the saved settings. */
  readonly isEdited: boolean
  readonly onDone: () => void
}

/** Tests the credentials with the other system. */
function Authenticate({ path, isAtOnce, isEdited, onDone }: AuthenticateProps) {
  const { mutate, isPending, isError, isSuccess, error, data } = useMutation({
    mutationFn: () =>
      apiCall<{ readonly account?: string; readonly warning: string | null }>('POST', `${path}/authenticate`),
    onSettled: onDone,
  })
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!isAtOnce || hasBegun.current) return
    hasBegun.current = true
    mutate()
  }, [isAtOnce, mutate])
  return (
    <Section
      title="Connection test"
      actions={
        <Button size="xs" loading={isPending} disabled={isEdited} onClick={() => mutate()}>
          Test connection
        </Button>
      }
    >
      <Stack gap="xs" aria-live="polite">
        {isEdited && <Text size="sm">Save the settings before you test them.</Text>}
        {!isEdited && !isError && !isSuccess && (
          <Text size="sm" c="dimmed">
            {isPending ? 'Testing …' : 'Checks the credentials with the other system.'}
          </Text>
        )}
        {isError && <ErrorAlert error={error} />}
        {isSuccess && !isEdited && (
          <Alert color={data.warning === null ? 'green' : 'orange'} title="Connection works">
            {data.account !== undefined && <Text size="sm">The credentials belong to {data.account}.</Text>}
            {data.warning !== null && <Text size="sm">{data.warning}</Text>}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

interface ConnectionActionsProps {
  readonly connection: ApiConnection
  readonly path: string
  readonly etag: string | null
  readonly onDone: () => void
}

/** Buttons to turn a connection on and off, and to delete it. */
function ConnectionActions({ connection, path, etag, onDone }: ConnectionActionsProps) {
  const queries = useQueryClient()
  const goOn = useNavigateWhileMounted()
  const headers = { 'if-match': etag ?? '*' }
  const turn = useMutation({
    mutationFn: () => apiCall('PATCH', path, { body: { enabled: !connection.enabled }, headers }),
    onSettled: onDone,
  })
  const remove = useMutation({
    mutationFn: () => apiCall('DELETE', path, { headers }),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/connections'] })
      goOn('/connections')
    },
  })
  return (
    <Group gap="xs">
      {turn.isError && <ErrorAlert error={turn.error} />}
      <Button size="xs" variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
        {connection.enabled ? 'Turn off' : 'Turn on'}
      </Button>
      <ConfirmButton
        text="Delete"
        look={{ c: 'red' }}
        title="Delete connection"
        action="Delete"
        mutation={remove}
      >
        <Text size="sm">
          “{connection.name}” and its secrets will be deleted. Steps that need it will fail.
        </Text>
      </ConfirmButton>
    </Group>
  )
}
