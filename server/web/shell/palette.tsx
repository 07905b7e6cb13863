import { Group, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../session/session.ts'
import { views } from '../views.ts'
import { targetsOf } from './targets.ts'

/** Opens the command palette. */
export function PaletteButton() {
  return (
    <UnstyledButton className="palette-button" onClick={spotlight.open}>
      <Group gap="xs" wrap="nowrap">
        <MagnifyingGlassIcon />
        <Text size="sm" visibleFrom="xs">
          Go to or search
        </Text>
        <VisuallyHidden hiddenFrom="xs">Go to or search</VisuallyHidden>
        <Kbd size="xs" visibleFrom="xs">
          Ctrl K
        </Kbd>
      </Group>
    </UnstyledButton>
  )
}

/** Goes to a view, to an alert, case or run by its id, or searches alerts for words. */
export function Palette() {
  const [query, setQuery] = useState('')
  const [, navigate] = useLocation()
  const { role } = useSession()
  const wanted = query.trim().toLowerCase()
  const targets = [
    ...views
      .filter(({ roles, title }) => roles.includes(role) && title.toLowerCase().includes(wanted))
      .map(({ path, title, icon: Icon }) => ({ label: title, to: `/${path}`, icon: <Icon /> })),
    ...targetsOf(query).map((target) => ({ ...target, icon: <MagnifyingGlassIcon /> })),
  ]
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K', '/']}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="A view, an id, or words of an alert"
        aria-label="Go to or search"
        leftSection={<MagnifyingGlassIcon />}
      />
      <Spotlight.ActionsList>
        {targets.map(({ label, to, icon }) => (
          <Spotlight.Action key={to} label={label} leftSection={icon} onClick={() => navigate(to)} />
        ))}
        {targets.length === 0 && <Spotlight.Empty>Nothing fits</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
