import { Anchor, Button, List } from '@mantine/core'
import { useState } from 'react'
import { JsonView } from '../../parts/json/json-view.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import type { EffectOfMany } from './many-retries.ts'

const shownAtFirst = 20
/** Longer ones are shown whole at a click. */
const maxCharacters = 300

interface RepeatedInputsProps {
  readonly inputs: EffectOfMany['inputs']
  readonly label: string
}

/** What each of many runs would do again, on one line each. */
export function RepeatedInputs({ inputs, label }: RepeatedInputsProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? inputs : inputs.slice(0, shownAtFirst)
  return (
    <>
      <List size="sm" listStyleType="none" aria-label={label}>
        {shown.map(({ run, input }, index) => (
          <List.Item key={index}>
            <Input input={input} label={`Input in run ${run}`} />{' '}
            <Anchor href={`/runs/${run}`} target="_blank" size="sm" underline="always">
              Run
            </Anchor>
          </List.Item>
        ))}
      </List>
      {shown.length < inputs.length && (
        <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
          Show {inputs.length - shown.length} more
        </Button>
      )}
    </>
  )
}

function Input({ input, label }: { readonly input: unknown; readonly label: string }) {
  const [isOpen, setOpen] = useState(false)
  const text = JSON.stringify(input) ?? 'null'
  if (isOpen) return <JsonView value={input} label={label} />
  if (text.length <= maxCharacters) return <code className="outside-text">{showInvisible(text)}</code>
  return (
    <>
      <code className="outside-text">{showInvisible(text.slice(0, maxCharacters))}…</code>{' '}
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        Show all
      </Button>
    </>
  )
}
