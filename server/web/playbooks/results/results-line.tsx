import { Group, Text } from '@mantine/core'
import { showInvisible } from '../../parts/show-invisible.ts'
import { LastRunsCell } from './result-cells.tsx'
import { failureText, startsText } from './result-texts.ts'
import { useResults } from './use-results.ts'

/** What starts a playbook and how its last runs went, on one line. */
export function ResultsLine({ name }: { readonly name: string }) {
  const results = useResults(name)
  if (results === undefined) return <>&nbsp;</>
  const { on, alerts_7d: week, judged } = results
  return (
    <Group gap="4px 16px">
      <span>Started by {showInvisible(startsText(on))}</span>
      <span>{week.toLocaleString()} alerts in 7 days</span>
      {judged > 0 && (
        <Group gap={8} component="span">
          <LastRunsCell name={name} />
          <Text span size="sm">
            {failureText(results)} of the last {judged} failed
          </Text>
        </Group>
      )}
    </Group>
  )
}
