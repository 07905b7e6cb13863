import { ActionIcon, Group, Text } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons'
import { useEffect, useMemo, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { TextLink } from '../parts/layout.tsx'
import { isTyping, usePlainKeys } from '../shell/shortcuts.tsx'
import { neighboursOf, storedList } from './list/neighbours.ts'

/** Links to the next and the previous case of the list that was shown last; keys `j` and `k`. */
export function CaseNeighbours({ id }: { readonly id: string }) {
  const [, navigate] = useLocation()
  const [hasPlainKeys] = usePlainKeys()
  const found = useMemo(() => neighboursOf(id, storedList()), [id])
  const { previous, next } = found ?? {}
  useEffect(() => {
    if (!hasPlainKeys) return undefined
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return
      if (document.querySelector('[role=dialog]') !== null) return
      const to = event.key === 'j' ? next : event.key === 'k' ? previous : undefined
      if (to !== undefined) navigate(`/cases/${to}`)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [hasPlainKeys, navigate, next, previous])
  if (found === undefined) return null
  return (
    <Group gap={4} component="nav" aria-label="Cases of the list" wrap="nowrap">
      <Step to={previous} label="Previous case" icon={<ChevronLeftIcon />} />
      <Text size="xs" c="dimmed" className="number">
        <TextLink href={found.list} size="xs" isUnderlined>
          {found.position.toLocaleString()} of {found.count.toLocaleString()}
        </TextLink>
      </Text>
      <Step to={next} label="Next case" icon={<ChevronRightIcon />} />
    </Group>
  )
}

interface StepProps {
  readonly to: string | undefined
  readonly label: string
  readonly icon: ReactNode
}

function Step({ to, label, icon }: StepProps) {
  if (to === undefined)
    return (
      <ActionIcon variant="default" aria-label={label} disabled>
        {icon}
      </ActionIcon>
    )
  return (
    <ActionIcon variant="default" component={Link} href={`/cases/${to}`} aria-label={label}>
      {icon}
    </ActionIcon>
  )
}
