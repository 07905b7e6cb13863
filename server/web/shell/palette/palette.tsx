import { Group, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../../session/session.ts'
import { viewGroups, type View } from '../../views.ts'
import { commandKey } from './command-key.ts'
import { targetsOf, withoutRepeats, type TargetGroup } from './targets.ts'
import { useFound } from './use-found.ts'
import { usePlainKeys } from '../keys/use-plain-keys.ts'
import { useCommands } from './use-commands.ts'

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
          {commandKey} K
        </Kbd>
      </Group>
    </UnstyledButton>
  )
}

interface PaletteProps {
  readonly onHelp: () => void
}

/** Goes to a view, or to what is known by an id or by words, and does what can be done anywhere. */
export function Palette({ onHelp }: PaletteProps) {
  const [query, setQuery] = useState('')
  const [, navigate] = useLocation()
  const { role } = useSession()
  const [hasPlainKeys] = usePlainKeys()
  const wanted = query.trim().toLowerCase()
  const commands = useCommands(onHelp).filter(({ label }) => label.toLowerCase().includes(wanted))
  const fits = ({ roles, title }: View): boolean =>
    roles.includes(role) && title.toLowerCase().includes(wanted)
  const views: TargetGroup = {
    label: 'Views',
    targets: viewGroups
      .flatMap((group) => group.views)
      .filter(fits)
      .map(({ path, title }) => ({ label: title, to: `/${path}` })),
  }
  const groups = withoutRepeats([
    views,
    { label: 'By what you typed', targets: targetsOf(query) },
    ...useFound(query),
  ])
  return (
    <Spotlight.Root
      title="Go to or search"
      query={query}
      onQueryChange={setQuery}
      shortcut={hasPlainKeys ? ['mod + K', '/'] : 'mod + K'}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="A view, an id, or words of an alert"
        aria-label="Go to or search"
        leftSection={<MagnifyingGlassIcon />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ label, targets }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {targets.map((target) => (
              <Spotlight.Action key={target.to} label={target.label} onClick={() => navigate(target.to)} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {commands.length > 0 && (
          <Spotlight.ActionsGroup label="Do">
            {commands.map(({ label, onClick }) => (
              <Spotlight.Action key={label} label={label} onClick={onClick} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {groups.length + commands.length === 0 && <Spotlight.Empty>No matches</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
