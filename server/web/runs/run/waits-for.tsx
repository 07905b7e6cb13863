import { Alert, Anchor } from '@mantine/core'
import { Link } from 'wouter'
import type { RunDetail } from '../../api/types.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { useMay } from '../../session/session.ts'

interface WaitsForProps {
  readonly run: RunDetail
  readonly onSelect: (path: string) => void
}

/** What a run waits for, and what leads there. */
export function WaitsFor({ run, onSelect }: WaitsForProps) {
  const mayDecide = useMay('analyst', 'admin')
  if (run.status !== 'waiting') return null
  const unknown = run.steps.find(({ state }) => state === 'unknown')
  return (
    <Alert color="grape" py="xs">
      It waits for a person:{' '}
      {unknown === undefined ? (
        <Anchor underline="always" component={Link} href={`/checkpoints?run=${run.run_uuid}`} size="sm">
          see the question
        </Anchor>
      ) : (
        <>
          nobody knows whether{' '}
          <Anchor underline="always" component="button" size="sm" onClick={() => onSelect(unknown.path)}>
            {showInvisible(unknown.step_id ?? unknown.path)}
          </Anchor>{' '}
          happened. {mayDecide ? 'Say' : 'An analyst or administrator says'} what became of it.
        </>
      )}
    </Alert>
  )
}
