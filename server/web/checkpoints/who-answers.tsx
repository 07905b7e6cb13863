import { Text } from '@mantine/core'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { whoAnswers, type Checkpoint } from './checkpoint.ts'

/** For whoever may read a question and not answer it. */
export function WhoAnswers({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  return (
    <Text size="sm" c="dimmed" className="outside-text">
      {showInvisible(whoAnswers(checkpoint))}
    </Text>
  )
}
