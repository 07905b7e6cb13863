import { Anchor, Button, Group, List, Loader, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { apiProblem } from '../../api/problem.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { casesText, bulkOutcomeText, tally, undoRequests, type BulkResult } from './bulk-changes.ts'
import type { Bulk, BulkWork } from './use-bulk.ts'

/** Progress and outcome of a change of many cases, with its undo. */
export function BulkResultBar({ bulk, work }: { readonly bulk: Bulk; readonly work: BulkWork }) {
  const [opened, { open, close }] = useDisclosure()
  const bar = useRef<HTMLDivElement>(null)
  const { changed, refused } = tally(work.results)
  // The button that began it is gone: the keyboard continues here.
  useEffect(() => bar.current?.focus(), [])
  return (
    <Group ref={bar} gap="xs" role="status" tabIndex={-1} aria-label="Result" className="bulk-bar">
      {work.isRunning && <Loader size={14} />}
      <Text size="sm">
        {work.isRunning
          ? `${work.results.length.toLocaleString()} of ${casesText(work.total)} …`
          : bulkOutcomeText(work.done, work.results, work.unknown)}
      </Text>
      {work.isRunning && work.total > work.results.length && (
        <Button size="compact-xs" variant="default" onClick={bulk.stop}>
          Stop
        </Button>
      )}
      {refused.length > 0 && (
        <Button size="compact-xs" color="red" variant="light" onClick={open}>
          {refused.length.toLocaleString()} not changed
        </Button>
      )}
      {!work.isRunning && work.error !== null && (
        <>
          <Text size="sm" c="red">
            Stopped: {apiProblem(work.error).title}
          </Text>
          <Button size="compact-xs" variant="default" onClick={bulk.resume}>
            Try again
          </Button>
        </>
      )}
      {!work.isRunning && !work.isUndo && undoRequests(work.results).length > 0 && (
        <Button size="compact-xs" variant="default" onClick={bulk.undo}>
          {work.unknown === 0 ? 'Undo' : `Undo the ${changed.toLocaleString()} known`}
        </Button>
      )}
      {!work.isRunning && (
        <Button size="compact-xs" variant="subtle" onClick={bulk.dismiss}>
          Dismiss
        </Button>
      )}
      <Dialog opened={opened} onClose={close} title={`${casesText(refused.length)} not changed`} size="lg">
        <Refused refused={refused} />
      </Dialog>
    </Group>
  )
}

/** More are counted. */
const maxShown = 200

function Refused({ refused }: { readonly refused: readonly BulkResult[] }) {
  return (
    <List size="sm" listStyleType="none">
      {refused.slice(0, maxShown).map(({ case_id: id, error }) => (
        <List.Item key={id} className="outside-text">
          <Anchor component={Link} href={`/cases/${encodeURIComponent(id)}`} size="sm" underline="always">
            {showInvisible(id.toUpperCase())}
          </Anchor>{' '}
          {showInvisible(error?.message ?? '')}
        </List.Item>
      ))}
      {refused.length > maxShown && (
        <List.Item>{(refused.length - maxShown).toLocaleString()} more</List.Item>
      )}
    </List>
  )
}
