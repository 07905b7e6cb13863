import { Anchor, Box, Group, Paper, Text, Title, SimpleGrid, Stack, Skeleton } from '@mantine/core'
import { Link } from 'wouter'
import { Suspense, useId, useState, type ReactNode, type ComponentType } from 'react'
import './parts.css'
import { breakable } from './text-view.tsx'

interface SectionProps {
  readonly title: string
  readonly count?: number
  /** Buttons at the end of the title line. */
  readonly actions?: ReactNode
  /** Without padding, for tables. */
  readonly isFlush?: boolean
  readonly children: ReactNode
}

/** A titled card. */
export function Section({ title, count, actions, isFlush = false, children }: SectionProps) {
  const id = useId()
  return (
    <Paper withBorder component="section" aria-labelledby={id} className="section">
      <Group className="section-head" justify="space-between" gap="sm">
        <Group gap={8} align="baseline">
          <Title order={2} id={id}>
            {title}
          </Title>
          {count !== undefined && (
            <Text size="sm" c="dimmed" className="number">
              {count.toLocaleString()}
            </Text>
          )}
        </Group>
        {actions}
      </Group>
      <Box className={isFlush ? 'section-flush' : 'section-body'}>{children}</Box>
    </Paper>
  )
}

/** Names and values. Empty values are omitted. */
export function FieldGrid({
  entries,
}: {
  readonly entries: readonly (readonly [name: string, value: ReactNode])[]
}) {
  return (
    <Paper withBorder px="md" py="sm">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 6 }} spacing="md" verticalSpacing="sm" m={0}>
        {entries
          .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="xs" c="dimmed">
                {name}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {typeof value === 'string' ? breakable(value) : value}
              </Text>
            </div>
          ))}
      </SimpleGrid>
    </Paper>
  )
}

interface EmptyProps {
  readonly icon?: ComponentType<{ readonly width?: number; readonly height?: number }>
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A placeholder for missing content. */
export function Empty({ icon: Icon, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="sm" py={32} px="md" c="dimmed" ta="center">
      {Icon && <Icon width={24} height={24} />}
      <Text size="sm" maw={460} c="dimmed">
        {children}
      </Text>
      {action}
    </Stack>
  )
}

/** A placeholder for a view that is loading. */
export function PageLoading() {
  return (
    <Stack gap="var(--tocsin-gap)" role="status" aria-label="Loading">
      <Skeleton h={34} w="min(420px, 60%)" />
      <Group align="flex-start" gap="var(--tocsin-gap)">
        <Skeleton h={360} flex="3 1 360px" radius="md" />
        <Skeleton h={360} flex="2 1 260px" radius="md" />
      </Group>
    </Stack>
  )
}

interface WhenNeededProps {
  readonly isNeeded: boolean
  /** A lazy component, which stays mounted afterwards. */
  readonly children: ReactNode
}

/** Loads code when it is needed for the first time, so that it does not delay the first view. */
export function WhenNeeded({ isNeeded, children }: WhenNeededProps) {
  const [wasNeeded, setNeeded] = useState(isNeeded)
  if (isNeeded && !wasNeeded) setNeeded(true)
  return wasNeeded && <Suspense fallback={null}>{children}</Suspense>
}

interface TextLinkProps {
  readonly href: string
  readonly children: ReactNode
  readonly size?: 'xs' | 'sm'
  readonly isUnderlined?: boolean
  readonly isStrong?: boolean
}

/** A link to another view. */
export function TextLink({ href, children, size = 'sm', isUnderlined, isStrong }: TextLinkProps) {
  return (
    <Anchor
      component={Link}
      href={href}
      size={size}
      {...(isUnderlined && { underline: 'always' })}
      {...(isStrong && { fw: 600 })}
    >
      {children}
    </Anchor>
  )
}
