import { Text } from '@mantine/core'
import type { RunDetail } from '../../api/types.ts'
import { notShownText } from './not-shown-text.ts'

/** Says how many steps of a very long run are not in the page. */
export function NotShown({ run }: { readonly run: RunDetail }) {
  const text = notShownText(run.steps.length, run.steps_total)
  return (
    text !== undefined && (
      <Text size="sm" p="sm">
        {text}
      </Text>
    )
  )
}
