import { Anchor, List, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { get } from '../api/call.ts'
import type { Alert, Page, RunDetail } from '../api/types.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { lastEffects, lastRun } from './last-effects.ts'

const shownEffects = 20
/** Of an input; all of it is in the run. */
const maxCharacters = 300

/** What the last investigation of an alert did: which machine was isolated, who was told. */
export function LastEffectsOf({ id }: { readonly id: string }) {
  const found = useQuery({ queryKey: ['last-effects', id], queryFn: () => read(id), staleTime: 0, gcTime: 0 })
  if (found.isPending) return <Loader size="sm" aria-label="Loading" />
  if (found.isError) return <Refusal error={found.error} onRetry={() => void found.refetch()} />
  const { run, effects } = found.data
  if (run === undefined) return null
  const isWhole = run.pruned_at === null && run.steps.length >= run.steps_total
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {id.toUpperCase()}: actions of{' '}
        <Anchor href={`/runs/${run.run_uuid}`} target="_blank" size="sm" underline="always">
          the last investigation
        </Anchor>
      </Text>
      {effects.length > 0 && (
        <List size="sm" spacing="xs" aria-label={`Actions for ${id.toUpperCase()}`}>
          {effects.slice(0, shownEffects).map(({ path, skill, input, text }) => (
            <List.Item key={path}>
              <b>{skill}</b> <code className="outside-text">{inputText(input)}</code> {text}
            </List.Item>
          ))}
        </List>
      )}
      {effects.length > shownEffects && <Text size="sm">{effects.length - shownEffects} more</Text>}
      {effects.length === 0 && isWhole && <Text size="sm">No actions</Text>}
      {!isWhole && <Text size="sm">Some steps are not shown: there may be more actions.</Text>}
    </Stack>
  )
}

async function read(id: string) {
  const alert = await get<Alert>(`/alerts/${encodeURIComponent(id)}`)
  const last = lastRun(alert.alert_id, alert.runs ?? [])
  if (last === undefined) return { run: undefined, effects: [] }
  const [run, skills] = await Promise.all([
    get<RunDetail>(`/runs/${last.run_uuid}`),
    get<Page<{ readonly name: string }>>('/skills', { effect: 'read', limit: 200 }),
  ])
  return { run, effects: lastEffects(run.steps, new Set(skills.data.map(({ name }) => name))) }
}

function inputText(input: unknown): string {
  const text = JSON.stringify(input) ?? 'null'
  return showInvisible(text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`)
}
