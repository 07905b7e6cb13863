import { Anchor, Group, Loader, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Learned, RunDetail } from '../api/types.ts'
import { JsonView } from '../parts/json/json-view.tsx'
import { Refusal } from '../parts/states/refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { StateBadge, type StateColor } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'

/** What one look-up said: how bad it is, why, who says so, and on request all that it answered. */
export function LearnedLine({ learned }: { readonly learned: Learned }) {
  const { source, run_uuid: run, path, at, level, score, summary, error } = learned
  const [isShown, { toggle }] = useDisclosure()
  const step = `/runs/${run}?${new URLSearchParams({ step: path }).toString()}`
  return (
    <div className="learned">
      <Group gap="4px 8px" align="baseline">
        <StateBadge {...lookOf(learned)} />
        <Text component="span" size="sm" className="outside-text">
          {showInvisible(error?.message ?? summary ?? (score === null ? '' : (level ?? '')))}
        </Text>
      </Group>
      <Group gap={8} mt={2}>
        <Anchor component={Link} href={step} size="xs">
          {source}
        </Anchor>
        <Text size="xs" c="dimmed">
          <Time at={at} ago />
        </Text>
        {error === null && (
          <Anchor component="button" type="button" size="xs" aria-expanded={isShown} onClick={toggle}>
            {isShown ? 'Hide evidence' : 'Evidence'}
          </Anchor>
        )}
      </Group>
      {isShown && <Evidence run={run} path={path} />}
    </div>
  )
}

/** The score with the word of the source: `critical 92`. */
function lookOf({ score, level, error }: Learned): { readonly text: string; readonly color: StateColor } {
  if (error !== null) return { text: 'Unknown', color: 'gray' }
  const color = score === null ? 'gray' : score >= 65 ? 'red' : score >= 25 ? 'orange' : 'green'
  const words = [level, score].filter((each) => each !== null)
  return { text: words.length === 0 ? 'No known risk' : showInvisible(words.join(' ')), color }
}

function Evidence({ run, path }: { readonly run: string; readonly path: string }) {
  const found = useQuery({
    queryKey: ['run', run],
    queryFn: () => get<RunDetail>(`/runs/${run}`),
    staleTime: 60_000,
  })
  if (found.isPending) return <Loader size="xs" aria-label="Loading" />
  if (found.isLoadingError) return <Refusal error={found.error} onRetry={() => void found.refetch()} />
  const step = found.data.steps.find((each) => each.path === path)
  if (step === undefined) return <Text size="sm">This step is not shown: the run has too many steps.</Text>
  return <JsonView value={step.output} label={`Output of ${path}`} />
}
