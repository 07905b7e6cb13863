import { Alert, List, Stack, Text, Loader, SegmentedControl } from '@mantine/core'
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiRun, ApiRetryPreview } from '../api/types.ts'
import { JsonView } from '../parts/text-view.tsx'
import { useNavigateWhileMounted } from '../parts/hooks.ts'
import { retryTitles, type RetryOffer, repeatText } from './retries.ts'
import { ErrorAlert, ConfirmDialog } from '../parts/feedback.tsx'

interface RetryDialogProps {
  readonly run: ApiRun
  readonly offer: RetryOffer
  readonly opened: boolean
  readonly onClose: () => void
}

/** Previews a retry and confirms it. */
export function RetryDialog({ run, offer, opened, onClose }: RetryDialogProps) {
  const goOn = useNavigateWhileMounted()
  const [chosen, setChosen] = useState<VersionChoice>('same')
  const playbook = offer === 'newer' ? 'newest' : chosen
  const path = `/runs/${run.run_uuid}/retry`
  const preview = useQuery({
    queryKey: ['retry', run.run_uuid, playbook],
    queryFn: () => apiGet<ApiRetryPreview>(path, { playbook }),
    enabled: opened,
    staleTime: 0,
    gcTime: 0,
  })
  const retry = useMutation({
    mutationFn: ({ plan }: ApiRetryPreview) => apiCall<ApiRun>('POST', path, { body: { playbook, plan } }),
    // Show the new preview before another attempt.
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

function Preview({ preview }: { readonly preview: ApiRetryPreview }) {
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

/** Version of the playbook for a retry. */
export type VersionChoice = 'same' | 'newest'

interface RetryModalProps<Preview> {
  readonly title: string
  /** Null if there is no choice. */
  readonly versionLabel: string | null
  readonly version: VersionChoice
  readonly onVersion: (version: VersionChoice) => void
  readonly preview: UseQueryResult<Preview>
  readonly children: (preview: Preview) => ReactNode
  readonly retry: Pick<UseMutationResult<unknown, unknown, never>, 'isError' | 'error' | 'isPending'>
  /** Text of the button. */
  readonly action: string
  readonly isPossible: boolean
  readonly onRetry: () => void
  readonly opened: boolean
  readonly onClose: () => void
}

/** Dialog with the preview of a retry. */
function RetryModal<Preview>(props: RetryModalProps<Preview>) {
  const { title, versionLabel, version, onVersion, preview, children, retry, opened, onClose } = props
  return (
    <ConfirmDialog
      opened={opened}
      title={title}
      action={props.action}
      size="lg"
      isPending={retry.isPending}
      isDisabled={!props.isPossible || preview.isFetching}
      error={retry.error}
      onClose={onClose}
      onConfirm={props.onRetry}
    >
      {versionLabel !== null && (
        <SegmentedControl
          aria-label={versionLabel}
          data={[
            { value: 'same', label: 'Original version' },
            { value: 'newest', label: 'Latest version' },
          ]}
          value={version}
          onChange={onVersion}
        />
      )}
      {preview.isPending && <Loader size="sm" role="img" aria-label="Loading" />}
      {preview.isError && <ErrorAlert error={preview.error} />}
      {preview.isSuccess && children(preview.data)}
    </ConfirmDialog>
  )
}
