import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { actionsAfter, consequenceText, type Checkpoint } from '../checkpoint.ts'

/** An answer that somebody is about to give. */
export interface Asked {
  readonly given: () => unknown
  /** The word; null: a form was filled in. */
  readonly key: string | null
  readonly label: string
}

interface ConfirmAnswerProps {
  readonly checkpoint: Checkpoint
  readonly asked: Asked
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Says what an answer may lead to before it is given. */
export function ConfirmAnswer({ checkpoint, asked, onClose, onConfirm }: ConfirmAnswerProps) {
  return (
    <Modal opened onClose={onClose} title={`Answer “${showInvisible(asked.label)}”?`}>
      <Stack>
        <Text size="sm">This answer may lead to destructive actions:</Text>
        <ul>
          {actionsAfter(checkpoint, asked.key).map(({ skill, title }) => (
            <li key={skill}>
              {title} ({skill})
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Back
          </Button>
          <Button color="red" className="outside-text" onClick={onConfirm}>
            Yes, answer “{showInvisible(asked.label)}”
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** What each answer may lead to, beside its button. */
export function Consequences({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const lines = (checkpoint.answers ?? []).flatMap(({ value, label }) => {
    const text = consequenceText(checkpoint, value)
    return text === undefined ? [] : [`“${label}”: ${text}`]
  })
  const filled = checkpoint.form === null ? undefined : consequenceText(checkpoint, null)
  return [...lines, ...(filled === undefined ? [] : [filled])].map((line) => (
    <Text key={line} size="xs" c="dimmed" className="outside-text">
      {showInvisible(line)}
    </Text>
  ))
}
