import { useInputsForm } from '../../forms/inputs-form.tsx'
import { FormError, JsonTextarea } from '../../forms/schema-form.tsx'
import { Button, Group, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure, useDebouncedValue } from '@mantine/hooks'
import { useMutation, keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../../session/session.ts'
import { ownerIn } from '../playbook.ts'
import type { ApiDryRun } from './dry-run.ts'
import { apiCall, apiGet } from '../../api/call.ts'
import { trimmedText, useUnsavedInput, useJsonText } from '../../forms/form-state.ts'
import { useOrganization } from '../../api/lookups.ts'
import { apiProblem } from '../../api/problem.ts'
import type { ApiAlert, ApiPage, Validation, PlaybookTriggers } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { DateTime } from '../../parts/times.tsx'

interface DryRunButtonProps {
  /** The text in the editor, saved or not. */
  readonly source: string
  readonly checked: Validation | undefined
  readonly onDone: (taken: {
    readonly answer: ApiDryRun
    readonly about: string
    readonly source: string
  }) => void
}

/** Opens the form for a dry run. */
export function DryRunButton({ source, checked, onDone }: DryRunButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const may = useMay('playbooks:test')
  if (!may) return null
  return (
    <>
      <Button variant="default" disabled={(checked?.name ?? null) === null} onClick={open}>
        Dry run
      </Button>
      <Dialog opened={opened && checked !== undefined} onClose={close} size="lg" title="Dry run">
        {checked !== undefined && (
          <DryRunForm
            source={source}
            checked={checked}
            onDone={(answer, about) => {
              close()
              onDone({ answer, about, source })
            }}
          />
        )}
      </Dialog>
    </>
  )
}

interface DryRunFormProps {
  readonly source: string
  readonly checked: Pick<Validation, 'name' | 'on' | 'inputs'>
  /** @param about the alert or input, for people */
  readonly onDone: (answer: ApiDryRun, about: string) => void
}

/** The alert or inputs of a dry run, and the organization whose connections it reads. */
function DryRunForm(props: DryRunFormProps) {
  const { on } = props.checked
  const form = useDryRunForm(props)
  const { organization, alert, setAlert, content, setContent, from, setFrom, given, event, run } = form
  const trigger = on?.alert ?? null
  const isStored = from === 'stored'
  return (
    <Stack>
      <Text size="sm">
        Read-only skills make real calls over the connections of the organization. Skills that write are not
        called. Nothing is stored: no run, no case, no change to the alert.
      </Text>
      {!organization.isSingle && (
        <Select
          {...organization.field}
          onChange={(code) => {
            organization.field.onChange(code)
            setAlert(null)
          }}
        />
      )}
      {trigger !== null && (
        <SegmentedControl
          aria-label="Alert source"
          data={[
            { value: 'stored', label: 'Past alert' },
            { value: 'pasted', label: 'Pasted content' },
          ]}
          value={from}
          onChange={setFrom}
        />
      )}
      {trigger !== null && isStored && organization.code !== undefined && (
        <AlertChoice organization={organization.code} trigger={trigger} chosen={alert} onChange={setAlert} />
      )}
      {trigger !== null && !isStored && (
        <Textarea
          label="Alert content"
          description={`Treated as an alert of ${trigger.types === null ? 'no type' : `type ${trigger.types[0]}`}`}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
          autosize
          minRows={6}
          maxRows={16}
          ff="monospace"
        />
      )}
      {form.hasEvent && (
        <JsonTextarea
          label="Event (JSON)"
          description="Fields of trigger that differ from an example of the event"
          field={event.field}
        />
      )}
      {given.form}
      {run.isError && <FormError error={run.error} shown={given.shownErrors} />}
      <Group justify="flex-end">
        <Button
          loading={run.isPending}
          disabled={!form.isReady}
          onClick={() => given.read((parsed) => event.read((trigger) => run.mutate({ parsed, trigger })))}
        >
          Start dry run
        </Button>
      </Group>
    </Stack>
  )
}

/** The input and the request. */
function useDryRunForm({ source, checked: { name, on, inputs }, onDone }: DryRunFormProps) {
  const organization = useOrganization(useState<string | null>(ownerIn(source) ?? null))
  const [alert, setAlert] = useState<ChosenAlert | null>(null)
  const [content, setContent, forgetContent] = useUnsavedInput({
    place: `Content for a dry run of ${name}`,
    empty: '',
    textOf: trimmedText,
  })
  const [from, setFrom] = useState(content === '' ? 'stored' : 'pasted')
  const events = useUnsavedInput<string | undefined>({
    place: `Event for a dry run of ${name}`,
    empty: undefined,
    textOf: trimmedText,
  })
  const [, , forgetEvent] = events
  const event = useJsonText(events)
  const hasEvent = on != null && (on.case !== null || on.entity !== null || on.webhook)
  const hasAlert = on?.alert != null
  const isStored = from === 'stored'
  const request = useRef<AbortController>(null)
  // The server stops a dry run whose dialog was closed.
  useEffect(() => () => request.current?.abort(), [])
  const run = useMutation({
    mutationFn: ({ parsed, trigger }: { readonly parsed: unknown; readonly trigger: unknown }) => {
      request.current = new AbortController()
      return apiCall<ApiDryRun>('POST', '/playbooks/dry-run', {
        body: {
          organization_code: organization.code,
          source,
          inputs: parsed,
          ...(hasEvent && !isEmpty(trigger) && { trigger }),
          ...(hasAlert && (isStored ? { alert: alert?.value } : { alert_content: content })),
        },
        signal: request.current.signal,
      })
    },
    onSuccess(answer) {
      forgetContent()
      given.forget()
      forgetEvent()
      onDone(answer, !hasAlert ? 'no alert' : isStored ? (alert?.label ?? '') : 'pasted content')
    },
  })
  const given = useInputsForm({
    place: `Inputs for a dry run of ${name}`,
    schema: inputs,
    error: run.error,
  })
  const isReady =
    organization.code !== undefined && (!hasAlert || (isStored ? alert !== null : content !== ''))
  return {
    organization,
    alert,
    setAlert,
    content,
    setContent,
    from,
    setFrom,
    given,
    event,
    hasEvent,
    run,
    isReady,
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

interface AlertChoiceProps {
  readonly organization: string
  /** The alert trigger of the playbook. */
  readonly trigger: NonNullable<PlaybookTriggers['alert']>
  readonly chosen: ChosenAlert | null
  readonly onChange: (alert: ChosenAlert | null) => void
}

export interface ChosenAlert {
  readonly value: string
  readonly label: string
}

/** An id finds the alert whatever its type. */
const isId = (text: string): boolean => /^\w+-\w+-\d+$|^[\da-f]{8}-[\da-f-]{27}$/i.test(text)

/** A field for a past alert: the newest that match, or a search. */
function AlertChoice({ organization, trigger, chosen, onChange }: AlertChoiceProps) {
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed.trim(), 250)
  const query = {
    organization,
    limit: 20,
    content: 'preview',
    q: words,
    ...(!isId(words) && { type: onlyOf(trigger.types), provider: onlyOf(trigger.providers) }),
  }
  const found = useQuery({
    queryKey: ['alerts to try', query],
    queryFn: ({ signal }) => apiGet<ApiPage<ApiAlert>>('/alerts', query, signal),
    placeholderData: keepPreviousData,
  })
  const alerts = found.data?.data ?? []
  return (
    <Select
      label="Alert"
      description={`The newest${ofType(trigger)}; enter text or an id to find another`}
      placeholder={found.isPending ? 'Loading' : 'Choose an alert'}
      data={alerts.map(({ alert_uuid: uuid, alert_id: id }) => ({ value: uuid, label: id.toUpperCase() }))}
      value={chosen?.value ?? null}
      onChange={(_, option) => onChange(option)}
      error={found.isError && `Search failed: ${apiProblem(found.error).title}`}
      searchable
      onSearchChange={setTyped}
      // The API has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound(found, ofType(trigger))}
      maxDropdownHeight={280}
      renderOption={({ option }) => (
        <AlertLine alert={alerts.find((each) => each.alert_uuid === option.value)} />
      )}
    />
  )
}

/** The API filters by one value. */
const onlyOf = (values: readonly string[] | null): string | undefined =>
  values?.length === 1 ? values[0] : undefined

const ofType = ({ types }: AlertChoiceProps['trigger']): string =>
  types?.length === 1 ? ` of type ${types[0]}` : ''

function nothingFound(
  { isFetching, isError }: { isFetching: boolean; isError: boolean },
  ofTheType: string,
): string {
  if (isFetching) return 'Searching …'
  return isError ? 'Search failed' : `No matching alerts${ofTheType}`
}

function AlertLine({ alert }: { readonly alert: ApiAlert | undefined }) {
  if (alert === undefined) return null
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {alert.alert_id.toUpperCase()}
        </Text>
        <Text size="xs" c="dimmed">
          {alert.alert_type} · <DateTime at={alert.created_at} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" lineClamp={1} className="outside-text">
        {showInvisible(alert.content_preview ?? '')}
      </Text>
    </div>
  )
}
