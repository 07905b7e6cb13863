import { Alert, Anchor, Button, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { showInvisible } from '../../parts/outside-text.ts'
import { JsonView } from '../../parts/text-view.tsx'
import { effectsOfMany, refusalsOfMany, repeatText, type EffectOfMany } from '../retries.ts'
import type { Previewed } from './pieces.ts'

interface PreviewOfManyProps {
  readonly previews: readonly Previewed[]
  /** Matching runs that are not checked. */
  readonly left: number
  readonly possible: number
}

/** What retries of these runs would repeat, and which runs cannot be retried. */
export function PreviewOfMany({ previews, left, possible }: PreviewOfManyProps) {
  const effects = effectsOfMany(previews)
  const refusals = refusalsOfMany(previews)
  return (
    <Stack gap="xs">
      <Text size="sm">
        {possible.toLocaleString()} of {previews.length.toLocaleString()} runs can be retried.
        {left > 0 && ` ${left.toLocaleString()} more match and are not checked yet.`}
      </Text>
      {refusals.length > 0 && (
        <Alert color="gray" variant="light" title="The others cannot be retried">
          <List size="sm">
            {refusals.map((reason) => (
              <List.Item key={reason} className="outside-text">
                {showInvisible(reason)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {possible > 0 && effects.length === 0 && (
        <Alert color="green" variant="light" title="No action will be repeated" />
      )}
      {effects.length > 0 && (
        <Alert color="orange" variant="light" title="Repeated if the new runs reach it">
          <List size="sm" spacing="xs">
            {effects.map(({ skill, runs, effect, inputs }) => (
              <List.Item key={`${skill} ${repeatText(effect)}`}>
                <Text size="sm" fw={600}>
                  {skill}, in {runs} {runs === 1 ? 'run' : 'runs'}
                </Text>
                <Text size="sm">{repeatText(effect)}</Text>
                <RepeatedInputs inputs={inputs} label={`Inputs of ${skill}`} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

const shownAtFirst = 20
/** Longer inputs are cut. */
const maxCharacters = 300

interface RepeatedInputsProps {
  readonly inputs: EffectOfMany['inputs']
  readonly label: string
}

/** The repeated inputs, one per line. */
function RepeatedInputs({ inputs, label }: RepeatedInputsProps) {
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
