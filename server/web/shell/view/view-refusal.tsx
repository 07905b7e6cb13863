import { Anchor, Stack } from '@mantine/core'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { Link, useLocation } from 'wouter'
import { problemOf } from '../../api/problem.ts'
import { Empty } from '../../parts/states/empty.tsx'
import { Refusal } from '../../parts/states/refusal.tsx'
import { ViewHead } from './view-head.tsx'

interface ViewRefusalProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** In the place of a view that is not there, or cannot be shown now: it has a title as every view has. */
export function ViewRefusal({ error, onRetry }: ViewRefusalProps) {
  const [location] = useLocation()
  const { status, title } = problemOf(error)
  const list = `/${location.split('/')[1] ?? ''}`
  if (status !== 404)
    return (
      <Stack gap="var(--tocsin-gap)">
        <ViewHead title="This cannot be shown" />
        <Refusal error={error} onRetry={onRetry} />
      </Stack>
    )
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title={title} />
      <Empty
        icon={MagnifyingGlassIcon}
        action={
          <Anchor component={Link} href={list} size="sm">
            To the list
          </Anchor>
        }
      >
        The link may be old, a letter of it may be missing, or it belongs to an organization that your key may
        not see.
      </Empty>
    </Stack>
  )
}
