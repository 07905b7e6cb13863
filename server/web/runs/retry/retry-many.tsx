import { Alert, List, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import {
  effectsOfMany,
  refusalsOfMany,
  retriesOf,
  runsToRetry,
  type ManyPreview,
  type ManyRetries,
  type RetryChoice,
} from './many-retries.ts'
import { RepeatedInputs } from './repeated-inputs.tsx'
import { RetryModal, type RetryVersion } from './retry-modal.tsx'
import { repeatText } from './retry-preview.ts'

interface RetryManyProps {
  readonly choice: RetryChoice
  readonly opened: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Shows what retries of many runs would do again, before they are done. */
export function RetryMany({ choice, opened, onClose, onDone }: RetryManyProps) {
  const queries = useQueryClient()
  const [playbook, setPlaybook] = useState<RetryVersion>('same')
  const body = { ...choice, playbook }
  const preview = useQuery({
    queryKey: ['retries', body],
    queryFn: () => call<ManyPreview>('POST', '/runs/retry/preview', { body }),
    enabled: opened,
    staleTime: 0,
    gcTime: 0,
  })
  const retry = useMutation({
    mutationFn: (seen: ManyPreview) =>
      call<ManyRetries>('POST', '/runs/retry', { body: { ...retriesOf(seen), playbook } }),
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
