import { Text } from '@mantine/core'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { Time } from '../parts/time/times.tsx'
import { answererText, shownAnswer, silenceText, type Checkpoint } from './checkpoint.ts'

interface CheckpointOutcomeProps {
  readonly checkpoint: Checkpoint
  /** In one line: an answer with a long remark would push away what stands below. */
  readonly isShort: boolean
}

/** Until when a question waits, or what became of it. */
export function CheckpointOutcome({ checkpoint, isShort }: CheckpointOutcomeProps) {
  const { state, answer, answers, timeout_at: timeoutAt } = checkpoint
  if (answer !== null)
    return (
      <Text size="sm" className="outside-text" {...(isShort && { lineClamp: 1 })}>
        <b>{showInvisible(shownAnswer(answer.value, answers))}</b>, answered by{' '}
        {showInvisible(answererText(answer))} <Time at={answer.at} ago />
        {answer.text !== null && showInvisible(`: “${answer.text}”`)}
      </Text>
    )
  if (state === 'withdrawn') return <Text size="sm">The run stopped waiting.</Text>
  const silence = silenceText(checkpoint)
  return (
    <Text size="sm" className="outside-text">
      {state === 'waiting' ? 'Times out ' : 'Timed out '}
      <Time at={timeoutAt} ago />
      {silence !== undefined && showInvisible(`, ${silence}`)}
    </Text>
  )
}
