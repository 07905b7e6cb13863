import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { Refusal } from '../parts/refusal.tsx'
import { Overtaken } from './overtaken.tsx'
import type { useSave } from './use-save.ts'

interface SaveRefusalProps {
  readonly save: ReturnType<typeof useSave>
  readonly name: string | null
  readonly text: string
  readonly onTakeTheirs: () => void
}

/** Why a source was not put in force, and what can be done about it. */
export function SaveRefusal({ save, name, text, onTakeTheirs }: SaveRefusalProps) {
  const { refusal, saveOver } = save
  if (refusal === undefined || name === null) return null
  if (refusal === 'changed')
    return <Overtaken name={name} mine={text} onOver={saveOver} onTakeTheirs={onTakeTheirs} />
  if (refusal === 'name taken')
    return (
      <Alert color="orange" title={`There is a playbook ${name} already`} role="alert">
        <Text size="sm">
          Give this one another <code>name</code>, or{' '}
          <Anchor component={Link} href={`/playbooks/${name}`} size="sm" underline="always">
            change the one that is there
          </Anchor>
          .
        </Text>
      </Alert>
    )
  return <Refusal error={refusal} />
}
