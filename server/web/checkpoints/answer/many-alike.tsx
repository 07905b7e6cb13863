import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { AnswerTogether } from './answer-together.tsx'
import type { Checkpoint } from '../checkpoint.ts'
import { firstOf, kindsOf, kindText, maxTogether, type Kind } from './kinds.ts'

interface ManyAlikeProps {
  readonly checkpoints: readonly Checkpoint[]
  /** Ids of those that a person has picked out; none: all of a kind. */
  readonly chosen: ReadonlySet<string>
  readonly onDone: () => void
}

/** Questions of one kind are looked at together, and answered with one decision. */
export function ManyAlike({ checkpoints, chosen, onDone }: ManyAlikeProps) {
  const [looked, setLooked] = useState<Kind>()
  const picked = checkpoints.filter(({ checkpoint_id: id }) => chosen.has(id))
  const kinds = kindsOf(picked.length === 0 ? checkpoints : picked)
  const whatOf = ({ ids }: Kind): string => {
    if (ids.length > maxTogether) return `the first ${maxTogether}`
    return picked.length === 0 ? 'all' : 'selected'
  }
  return (
    <>
      {kinds.map((kind) => (
        <Group
          key={`${kind.organization_code} ${kind.kind}`}
          gap="sm"
          role="group"
          aria-label="Similar questions"
        >
          <Text size="sm" className="outside-text">
            <b>{kind.ids.length}</b> × {showInvisible(kindText(kind.kind))} · {kind.organization_code}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => setLooked(firstOf(kind))}>
            Review {whatOf(kind)} and answer
          </Button>
        </Group>
      ))}
      {looked !== undefined && (
        <AnswerTogether
          kind={looked}
          onClose={() => setLooked(undefined)}
          onDone={() => {
            setLooked(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}
