import { Checkbox, Paper, Stack } from '@mantine/core'
import { useNow } from '../parts/now.ts'
import { AboutCheckpoint } from './about-checkpoint.tsx'
import { AnswerForm } from './answer-form.tsx'
import { CheckpointOutcome } from './checkpoint-outcome.tsx'
import type { Checkpoint } from './checkpoint.ts'

interface CheckpointCardProps {
  readonly checkpoint: Checkpoint
  /** Whether it is chosen to be answered with others; undefined: it cannot be. */
  readonly choice?: { readonly isChosen: boolean; readonly onChange: (isChosen: boolean) => void } | undefined
}

/** One question: what it is about, what became of it, and the ways to answer it while it waits. */
export function CheckpointCard({ checkpoint, choice }: CheckpointCardProps) {
  const { checkpoint_id: id, state, timeout_at: timeoutAt } = checkpoint
  const isOpen = useNow(state === 'waiting') < timeoutAt && state === 'waiting'
  return (
    <Paper withBorder p="md" component="article" aria-label={`Question ${id}`}>
      <Stack gap="sm">
        <AboutCheckpoint checkpoint={checkpoint} />
        <CheckpointOutcome checkpoint={checkpoint} />
        {isOpen && <AnswerForm checkpoint={checkpoint} />}
        {isOpen && choice !== undefined && (
          <Checkbox
            size="xs"
            label="Choose, to answer it together with others of its kind"
            checked={choice.isChosen}
            onChange={(event) => choice.onChange(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Paper>
  )
}
