import { Button, Group, Loader, Modal, SegmentedControl, Stack } from '@mantine/core'
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Refusal } from '../../parts/states/refusal.tsx'

/** Which version of a playbook a retry goes on with. */
export type RetryVersion = 'same' | 'newest'

interface RetryModalProps<Preview> {
  readonly title: string
  /** Null: there is no choice. */
  readonly versionLabel: string | null
  readonly version: RetryVersion
  readonly onVersion: (version: RetryVersion) => void
  readonly preview: UseQueryResult<Preview>
  readonly children: (preview: Preview) => ReactNode
  readonly retry: Pick<UseMutationResult<unknown, unknown, never>, 'isError' | 'error' | 'isPending'>
  /** What the button says. */
  readonly action: string
  readonly isPossible: boolean
  readonly onRetry: () => void
  readonly opened: boolean
  readonly onClose: () => void
}

/** Shows what a retry would do again, with the version chosen, before it is done. */
export function RetryModal<Preview>(props: RetryModalProps<Preview>) {
  const { title, versionLabel, version, onVersion, preview, children, retry, opened, onClose } = props
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <Stack>
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
        {preview.isPending && <Loader size="sm" aria-label="Loading" />}
        {preview.isError && <Refusal error={preview.error} />}
        {preview.isSuccess && children(preview.data)}
        {retry.isError && <Refusal error={retry.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button
            disabled={!props.isPossible || preview.isFetching}
            loading={retry.isPending}
            onClick={props.onRetry}
          >
            {props.action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
