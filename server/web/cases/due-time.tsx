import { Text } from '@mantine/core'
import { useNow, useZone, zonedTime } from '../parts/time.ts'
import { StateBadge } from '../parts/states.tsx'
import { nextTarget, targetsOf, targetState, type DueTimes, type Target } from './due.ts'

/** The time left until the next target of a case, for tables. */
export function DueTime({ found }: { readonly found: DueTimes }) {
  const target = nextTarget(found)
  return target === undefined ? null : <TargetBadge target={target} />
}

/** The state of a target, which moves with the time. */
function TargetBadge({ target }: { readonly target: Target }) {
  const now = useNow(target.metAt === null)
  const zone = useZone()
  const [text, color] = targetState(target, now)
  return (
    <span title={`${target.name} due ${zonedTime(target.dueAt, zone)}`}>
      <StateBadge text={text} color={color} />
    </span>
  )
}

/** All targets of a case, met, missed or open; nothing without targets. */
export function Targets({ found }: { readonly found: DueTimes }) {
  const targets = targetsOf(found)
  if (targets.length === 0) return null
  return (
    <Text size="sm" component="div">
      {targets.map((target) => (
        <span key={target.name} className="case-target">
          {target.name} <TargetBadge target={target} />
        </span>
      ))}
    </Text>
  )
}
