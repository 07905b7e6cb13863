import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { apiCall } from '../api/call.ts'
import { useOrganization } from '../api/lookups.ts'
import { apiProblem } from '../api/problem.ts'
import type { ApiRun, ApiSkillDetail } from '../api/types.ts'
import { valuesOf } from '../connections/connection.ts'
import {
  changedFieldsText,
  fieldErrors,
  fieldsOf,
  formObject,
  type FormSchema,
  type FormValues,
} from '../forms/form-fields.ts'
import { handleSubmit, useIdempotencyKey, useUnsavedInput } from '../forms/form-state.ts'
import { FormError, SchemaForm } from '../forms/schema-form.tsx'
import { ConfirmDialog } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { useMay } from '../session/session.ts'
import { useConnectionsOf } from './catalogue-parts.tsx'
import { TrialResult } from './trial-result.tsx'

/** Calls the skill once, with input from a form. */
export function TrySkill({ skill }: { readonly skill: ApiSkillDetail }) {
  const isAdmin = useMay('playbooks:write')
  const isOperator = useMay('runs:write')
  const reason = refusalText(skill, isAdmin, isOperator)
  return (
    <Section title="Try it">
      {reason === undefined ? <Form skill={skill} /> : <Text size="sm">{reason}</Text>}
    </Section>
  )
}

/** Why the skill cannot be tried. The API decides. */
function refusalText({ asks, effect }: ApiSkillDetail, isAdmin: boolean, isOperator: boolean) {
  if (asks) return 'This skill asks a person. Call it from a checkpoint of a playbook.'
  if (effect === 'write' && !isAdmin) return 'Only administrators can try skills that write.'
  return isOperator ? undefined : 'Only analysts and administrators can try skills.'
}

interface Typed {
  readonly organization: string | null
  readonly connection: string | null
  readonly values: FormValues
  /** It has been sent since the last change, so that leaving loses nothing. */
  readonly isSent: boolean
}

const nothing: Typed = { organization: null, connection: null, values: {}, isSent: false }

function Form({ skill }: { readonly skill: ApiSkillDetail }) {
  const form = useTrial(skill)
  const { fields, values, type, organization, connection, start } = form
  const [isAsking, setAsking] = useState(false)
  const errors = start.isError ? apiProblem(start.error).errors : undefined
  const atFields = fieldErrors(errors, '/input')
  const atTop = fieldErrors(
    errors?.filter(({ pointer }) => pointer === '/connection' || pointer === '/organization_code'),
    '',
  )
  const [example] = skill.examples
  const begin = (): void => (skill.effect === 'read' ? start.mutate() : setAsking(true))
  return (
    <Stack gap="sm">
      <form noValidate onSubmit={handleSubmit(begin)}>
        <Stack gap="sm">
          {(!organization.isSingle || connection.isUsed) && (
            <Group grow align="flex-start">
              {!organization.isSingle && (
                <Select
                  {...organization.field}
                  error={organization.field.error ?? atTop.get('organization_code')}
                />
              )}
              {connection.isUsed && (
                <Select
                  label="Connection"
                  placeholder={connection.placeholder}
                  data={[...connection.names]}
                  value={connection.name}
                  onChange={(name) => type({ connection: name })}
                  error={atTop.get('connection')}
                  withAsterisk={skill.needs_connection}
                  clearable={!skill.needs_connection}
                  allowDeselect={false}
                />
              )}
            </Group>
          )}
          <SchemaForm
            fields={fields}
            values={values}
            errors={atFields}
            onChange={(next) => type({ values: next })}
          />
          {start.isError && <FormError error={start.error} shown={atFields.size + atTop.size} />}
          <Group justify="flex-end">
            {example !== undefined && fields.length > 0 && (
              <Button variant="default" onClick={() => type({ values: valuesOf(inputOf(example.input)) })}>
                Fill in example
              </Button>
            )}
            <Button type="submit" loading={start.isPending} disabled={!form.isReady}>
              {skill.effect === 'read' ? 'Try it' : 'Try it …'}
            </Button>
          </Group>
        </Stack>
      </form>
      <Confirmation
        skill={skill}
        over={connection.name}
        organization={organization.code}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          start.mutate()
        }}
      />
      {start.isSuccess && <TrialResult key={start.data.run_uuid} id={start.data.run_uuid} skill={skill} />}
    </Stack>
  )
}

const inputOf = (input: unknown) =>
  (typeof input === 'object' && input !== null ? input : {}) as Readonly<Record<string, unknown>>

interface ConfirmationProps {
  readonly skill: ApiSkillDetail
  readonly over: string | null
  readonly organization: string | undefined
  readonly opened: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Names the connection and the effect before a change. */
function Confirmation({ skill, over, organization, ...dialog }: ConfirmationProps) {
  const { title, plugin_title: vendor, destructive } = skill
  return (
    <ConfirmDialog {...dialog} title={`${title}?`} action="Make the change" color="red">
      <Text size="sm">
        This is not a dry run: the skill makes a change ({destructive ?? 'write'}) in {vendor}
        {over !== null && (
          <>
            {' '}
            over the connection <b className="outside-text">{over}</b>
          </>
        )}
        {organization !== undefined && `, for the organization ${organization}`}.
      </Text>
      {destructive !== null && (
        <Text size="sm">
          The call counts against the hourly limit for “{destructive}”. Beyond the limit, it waits for the
          approval of someone else.
        </Text>
      )}
    </ConfirmDialog>
  )
}

/** The input and the request. */
function useTrial(skill: ApiSkillDetail) {
  const { name, plugin, effect, destructive } = skill
  const fields = useMemo(() => fieldsOf(skill.input as FormSchema), [skill])
  const [typed, setTyped] = useUnsavedInput<Typed>({
    place: `Input to try ${name}`,
    empty: nothing,
    textOf: useCallback((now: Typed) => (now.isSent ? '' : changedFieldsText(fields, now.values)), [fields]),
  })
  const type = (next: Partial<Typed>): void => setTyped((now) => ({ ...now, isSent: false, ...next }))
  const all = useConnectionsOf(plugin).data ?? []
  const owners = new Set(all.map(({ organization_code: code }) => code))
  const [onlyOwner = null] = skill.needs_connection && owners.size === 1 ? owners : []
  const organization = useOrganization([
    typed.organization ?? onlyOwner,
    (code) => type({ organization: code, connection: null }),
  ])
  const own = all.filter(({ organization_code: code }) => code === organization.code)
  const names = own.map((one) => one.name)
  const only = skill.needs_connection && names.length === 1 ? names[0]! : null
  const connection = {
    isUsed: skill.needs_connection || names.length > 0,
    placeholder:
      organization.code === undefined
        ? 'Choose an organization first'
        : names.length === 0
          ? 'No connection yet'
          : 'Choose one',
    names,
    name: typed.connection ?? only,
  }
  const once = useIdempotencyKey()
  const start = useMutation({
    mutationFn() {
      const body = {
        organization_code: organization.code,
        input: formObject(fields, typed.values),
        ...(connection.name !== null && { connection: connection.name }),
        ...(effect === 'write' && { confirm: destructive ?? 'write' }),
      }
      const headers = once.headersFor(body)
      return apiCall<ApiRun>('POST', `/skills/${encodeURIComponent(name)}/runs`, { body, headers })
    },
    onSuccess() {
      once.done()
      type({ isSent: true })
    },
  })
  const isReady = organization.code !== undefined && (!skill.needs_connection || connection.name !== null)
  return { fields, values: typed.values, type, organization, connection, start, isReady }
}
