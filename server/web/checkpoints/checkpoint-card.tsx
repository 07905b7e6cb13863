import { Paper, Stack } from '@mantine/core'
import { useNow } from '../parts/now.ts'
import { AboutCheckpoint } from './about-checkpoint.tsx'
import { AnswerForm } from './answer-form.tsx'
import { CheckpointOutcome } from './checkpoint-outcome.tsx'
import type { Checkpoint } from './checkpoint.ts'

/** One question: what it is about, what became of it, and the ways to answer it while it waits. */
export function CheckpointCard({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const { checkpoint_id: id, state, timeout_at: timeoutAt } = checkpoint
  const isOpen = useNow(state === 'waiting') < timeoutAt && state === 'waiting'
  return (
    <Paper withBorder p="md" component="article" aria-label={`Question ${id}`}>
      <Stack gap="sm">
        <AboutCheckpoint checkpoint={checkpoint} />
        <CheckpointOutcome checkpoint={checkpoint} />
        {isOpen && <AnswerForm checkpoint={checkpoint} />}
      </Stack>
    </Paper>
  )
}
