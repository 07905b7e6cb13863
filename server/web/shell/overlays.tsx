/** What covers the view; its code is loaded when it is first shown. */
import '@mantine/notifications/styles.css'
import { Kbd, Stack, Switch, Table, Title } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { useEffect, useState, type ReactNode } from 'react'
import { has, useSession } from '../session/session.ts'
import { views } from '../views.ts'
import { commandKey, usePlainKeys } from './plain-keys.ts'
import { Dialog } from '../parts/dialog.tsx'

export const Messages = () => <Notifications position="bottom-right" />

interface ShortcutsProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** All shortcuts, and a switch for single keys. */
export function Shortcuts({ opened, onClose }: ShortcutsProps) {
  const session = useSession()
  const [hasPlainKeys, setPlainKeys] = usePlainKeys()
  // A dialog that is open from the start would not give the focus back.
  const [isOpen, open] = useState(false)
  useEffect(() => open(opened), [opened])
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack>
        <Keys
          title="Anywhere"
          rows={[
            ['Search or jump to', [`${commandKey} K`, '/']],
            ['Show shortcuts', ['?']],
            ['Skip to content', ['Tab', 'Enter']],
            ...views
              .filter(({ needs }) => has(session, needs))
              .map(({ title, letter }) => [title, [`g ${letter}`]] as const),
          ]}
        />
        <Keys
          title="In a list"
          rows={[
            ['Next row', ['j', '↓']],
            ['Previous row', ['k', '↑']],
            ['First and last row', ['Home', 'End']],
            ['Open', ['Enter']],
            ['Select', ['x', 'Space']],
            ['Select from the last one on', ['Shift X', 'Shift Space']],
            ['Show content, in the list of alerts', ['c']],
          ]}
        />
        <Keys
          title="In a case"
          rows={[
            ['Next case of the list', ['j']],
            ['Previous case of the list', ['k']],
          ]}
        />
        <Switch
          label="Single-key shortcuts"
          description="Use /, ?, g, j and k without a modifier key."
          checked={hasPlainKeys}
          onChange={(event) => setPlainKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Dialog>
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
