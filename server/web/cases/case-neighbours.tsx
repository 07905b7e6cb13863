import { ActionIcon, Group, Text } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon, RotateCwIcon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { apiGet } from '../api/call.ts'
import type { ApiCase, ApiPage } from '../api/types.ts'
import { queryAt } from '../lists/time-range.ts'
import { TextLink } from '../parts/layout.tsx'
import { serverTime } from '../parts/time.ts'
import { usePlainKey } from '../shell/plain-keys.ts'
import { neighboursOf, rememberMore, storedList, type Neighbours } from './list/neighbours.ts'

/** As many as the list loads. */
const pageSize = 100

/** Links to the next and the previous case of the list that was shown last; keys `j` and `k`. */
export function CaseNeighbours({ id }: { readonly id: string }) {
  const [, navigate] = useLocation()
  const { found, following } = useNeighbours(id)
  const { previous, next } = found ?? {}
  usePlainKey((key) => {
    const to = key === 'j' ? next : key === 'k' ? previous : undefined
    if (to !== undefined) navigate(`/cases/${to}`)
    return to !== undefined
  })
  if (found === undefined) return null
  return (
    <Group gap={4} component="nav" aria-label="Cases of the list" wrap="nowrap">
      <Step to={previous} label="Previous case" icon={<ChevronLeftIcon />} />
      <Text size="xs" c="dimmed" className="number">
        <TextLink href={found.list} size="xs" isUnderlined>
          {found.position.toLocaleString()} of {found.count.toLocaleString()}
        </TextLink>
      </Text>
      {following.isError ? (
        <ActionIcon
          variant="default"
          color="red"
          aria-label="Could not load the next cases: try again"
          title="Could not load the next cases: try again"
          loading={following.isFetching}
          onClick={() => void following.refetch()}
        >
          <RotateCwIcon />
        </ActionIcon>
      ) : (
        <Step to={next} label="Next case" icon={<ChevronRightIcon />} isLoading={following.isFetching} />
      )}
    </Group>
  )
}

/** At the last loaded case of the list, loads its next page. */
function useNeighbours(id: string) {
  const known = useMemo(() => neighboursOf(id, storedList()), [id])
  const more = known?.more
  const following = useQuery({
    queryKey: ['cases after', id, more],
    async queryFn({ signal }): Promise<Neighbours | null> {
      const query = { ...queryAt({ ...more }, serverTime()), limit: pageSize }
      rememberMore(await apiGet<ApiPage<ApiCase>>('/cases', query, signal))
      return neighboursOf(id, storedList()) ?? null
    },
    enabled: more !== undefined,
    staleTime: Infinity,
    retry: false,
  })
  return { found: following.data ?? known, following }
}

interface StepProps {
  readonly to: string | undefined
  readonly label: string
  readonly icon: ReactNode
  readonly isLoading?: boolean
}

function Step({ to, label, icon, isLoading = false }: StepProps) {
  if (to === undefined)
    return (
      <ActionIcon variant="default" aria-label={label} disabled loading={isLoading}>
        {icon}
      </ActionIcon>
    )
  return (
    <ActionIcon variant="default" component={Link} href={`/cases/${to}`} aria-label={label}>
      {icon}
    </ActionIcon>
  )
}
