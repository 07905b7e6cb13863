import { Kbd, Modal, Stack, Switch, Table, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.ts'
import { views } from '../../views.ts'
import { commandKey } from '../palette/command-key.ts'
import { usePlainKeys } from './use-plain-keys.ts'

interface ShortcutsProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** All keys that do something, and a way to turn those off that are hit by accident. */
export function Shortcuts({ opened, onClose }: ShortcutsProps) {
  const { role } = useSession()
  const [hasPlainKeys, setPlainKeys] = usePlainKeys()
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack>
        <Keys
          title="Anywhere"
          rows={[
            ['Go to or search', [`${commandKey} K`, '/']],
            ['These shortcuts', ['?']],
            ['To the content, past the navigation', ['Tab', 'Enter']],
            ...views
              .filter(({ roles }) => roles.includes(role))
              .map(({ title, letter }) => [title, [`g ${letter}`]] as const),
          ]}
        />
        <Keys
          title="In a list"
          rows={[
            ['Up and down', ['↑', '↓']],
            ['First and last', ['Home', 'End']],
            ['Open', ['Enter']],
            ['Choose', ['Space']],
          ]}
        />
        <Switch
          label="Single keys"
          description="/, ? and g do something without another key held down."
          checked={hasPlainKeys}
          onChange={(event) => setPlainKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}

interface KeysProps {
  readonly title: string
  readonly rows: readonly (readonly [what: string, keys: readonly string[]])[]
}

function Keys({ title, rows }: KeysProps): ReactNode {
  return (
    <div>
      <Title order={3} mb={4}>
        {title}
      </Title>
      <Table verticalSpacing={4} aria-label={title}>
        <Table.Tbody>
          {rows.map(([what, keys]) => (
            <Table.Tr key={what}>
              <Table.Td>{what}</Table.Td>
              <Table.Td w={140}>
                {keys.map((key) => (
                  <Kbd key={key} size="xs" mr={6}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
