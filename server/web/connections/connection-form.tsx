import { Button, Grid, Group, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { Link } from 'wouter'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import { fieldErrors, fieldsOf, valueOf, type FormValues } from '../forms/form-fields.ts'
import { FormRefusal } from '../forms/form-refusal.tsx'
import { SchemaForm } from '../forms/schema-form.tsx'
import { typedFields } from '../forms/typed-fields.ts'
import { useTyped } from '../forms/typed.ts'
import { useOnce } from '../forms/use-once.ts'
import { useOrganization } from '../forms/use-organization.ts'
import { Section } from '../parts/section.tsx'
import { useGoOn } from '../parts/use-go-on.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import type { Connection, Plugin } from './connection.ts'
import { SetupSteps } from './setup-steps.tsx'

interface ConnectionFormProps {
  readonly plugin: Plugin
  readonly setup: NonNullable<Plugin['connection']>
}

interface Typed {
  readonly organization: string | null
  /** Undefined: as it is proposed. */
  readonly name?: string
  readonly values: FormValues
}

const nothing: Typed = { organization: null, values: {} }

/** What a new connection needs, as its plugin describes it; what was made is authenticated at once. */
export function ConnectionForm({ plugin, setup }: ConnectionFormProps) {
  const goOn = useGoOn()
  const queries = useQueryClient()
  const fields = useMemo(() => fieldsOf(setup.settings), [setup])
  const [typed, setTyped, forget] = useTyped<Typed>({
    place: `New connection to ${plugin.title}`,
    empty: nothing,
    textOf: useCallback(
      (now: Typed) =>
        [now.name === undefined ? '' : `Name: ${now.name}`, typedFields(fields, now.values)]
          .join('\n')
          .trim(),
      [fields],
    ),
  })
  const { values, name = plugin.name.replaceAll('_', '-') } = typed
  const type = (next: Partial<Typed>): void => setTyped((now) => ({ ...now, ...next }))
  // A guess could give secrets to the wrong one.
  const organization = useOrganization([typed.organization, (code) => type({ organization: code })])
  const once = useOnce()
  const make = useMutation({
    mutationFn() {
      const body = {
        organization_code: organization.code,
        name: name.trim(),
        plugin: plugin.name,
        settings: valueOf(fields, values),
      }
      return call<Connection>('POST', '/connections', { body, headers: once.headersFor(body) })
    },
    onSuccess({ connection_uuid: id }) {
      forget()
      void queries.resetQueries({ queryKey: ['list', '/connections'] })
      goOn(`/connections/${id}?new=yes`)
    },
  })
  const errors = make.isError ? problemOf(make.error).errors : undefined
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
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                make.mutate()
              }}
            >
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
                  errors={atFields}
                  onChange={(next) => type({ values: next })}
                />
                {make.isError && <FormRefusal error={make.error} shown={atFields.size + atTop.size} />}
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
