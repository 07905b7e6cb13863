import { Button, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { apiCall } from '../../api/call.ts'
import { useOrganization } from '../../api/lookups.ts'
import type { ApiManualPlaybook, ApiRun } from '../../api/types.ts'
import { fieldsOf, type FormSchema } from '../../forms/form-fields.ts'
import { useIdempotencyKey } from '../../forms/form-state.ts'
import { useInputsForm } from '../../forms/inputs-form.tsx'
import { FormError } from '../../forms/schema-form.tsx'
import { useNavigateWhileMounted } from '../../parts/hooks.ts'
import { showInvisible } from '../../parts/outside-text.ts'
import { notPrefilledText, prefilled, type RunSubject } from './prefill.ts'

export interface RunAbout extends RunSubject {
  /** Code of the organization; undefined: a person chooses. */
  readonly organization?: string
}

interface RunFormProps {
  readonly playbook: ApiManualPlaybook
  readonly about: RunAbout
}

/** The inputs of a playbook, and the button that starts a run with them. */
export function RunForm({ playbook, about }: RunFormProps) {
  const { name, description, inputs, organization_code: owner } = playbook
  const schema = inputs as FormSchema
  const goOn = useNavigateWhileMounted()
  const organization = useOrganization(useState<string | null>(about.organization ?? owner))
  const fields = useMemo(() => fieldsOf(schema), [schema])
  const initial = useMemo(() => prefilled(fields, about), [fields, about])
  const notPrefilled = notPrefilledText(fields, about, initial)
  const once = useIdempotencyKey()
  const start = useMutation({
    mutationFn(given: unknown) {
      const body = {
        organization_code: organization.code,
        inputs: given,
        ...(typeof about.caseId === 'string' && { case_id: about.caseId }),
      }
      const headers = once.headersFor(body)
      return apiCall<ApiRun>('POST', `/playbooks/${encodeURIComponent(name)}/runs`, { body, headers })
    },
    onSuccess({ run_uuid: uuid }) {
      once.done()
      asked.forget()
      goOn(`/runs/${uuid}`)
    },
  })
  const asked = useInputsForm({
    place: `Inputs for ${name}${subjectText(about)}`,
    schema,
    initial,
    error: start.error,
  })
  return (
    <Stack>
      {description !== '' && (
        <Text size="sm" c="dimmed" className="outside-text">
          {showInvisible(description)}
        </Text>
      )}
      {about.organization === undefined && owner === null && <Select {...organization.field} />}
      {notPrefilled !== undefined && (
        <Text size="sm" c="dimmed">
          {notPrefilled}
        </Text>
      )}
      {asked.form}
      {typeof about.caseId === 'string' && (
        <Text size="sm" c="dimmed">
          The run is added to case {about.caseId.toUpperCase()}.
        </Text>
      )}
      {start.isError && <FormError error={start.error} shown={asked.shownErrors} />}
      <Button
        loading={start.isPending}
        disabled={organization.code === undefined}
        onClick={() => asked.read((given) => start.mutate(given))}
      >
        Run
      </Button>
    </Stack>
  )
}

/** So that inputs typed for one subject do not appear at another. */
function subjectText({ caseId, alertId, observables = [] }: RunAbout): string {
  const [only] = observables
  const subject = alertId ?? caseId ?? (only && `${only.kind} ${only.value}`)
  return subject === undefined ? '' : ` about ${subject}`
}
