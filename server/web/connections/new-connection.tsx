import {
  SimpleGrid,
  Stack,
  Text,
  UnstyledButton,
  Button,
  Grid,
  Group,
  Select,
  TextInput,
} from '@mantine/core'
import { Link } from 'wouter'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { TextFilter } from '../lists/filters.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { Empty, PageLoading, Section } from '../parts/layout.tsx'
import { RequirePermission, ViewHead, ViewError } from '../shell/view.tsx'
import './connections.css'
import { usePlugins, SetupSteps } from './connection-parts.tsx'
import { apiCall } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import {
  fieldErrors,
  fieldsOf,
  formObject,
  type FormValues,
  changedFieldsText,
} from '../forms/form-fields.ts'
import { FormError, SchemaForm } from '../forms/schema-form.tsx'
import { useUnsavedInput, useIdempotencyKey, handleSubmit } from '../forms/form-state.ts'
import { useOrganization } from '../api/lookups.ts'
import { useNavigateWhileMounted } from '../parts/hooks.ts'
import type { ApiConnection, ApiPlugin } from '../api/types.ts'

const names = ['plugin', 'q', 'name', 'organization'] as const

/** A choice of plugins, then the form. */
export default function NewConnectionPage() {
  return (
    <RequirePermission permission="connections:write">
      <ChosenPlugin />
    </RequirePermission>
  )
}

function ChosenPlugin() {
  const plugins = usePlugins()
  const { filters, of } = useFilters(names)
  if (plugins.isLoadingError)
    return <ViewError error={plugins.error} onRetry={() => void plugins.refetch()} />
  if (plugins.isPending) return <PageLoading />
  const chosen = plugins.data.find(({ name }) => name === filters.plugin)
  if (chosen?.connection)
    return (
      <ConnectionForm
        key={chosen.name}
        plugin={chosen}
        setup={chosen.connection}
        proposed={{ name: filters.name, organization: filters.organization }}
      />
    )
  const wanted = (filters.q ?? '').toLowerCase()
  const found = plugins.data.filter(({ name, title, description }) =>
    `${name} ${title} ${description}`.toLowerCase().includes(wanted),
  )
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title="New connection" about="Choose a system" />
      <TextFilter label="Search systems" placeholder="Search systems" {...of('q')} />
      {found.length === 0 && <Empty>No matching system</Empty>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {found.map(({ name, title, connection }) => (
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

interface ConnectionFormProps {
  readonly plugin: ApiPlugin
  readonly setup: NonNullable<ApiPlugin['connection']>
  /** By the link that led here. */
  readonly proposed: { readonly name: string | undefined; readonly organization: string | undefined }
}

interface Typed {
  readonly organization: string | null
  /** Undefined: the proposed name. */
  readonly name?: string
  readonly values: FormValues
}

const nothing: Typed = { organization: null, values: {} }

/** The form for a new connection, from the schema of its plugin. */
function ConnectionForm({ plugin, setup, proposed }: ConnectionFormProps) {
  const { fields, name, values, type, organization, make } = useConnectionForm({ plugin, setup, proposed })
  const errors = make.isError ? apiProblem(make.error).errors : undefined
  const atFields = fieldErrors(errors, '/settings')
  const atTop = fieldErrors(
    errors?.filter(({ pointer }) => pointer === '/name' || pointer === '/organization_code'),
    '',
  )
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={`New connection: ${plugin.title}`}
        about={setup.description}
        actions={
          <Button component={Link} href="/connections/new" variant="default" size="xs">
            Choose another system
          </Button>
        }
      />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Settings">
            <form noValidate onSubmit={handleSubmit(() => make.mutate())}>
              <Stack gap="sm">
                <Group grow align="flex-start">
                  <Select
                    {...organization.field}
                    description="Playbooks of this organization can use it."
                    error={organization.field.error ?? atTop.get('organization_code')}
                  />
                  <TextInput
                    label="Name"
                    description="Playbooks use the name to choose between connections."
                    value={name}
                    onChange={(event) => type({ name: event.currentTarget.value })}
                    error={atTop.get('name')}
                    withAsterisk
                  />
                </Group>
                <SchemaForm
                  fields={fields}
                  values={values}
                  withReferences
                  errors={atFields}
                  onChange={(next) => type({ values: next })}
                />
                {make.isError && <FormError error={make.error} shown={atFields.size + atTop.size} />}
                <Group justify="flex-end">
                  <Button type="submit" loading={make.isPending}>
                    Create connection
                  </Button>
                </Group>
              </Stack>
            </form>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <SetupSteps setup={setup} />
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

function useConnectionForm({ plugin, setup, proposed }: ConnectionFormProps) {
  const goOn = useNavigateWhileMounted()
  const queries = useQueryClient()
  const fields = useMemo(() => fieldsOf(setup.settings), [setup])
  const [typed, setTyped, forget] = useUnsavedInput<Typed>({
    place: `New connection to ${plugin.title}`,
    empty: nothing,
    textOf: useCallback(
      (now: Typed) =>
        [now.name === undefined ? '' : `Name: ${now.name}`, changedFieldsText(fields, now.values)]
          .join('\n')
          .trim(),
      [fields],
    ),
  })
  const { values, name = proposed.name ?? plugin.name.replaceAll('_', '-') } = typed
  const type = (next: Partial<Typed>): void => setTyped((now) => ({ ...now, ...next }))
  // A wrong guess would give secrets to another organization.
  const organization = useOrganization([
    typed.organization ?? proposed.organization ?? null,
    (code) => type({ organization: code }),
  ])
  const once = useIdempotencyKey()
  const make = useMutation({
    mutationFn() {
      const body = {
        organization_code: organization.code,
        name: name.trim(),
        plugin: plugin.name,
        settings: formObject(fields, values),
      }
      return apiCall<ApiConnection>('POST', '/connections', { body, headers: once.headersFor(body) })
    },
    onSuccess({ connection_uuid: id }) {
      forget()
      void queries.resetQueries({ queryKey: ['list', '/connections'] })
      goOn(`/connections/${id}?new=yes`)
    },
  })
  return { fields, name, values, type, organization, make }
}
