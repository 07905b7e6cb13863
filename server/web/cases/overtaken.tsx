import { Alert, Button, Group, List, Text } from '@mantine/core'
import type { CaseChange, CaseDetail } from '../api/types.ts'
import { wordsOf } from './touched.ts'
import type { CaseChanging } from './use-change.ts'

interface OvertakenProps {
  readonly found: CaseDetail
  readonly changing: CaseChanging
}

/** Says that somebody else changed the case meanwhile, what it is now, and lets whoever came second decide. */
export function Overtaken({ found, changing: { overtaken, change, isPending, giveIn } }: OvertakenProps) {
  if (overtaken === undefined) return null
  const names = Object.keys(overtaken) as (keyof CaseChange)[]
  return (
    <Alert color="orange" title="Someone else changed this case" role="alert">
      <List size="sm">
        {names.map((name) => (
          <List.Item key={name} className="outside-text">
            {name}: now {wordsOf(found[name])}, yours {wordsOf(overtaken[name])}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        See the timeline for who changed it. Your changes are not saved.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" loading={isPending} onClick={() => change(overtaken)}>
          Save mine
        </Button>
        <Button size="xs" variant="default" onClick={giveIn}>
          Discard mine
        </Button>
      </Group>
    </Alert>
  )
}
