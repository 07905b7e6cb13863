import { Alert, List, Stack, Text, Anchor, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import { showInvisible } from '../parts/outside-text.ts'
import {
  effectsOfMany,
  refusalsOfMany,
  retriesOf,
  runsToRetry,
  type ManyPreview,
  type ManyRetries,
  type RetryChoice,
  repeatText,
  type EffectOfMany,
} from './retries.ts'
import { RetryModal, type VersionChoice } from './retry-dialog.tsx'
import { JsonView } from '../parts/text-view.tsx'

interface RetryManyProps {
  readonly choice: RetryChoice
  readonly opened: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Previews retries of many runs and confirms them. */
export function RetryMany({ choice, opened, onClose, onDone }: RetryManyProps) {
  const queries = useQueryClient()
  const [playbook, setPlaybook] = useState<VersionChoice>('same')
  const body = { ...choice, playbook }
  const preview = useQuery({
    queryKey: ['retries', body],
    queryFn: () => apiCall<ManyPreview>('POST', '/runs/retry/preview', { body }),
    enabled: opened,
    staleTime: 0,
    gcTime: 0,
  })
  const retry = useMutation({
    mutationFn: (seen: ManyPreview) =>
      apiCall<ManyRetries>('POST', '/runs/retry', { body: { ...retriesOf(seen), playbook } }),
    onSuccess({ data }) {
      const done = data.filter((each) => each.retry_uuid !== null).length
      const [refusal] = refusalsOfMany(data)
      notifications.show({
        color: done === data.length ? 'green' : 'orange',
        title: `Retried ${done} of ${data.length} runs`,
        message: [refusal, left > 0 && `${left} more match: retry again to include them.`]
          .filter(Boolean)
          .join(' '),
      })
      void queries.invalidateQueries({ queryKey: ['list', '/runs'] })
      onDone()
    },
  })
  const runs = preview.data === undefined ? [] : runsToRetry(preview.data)
  const possible = runs.length
  const left = preview.data?.left ?? 0
  return (
    <RetryModal
      title="Retry each from its failed step"
      versionLabel="Playbook version"
      version={playbook}
      onVersion={setPlaybook}
      preview={preview}
      retry={retry}
      action={`Retry ${possible} ${possible === 1 ? 'run' : 'runs'}`}
      isPossible={possible > 0}
      onRetry={() => preview.data && retry.mutate(preview.data)}
      opened={opened}
      onClose={onClose}
    >
      {(shown) => <PreviewOfMany preview={shown} possible={possible} />}
    </RetryModal>
  )
}

function PreviewOfMany({ preview, possible }: { readonly preview: ManyPreview; readonly possible: number }) {
  const effects = effectsOfMany(preview)
  const refusals = refusalsOfMany(preview.data)
  return (
    <Stack gap="xs">
      <Text size="sm">
        {possible} of {preview.data.length} runs can be retried.
        {preview.left > 0 && ` ${preview.left} more match and are not included.`}
      </Text>
      {refusals.length > 0 && (
        <Alert color="gray" variant="light" title="The others cannot be retried">
          <List size="sm">
            {refusals.map((reason) => (
              <List.Item key={reason} className="outside-text">
                {showInvisible(reason)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {possible > 0 && effects.length === 0 && (
        <Alert color="green" variant="light" title="No action will be repeated" />
      )}
      {effects.length > 0 && (
        <Alert color="orange" variant="light" title="Repeated if the new runs reach it">
          <List size="sm" spacing="xs">
            {effects.map(({ skill, runs, effect, inputs }) => (
              <List.Item key={`${skill} ${repeatText(effect)}`}>
                <Text size="sm" fw={600}>
                  {skill}, in {runs} {runs === 1 ? 'run' : 'runs'}
                </Text>
                <Text size="sm">{repeatText(effect)}</Text>
                <RepeatedInputs inputs={inputs} label={`Inputs of ${skill}`} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

const shownAtFirst = 20
/** Longer inputs are cut. */
const maxCharacters = 300

interface RepeatedInputsProps {
  readonly inputs: EffectOfMany['inputs']
  readonly label: string
}

/** The repeated inputs, one per line. */
function RepeatedInputs({ inputs, label }: RepeatedInputsProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? inputs : inputs.slice(0, shownAtFirst)
  return (
    <>
      <List size="sm" listStyleType="none" aria-label={label}>
        {shown.map(({ run, input }, index) => (
          <List.Item key={index}>
            <Input input={input} label={`Input in run ${run}`} />{' '}
            <Anchor href={`/runs/${run}`} target="_blank" size="sm" underline="always">
              Run
            </Anchor>
          </List.Item>
        ))}
      </List>
      {shown.length < inputs.length && (
        <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
          Show {inputs.length - shown.length} more
        </Button>
      )}
    </>
  )
}

function Input({ input, label }: { readonly input: unknown; readonly label: string }) {
  const [isOpen, setOpen] = useState(false)
  const text = JSON.stringify(input) ?? 'null'
  if (isOpen) return <JsonView value={input} label={label} />
  if (text.length <= maxCharacters) return <code className="outside-text">{showInvisible(text)}</code>
  return (
    <>
      <code className="outside-text">{showInvisible(text.slice(0, maxCharacters))}…</code>{' '}
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        Show all
      </Button>
    </>
  )
}
