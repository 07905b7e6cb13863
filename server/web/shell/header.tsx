import {
  Text,
  Badge,
  Button,
  Group,
  Tooltip,
  ActionIcon,
  Kbd,
  Menu,
  UnstyledButton,
  VisuallyHidden,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import {
  ZapIcon,
  PauseIcon,
  CodeIcon,
  MonitorIcon,
  LogOutIcon,
  KeyboardIcon,
  SearchIcon,
  MoonIcon,
  UserIcon,
  SunIcon,
} from 'lucide-react'
import { Link } from 'wouter'
import type { ApiSession } from '../api/types.ts'
import { useMay, useSession, useSignOut } from '../session/session.ts'
import { followChanges } from '../live/follow-changes.ts'
import './shell.css'
import { useLiveState } from '../live/live-state.ts'
import { useEngine, useEngineHistory } from '../health/use-engine.ts'
import { serverTime, setZone, useZone, zoneName } from '../parts/time.ts'
import { addressOf } from '../api/call.ts'
import { commandKey } from './plain-keys.ts'

const texts = {
  connecting: undefined,
  live: ['Live', 'Changes appear immediately'],
  reconnecting: ['Reconnecting', 'Changes appear after a few seconds'],
} as const

/** Follows changes, and shows the state of the stream. */
export function LiveMark() {
  const queries = useQueryClient()
  const state = useLiveState()
  // Without a session, requests would fail.
  const isOver = useQuery<ApiSession | null>({ queryKey: ['session'], enabled: false }).data === null
  // Intake keys cannot read anything.
  const isTold = useMay('alerts:read') && !isOver
  useEffect(() => (isTold ? followChanges(queries) : undefined), [isTold, queries])
  const [text, meaning] = texts[state] ?? []
  return (
    <Text component="span" role="status" size="xs" className="live-mark" data-state={state} title={meaning}>
      {text}
    </Text>
  )
}

/** A badge in every view while runs are paused or during a storm. Records the history for the health view. */
export function EngineMark() {
  const { data } = useEngine(15_000)
  useEngineHistory()
  const text = data?.state === 'paused' ? 'Runs are paused' : data?.storm === true ? 'Storm' : undefined
  if (text === undefined) return null
  return (
    <Badge
      component={Link}
      href="/health"
      color={text === 'Storm' ? 'red' : 'orange'}
      size="lg"
      leftSection={text === 'Storm' ? <ZapIcon /> : <PauseIcon />}
    >
      {text}
    </Badge>
  )
}

/** Opens the command palette. */
export function PaletteButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <UnstyledButton className="palette-button" onClick={onClick}>
      <Group gap="xs" wrap="nowrap">
        <SearchIcon />
        <Text size="sm" visibleFrom="xs">
          Search or jump to
        </Text>
        <VisuallyHidden hiddenFrom="xs">Search or jump to</VisuallyHidden>
        <Kbd size="xs" visibleFrom="xs">
          {commandKey} K
        </Kbd>
      </Group>
    </UnstyledButton>
  )
}

/** Shows the time zone and switches to UTC and back. */
export function ZoneButton() {
  const zone = useZone()
  const here = zoneName('local', serverTime())
  const isUtc = zone === 'utc'
  const turn = isUtc ? `Show local times (${here})` : 'Show times in UTC'
  const shown = isUtc ? 'UTC' : `Local, ${here}`
  return (
    <Tooltip label={turn}>
      <Button
        variant="default"
        h={34}
        size="xs"
        fw={400}
        px="xs"
        aria-label={`Time zone: ${shown}. ${turn}`}
        onClick={() => setZone(isUtc ? 'local' : 'utc')}
      >
        {isUtc ? (
          'UTC'
        ) : (
          <>
            Local
            <Text span inherit visibleFrom="sm">
              , {here}
            </Text>
          </>
        )}
      </Button>
    </Tooltip>
  )
}

const schemes = [
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
  { value: 'auto', label: 'System', icon: MonitorIcon },
] as const satisfies readonly { value: MantineColorScheme; label: string; icon: unknown }[]

/** The menu of the session: theme, shortcuts, sign-out. */
export function PersonMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { key_name: name, role, organization_codes: codes } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  return (
    <Menu width={220} position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Signed in as ${name}`}>
          <UserIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="bright" fw={600} truncate>
            {name}
          </Text>
          <Text size="xs">
            {role} · {codes === null ? 'all organizations' : codes.join(', ')}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon />}
            aria-current={colorScheme === value}
            fw={colorScheme === value ? 600 : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} href="/me" leftSection={<UserIcon />}>
          My account
        </Menu.Item>
        <Menu.Item leftSection={<KeyboardIcon />} rightSection={<Kbd size="xs">?</Kbd>} onClick={onHelp}>
          Shortcuts
        </Menu.Item>
        <Menu.Item
          component="a"
          href={addressOf('/docs')}
          target="_blank"
          rel="noreferrer"
          leftSection={<CodeIcon />}
        >
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<LogOutIcon />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
