import { Alert, Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiCall, apiCallOnce } from '../../api/call.ts'
import { mayHaveChanged } from '../../api/problem.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/feedback.tsx'
import type { RetryChoice } from '../retries.ts'
import type { VersionChoice } from '../retry-dialog.tsx'
import { previewsOf, retriesOf, type Post, type Previewed, type Retried } from './pieces.ts'
import { PreviewOfMany } from './preview-of-many.tsx'
import { RetriesOfMany } from './retries-of-many.tsx'
import { usePieces, type PieceWork } from './use-pieces.ts'

interface RetryManyProps {
  readonly choice: RetryChoice
  readonly onClose: () => void
  /** Called when runs were retried. */
  readonly onDone: () => void
}

const post: Post = (path, body, key) =>
  key === undefined ? apiCall('POST', path, { body }) : apiCallOnce(path, body, key)

/** Previews retries of all chosen runs, asks, retries them piece by piece, and shows the result of each. */
export default function RetryMany({ choice, onClose, onDone }: RetryManyProps) {
  const queries = useQueryClient()
  const [version, setVersion] = useState<VersionChoice>('same')
  const { start: preview, ...previews } = usePieces<Previewed>()
  const retries = usePieces<Retried>()
  useEffect(() => preview(previewsOf(choice, version, post)), [choice, preview, version])
  const { work } = retries
  const isRetrying = work?.isRunning === true
  const close = (): void => {
    if (isRetrying) return
    onClose()
    if (work === undefined) return
    void queries.invalidateQueries({ queryKey: ['list', '/runs'] })
    onDone()
  }
  return (
    <Dialog
      opened
      onClose={close}
      title="Retry each from its failed step"
      size="lg"
      withCloseButton={!isRetrying}
    >
      {work === undefined ? (
        <Stack>
          <SegmentedControl
            aria-label="Playbook version"
            data={[
              { value: 'same', label: 'Original version' },
              { value: 'newest', label: 'Latest version' },
            ]}
            value={version}
            onChange={setVersion}
          />
          <Question
            {...previews}
            onClose={close}
            onRetry={(some) => retries.start(retriesOf(some, version, post))}
          />
        </Stack>
      ) : (
        <Stack>
          <PieceProgress work={work} verb="Retried" onStop={retries.stop} onResume={retries.resume} />
          <RetriesOfMany results={work.items} />
          {!isRetrying && (
            <Group justify="flex-end">
              <Button onClick={close} data-autofocus>
                Close
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Dialog>
  )
}

interface QuestionProps {
  readonly work: PieceWork<Previewed> | undefined
  readonly stop: () => void
  readonly resume: () => void
  readonly onClose: () => void
  readonly onRetry: (previews: readonly Previewed[]) => void
}

function Question({ work, stop, resume, onClose, onRetry }: QuestionProps) {
  if (work === undefined) return null
  const possible = work.items.filter(({ error }) => error === null).length
  return (
    <>
      <PieceProgress work={work} verb="Checked" onStop={stop} onResume={resume} />
      {work.items.length > 0 && <PreviewOfMany previews={work.items} left={work.left} possible={possible} />}
      {!work.isRunning && work.error === null && work.items.length === 0 && (
        <Text size="sm">No failed run matches that was not retried yet.</Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Back
        </Button>
        <Button
          loading={work.isRunning}
          disabled={possible === 0 || work.error !== null}
          onClick={() => onRetry(work.items)}
        >
          Retry {possible.toLocaleString()} {possible === 1 ? 'run' : 'runs'}
        </Button>
      </Group>
    </>
  )
}

interface PieceProgressProps {
  readonly work: PieceWork<unknown>
  readonly verb: string
  readonly onStop: () => void
  readonly onResume: () => void
}

/** How far a request in pieces is, with buttons to stop and continue it. Nothing when all is done. */
function PieceProgress({
  work: { items, left, isRunning, error },
  verb,
  onStop,
  onResume,
}: PieceProgressProps) {
  const total = items.length + left
  const isUnknown = verb === 'Retried' && error !== null && mayHaveChanged(error)
  if (!isRunning && left === 0 && error === null) return null
  return (
    <Stack gap={6}>
      {isRunning && (
        <Progress
          value={total === 0 ? 0 : (items.length / total) * 100}
          aria-label={`${verb} runs`}
          animated
        />
      )}
      <Group gap="sm" justify="space-between">
        {(items.length > 0 || !isUnknown) && (
          <Text size="sm" role="status">
            {verb} {items.length.toLocaleString()}
            {total > items.length && ` of ${total.toLocaleString()}`}
            {isRunning ? ' …' : ''}
          </Text>
        )}
        {isRunning && left > 0 && (
          <Button size="compact-xs" variant="default" onClick={onStop}>
            Stop
          </Button>
        )}
        {!isRunning && error === null && (
          <Button size="compact-xs" variant="default" onClick={onResume}>
            Continue
          </Button>
        )}
      </Group>
      {error !== null && (
        <>
          <ErrorAlert error={error} onRetry={onResume} />
          {isUnknown && (
            <Alert color="gray" variant="light">
              <Text size="sm">
                It is unknown how many runs of the failed request were retried. Trying again retries none of
                them twice.
              </Text>
            </Alert>
          )}
        </>
      )}
    </Stack>
  )
}
