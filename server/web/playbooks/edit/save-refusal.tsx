import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { Refusal } from '../../parts/states/refusal.tsx'
import { Overtaken } from './overtaken.tsx'
import type { useSave } from './use-save.ts'

interface SaveRefusalProps {
  readonly save: ReturnType<typeof useSave>
  /** As the text is called now; null while that is not known. */
  readonly name: string | null
  readonly text: string
  readonly onTakeTheirs: () => void
}

/** Why a source was not put in force, and what can be done about it. */
export function SaveRefusal({ save, name, text, onTakeTheirs }: SaveRefusalProps) {
  const { refusal, saveOver, tried } = save
  if (refusal === undefined || tried === undefined) return null
  if (refusal === 'changed')
    return (
      <Overtaken
        name={tried}
        mine={text}
        mayOver={name === tried}
        onOver={saveOver}
        onTakeTheirs={onTakeTheirs}
      />
    )
  if (refusal === 'name taken')
    return (
      <Alert color="orange" title={`Playbook ${tried} already exists`} role="alert">
        <Text size="sm">
          Choose another <code>name</code>, or{' '}
          <Anchor component={Link} href={`/playbooks/${tried}`} size="sm" underline="always">
            edit the existing playbook
          </Anchor>
          .
        </Text>
      </Alert>
    )
  return <Refusal error={refusal} />
}
