import { Alert, Button, Group, List, Text } from '@mantine/core'
import type { FormField, FormValues } from '../forms/form-fields.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'

interface MeanwhileProps {
  /** Which somebody else changed while they were typed in. */
  readonly fields: readonly FormField[]
  readonly now: FormValues
  readonly isPending: boolean
  readonly onMine: () => void
  readonly onTheirs: () => void
}

/** Says what somebody else put in the fields that one typed in, and lets whoever came second decide. */
export function Meanwhile({ fields, now, isPending, onMine, onTheirs }: MeanwhileProps) {
  return (
    <Alert color="orange" title="Someone else changed these fields" role="alert">
      <List size="sm">
        {fields.map(({ name, label }) => (
          <List.Item key={name} className="outside-text">
            {label}: now {nowText(now[name])}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        Your changes are not saved.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" loading={isPending} onClick={onMine}>
          Save mine
        </Button>
        <Button size="xs" variant="default" onClick={onTheirs}>
          Use theirs
        </Button>
      </Group>
    </Alert>
  )
}

const nowText = (value: string | boolean | undefined): string =>
  value === undefined || value === '' ? 'empty' : `“${showInvisible(String(value))}”`
