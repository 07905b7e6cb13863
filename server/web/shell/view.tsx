import { Box, Group, Text, Title, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { SearchIcon } from 'lucide-react'
import { useLocation } from 'wouter'
import { apiProblem } from '../api/problem.ts'
import { Empty, TextLink } from '../parts/layout.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useSession } from '../session/session.ts'
import { useTitleMark } from '../notifications/unread.ts'
import type { AccessPermission } from '../../../core/access/permissions.ts'

interface ViewHeadProps {
  readonly title: string
  /** Id before the title. */
  readonly id?: string
  /** Badges beside the title. */
  readonly states?: ReactNode
  /** One line below the title. */
  readonly about?: ReactNode
  /** Buttons. */
  readonly actions?: ReactNode
}

/** The head of a view. */
export function ViewHead({ title, id, states, about, actions }: ViewHeadProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mih={34}>
      <Box flex="1 1 320px" miw={0}>
        <Group gap="4px 12px">
          <ViewTitle {...(id !== undefined && { id })}>{title}</ViewTitle>
          {states && <Group gap="4px 12px">{states}</Group>}
        </Group>
        {about !== undefined && (
          <Text component="div" size="sm" c="dimmed" mt={2}>
            {about}
          </Text>
        )}
      </Box>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}

interface ViewTitleProps {
  readonly children: string
  readonly id?: string
}

/** The title of a view and of the browser tab. */
export function ViewTitle({ children, id }: ViewTitleProps) {
  const mark = useTitleMark()
  return (
    <>
      <title>{`${mark}${id === undefined ? '' : `${id} `}${children} · Tocsin`}</title>
      <Title order={1} className="outside-text">
        {id !== undefined && (
          <Text component="span" inherit c="dimmed">
            {id}{' '}
          </Text>
        )}
        {children}
      </Title>
    </>
  )
}

interface ViewRefusalProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Shown in place of a view that is missing or failed to load. */
export function ViewError({ error, onRetry }: ViewRefusalProps) {
  const [location] = useLocation()
  const { status, title } = apiProblem(error)
  const list = `/${location.split('/')[1] ?? ''}`
  if (status !== 404)
    return (
      <Stack gap="var(--tocsin-gap)">
        <ViewHead title="Could not load this view" />
        <ErrorAlert error={error} onRetry={onRetry} />
      </Stack>
    )
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title={title} />
      <Empty icon={SearchIcon} action={<TextLink href={list}>Go to the list</TextLink>}>
        The link may be old or incomplete, or your key has no access to its organization.
      </Empty>
    </Stack>
  )
}

interface AllowedProps {
  readonly permission: AccessPermission | undefined
  /** Only with the permission in all organizations. */
  readonly isForAll?: boolean
  readonly children: ReactNode
}

/** Shows the content only to sessions that may use it. */
export function RequirePermission({ permission, isForAll = false, children }: AllowedProps) {
  const { role, permissions } = useSession()
  const held = permissions.find((each) => each.permission === permission)
  if (permission === undefined || (held && (!isForAll || held.organization_codes === null))) return children
  return (
    <Stack align="flex-start">
      <ViewTitle>You don’t have access</ViewTitle>
      <Text>
        {role === 'intake'
          ? 'Keys with the role intake can only post alerts. Sign in with an account, or with a key of another role, to see them.'
          : `This view needs the permission ${permission}${isForAll ? ' for all organizations' : ''}. Ask an administrator for a role that has it.`}
      </Text>
    </Stack>
  )
}
