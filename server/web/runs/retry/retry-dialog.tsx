import { Alert, List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, get } from '../../api/call.ts'
import type { Run } from '../../api/types.ts'
import { JsonView } from '../../parts/json/json-view.tsx'
import { useGoOn } from '../../parts/use-go-on.ts'
import { RetryModal, type RetryVersion } from './retry-modal.tsx'
import { retryTitles, type RetryOffer } from './retry-offer.ts'
import { repeatText, type RetryPreview } from './retry-preview.ts'

interface RetryDialogProps {
  readonly run: Run
  readonly offer: RetryOffer
  readonly opened: boolean
  readonly onClose: () => void
}

/** Shows what a retry would do again before it is done. */
export function RetryDialog({ run, offer, opened, onClose }: RetryDialogProps) {
  const goOn = useGoOn()
  const [chosen, setChosen] = useState<RetryVersion>('same')
  const playbook = offer === 'newer' ? 'newest' : chosen
  const path = `/runs/${run.run_uuid}/retry`
  const preview = useQuery({
    queryKey: ['retry', run.run_uuid, playbook],
    queryFn: () => get<RetryPreview>(path, { playbook }),
    enabled: opened,
    staleTime: 0,
    gcTime: 0,
  })
  const retry = useMutation({
    mutationFn: ({ plan }: RetryPreview) => call<Run>('POST', path, { body: { playbook, plan } }),
    // What it would do now is to be looked at before it is asked for again.
    onError: () => void preview.refetch(),
    onSuccess({ run_uuid: uuid }) {
      onClose()
      goOn(`/runs/${uuid}`)
    },
  })
  return (
    <RetryModal
      title={retryTitles[offer]}
      versionLabel={offer === 'newer' ? null : 'Playbook version'}
      version={playbook}
      onVersion={setChosen}
      preview={preview}
      retry={retry}
      action={offer === 'newer' ? 'Run' : 'Retry'}
      isPossible={preview.isSuccess}
      onRetry={() => preview.data && retry.mutate(preview.data)}
      opened={opened}
      onClose={onClose}
    >
      {(shown) => <Preview preview={shown} />}
    </RetryModal>
  )
}

function Preview({ preview }: { readonly preview: RetryPreview }) {
  const { steps_total: steps, steps_carried: carried, repeats, repeats_total: all } = preview
  return (
    <Stack gap="xs">
      <Text size="sm">
        {carried} of {steps} steps are carried over; the others run again.
      </Text>
      {repeats.length === 0 ? (
        <Alert color="green" variant="light" title="No action will be repeated" />
      ) : (
        <Alert color="orange" variant="light" title="Repeated if the new run reaches it">
          <List size="sm" spacing="xs">
            {repeats.map((effect) => (
              <List.Item key={effect.path}>
                <Text size="sm" fw={600}>
                  {effect.skill}
                </Text>
                <Text size="sm">{repeatText(effect)}</Text>
                <JsonView value={effect.input} label={`Input of ${effect.path}`} />
              </List.Item>
            ))}
          </List>
          {all > repeats.length && <Text size="sm">{all - repeats.length} more</Text>}
        </Alert>
      )}
    </Stack>
  )
}
