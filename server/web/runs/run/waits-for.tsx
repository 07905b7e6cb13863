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
      Waiting for {unknown === undefined ? 'an answer' : 'a decision'}:{' '}
      {unknown === undefined ? (
        <Anchor underline="always" component={Link} href={`/checkpoints?run=${run.run_uuid}`} size="sm">
          open question
        </Anchor>
      ) : (
        <>
          outcome of{' '}
          <Anchor underline="always" component="button" size="sm" onClick={() => onSelect(unknown.path)}>
            {showInvisible(unknown.step_id ?? unknown.path)}
          </Anchor>{' '}
          unknown. {mayDecide ? 'Record the outcome.' : 'An analyst or administrator can record it.'}
        </>
      )}
    </Alert>
  )
}
