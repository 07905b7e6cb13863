import { Group, Text } from '@mantine/core'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { LastRunsCell } from './result-cells.tsx'
import { judgedText, startsText } from './result-texts.ts'
import { useResults } from './use-results.ts'

/** What starts a playbook and how its last runs went, on one line. */
export function ResultsLine({ name }: { readonly name: string }) {
  const results = useResults(name)
  if (results === undefined) return <>&nbsp;</>
  const { on, alerts_7d: week, judged } = results
  return (
    <Group gap="4px 16px">
      <span>Triggered by {showInvisible(startsText(on))}</span>
      <span>
        {week.toLocaleString()} {week === 1 ? 'alert' : 'alerts'} in 7 days
      </span>
      {judged > 0 && (
        <Group gap={8} component="span">
          <LastRunsCell name={name} />
          <Text span size="sm">
            {judgedText(results)}
          </Text>
        </Group>
      )}
    </Group>
  )
}
