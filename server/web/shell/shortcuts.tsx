import { Kbd, Modal, Stack, Switch, Table, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useLocalStorage } from '@mantine/hooks'
import { has, useSession } from '../session/session.ts'
import { views } from '../views.ts'

interface ShortcutsProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** All shortcuts, and a switch for single keys. */
export function Shortcuts({ opened, onClose }: ShortcutsProps) {
  const session = useSession()
  const [hasPlainKeys, setPlainKeys] = usePlainKeys()
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
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
            ['Move up and down', ['↑', '↓']],
            ['First and last row', ['Home', 'End']],
            ['Open', ['Enter']],
            ['Select', ['Space']],
            ['Select from the last one on', ['Shift Space']],
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

/** How long `g` waits for the second key. */
const waitMs = 1_500

/** Keys `g` and a letter, except while typing. */
export function useGoKeys(onKey: (letter: string) => void, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined
    let begunAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.timeStamp - begunAt < waitMs) onKey(event.key)
      begunAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn, onKey])
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

/** Whether single-key shortcuts are on. Speech control can type them by accident (WCAG 2.1.4). */
export function usePlainKeys() {
  return useLocalStorage({ key: 'tocsin-plain-keys', defaultValue: true, getInitialValueInEffect: false })
}

/** Name of the modifier key on this keyboard. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'
