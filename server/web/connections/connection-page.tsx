import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { callTagged } from '../api/call.ts'
import { Fields } from '../parts/fields.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { showInvisible } from '../parts/show-invisible.ts'
import { useMay } from '../session/session.ts'
import { ViewTitle } from '../shell/view-title.tsx'
import { Authenticate } from './authenticate.tsx'
import { ConnectionActions } from './connection-actions.tsx'
import { ConnectionSettings } from './connection-settings.tsx'
import { ConnectionState } from './connection-state.tsx'
import type { Connection } from './connection.ts'
import { Manifest } from './manifest.tsx'
import { usePlugins } from './use-plugins.ts'

/** One connection: whether it works, how it is set up, and how the other system is. */
export default function ConnectionPage() {
  const { id } = useParams<{ id: string }>()
  const path = `/connections/${encodeURIComponent(id)}`
  const mayEdit = useMay('admin')
  const plugins = usePlugins()
  const found = useQuery({
    queryKey: ['connection', id],
    queryFn: () => callTagged<Connection>('GET', path),
  })
  if (found.isPending || plugins === undefined) return <Loader aria-label="Loading" />
  if (found.isError) return <Refusal error={found.error} onRetry={() => void found.refetch()} />
  const { data, etag } = found.data
  const plugin = plugins.find(({ name }) => name === data.plugin)
  const refresh = (): void => void found.refetch()
  return (
    <Stack maw={820}>
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>{data.name}</ViewTitle>
          <ConnectionState connection={data} />
        </Group>
        {mayEdit && <ConnectionActions connection={data} path={path} etag={etag} onDone={refresh} />}
      </Group>
      <Fields
        entries={[
          ['Organization', data.organization_code],
          ['Plugin', plugin?.title ?? data.plugin],
          ['Credentials', data.credential_age_days !== null && `${data.credential_age_days} days old`],
        ]}
      />
      {data.broken !== null && (
        <Alert color="red" variant="light" title="It cannot be used any more">
          <Text size="sm">{showInvisible(data.broken.reason)}</Text>
        </Alert>
      )}
      {data.warnings.map(({ reason }) => (
        <Alert key={reason} color="orange" variant="light">
          <Text size="sm">{showInvisible(reason)}</Text>
        </Alert>
      ))}
      {mayEdit && <Authenticate path={path} onDone={refresh} />}
      {mayEdit && plugin?.connection?.has_manifest === true && (
        <Manifest path={path} docs={plugin.connection.docs} />
      )}
      {plugin?.connection && (
        <ConnectionSettings
          key={etag}
          connection={data}
          setup={plugin.connection}
          path={path}
          etag={etag}
          mayEdit={mayEdit}
          onDone={refresh}
        />
      )}
    </Stack>
  )
}
