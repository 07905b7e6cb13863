import { Badge, NavLink, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Link, useLocation } from 'wouter'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { useUndecided } from '../checkpoints/undecided-runs.tsx'
import { usePollMs } from '../live/live-state.ts'
import { useSession } from '../session/session.ts'
import { viewGroups, type View } from '../views.ts'

/** The views that whoever is signed in may see, in their groups. */
export function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const { role } = useSession()
  return (
    <Stack gap={2}>
      {viewGroups.map(({ title, views }) => {
        const seen = views.filter(({ roles }) => roles.includes(role))
        return (
          <Fragment key={title}>
            {seen.length > 0 && (
              <Text className="nav-group" aria-hidden>
                {title}
              </Text>
            )}
            {seen.map((view) => (
              <ViewLink key={view.path} view={view} onNavigate={onNavigate} />
            ))}
          </Fragment>
        )
      })}
    </Stack>
  )
}

interface ViewLinkProps {
  readonly view: View
  readonly onNavigate: () => void
}

function ViewLink({ view: { path, title, icon: Icon }, onNavigate }: ViewLinkProps) {
  const [location] = useLocation()
  const isActive = location === `/${path}` || location.startsWith(`/${path}/`)
  return (
    <NavLink
      className="nav-link"
      component={Link}
      href={`/${path}`}
      title={title}
      label={title}
      leftSection={<Icon width={16} height={16} />}
      rightSection={path === 'checkpoints' && <WaitingCount />}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      onClick={onNavigate}
    />
  )
}

/** How many questions and decisions wait: they are why somebody has to do something now. */
function WaitingCount() {
  const poll = usePollMs()
  const waiting = useQuery({
    queryKey: ['checkpoints', 'count'],
    queryFn: () => get<Page<unknown>>('/checkpoints', { limit: 1 }),
    refetchInterval: poll(10_000),
  })
  const undecided = useUndecided()
  const count = (waiting.data?.total ?? 0) + (undecided.data?.total ?? 0)
  if (count === 0) return null
  return (
    <Badge color="grape" size="sm" className="nav-count" aria-label={`${count} wait for a person`}>
      {count > 999 ? '999+' : count}
    </Badge>
  )
}
