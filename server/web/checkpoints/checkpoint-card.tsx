import { Checkbox, Fieldset, Paper, Stack } from '@mantine/core'
import { useState } from 'react'
import { useNow } from '../parts/time/now.ts'
import { AboutCheckpoint } from './about-checkpoint.tsx'
import { AnswerForm } from './answer/answer-form.tsx'
import { CheckpointOutcome } from './checkpoint-outcome.tsx'
import type { Checkpoint } from './checkpoint.ts'
import { useMay } from '../session/session.ts'
import { WhoAnswers } from './who-answers.tsx'
import { useEnded } from './use-ended.ts'

interface CheckpointCardProps {
  readonly checkpoint: Checkpoint
  /** Whether it was shown waiting and does no more. */
  readonly isEnded?: boolean
  /** Whether it is chosen to be answered with others; undefined: it cannot be. */
  readonly choice?: { readonly isChosen: boolean; readonly onChange: (isChosen: boolean) => void } | undefined
}

/** One question: what it is about, what became of it, and the ways to answer it while it waits. */
export function CheckpointCard({ checkpoint: shown, isEnded = false, choice }: CheckpointCardProps) {
  const checkpoint = useEnded(shown, isEnded)
  const { checkpoint_id: id, state, timeout_at: timeoutAt } = checkpoint
  const isOpen = useNow(state === 'waiting') < timeoutAt && state === 'waiting' && !isEnded
  const mayAnswer = useMay('analyst', 'admin')
  // What could be answered stays as high as it is, so that nothing else comes under the pointer, and keeps what was typed.
  const [wasOpen] = useState(isOpen)
  return (
    <Paper withBorder p="md" component="article" aria-label={`Question ${id}`}>
      <Stack gap="sm">
        <AboutCheckpoint checkpoint={checkpoint} />
        <CheckpointOutcome checkpoint={checkpoint} isShort={wasOpen} />
        {wasOpen && !mayAnswer && <WhoAnswers checkpoint={checkpoint} />}
        {wasOpen && mayAnswer && (
          <Fieldset variant="unstyled" m={0} disabled={!isOpen}>
            <Stack gap="sm">
              <AnswerForm checkpoint={shown} isOpen={isOpen} />
            </Stack>
          </Fieldset>
        )}
        {wasOpen && choice !== undefined && (
          <Checkbox
            size="xs"
            label="Select for bulk answer"
            disabled={!isOpen}
            checked={choice.isChosen}
            onChange={(event) => choice.onChange(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Paper>
  )
}
