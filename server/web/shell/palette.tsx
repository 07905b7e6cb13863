import { useMantineColorScheme } from '@mantine/core'
import '@mantine/spotlight/styles.css'
import { Spotlight, createSpotlight } from '@mantine/spotlight'
import { SearchIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { has, useMay, useSession, useSignOut } from '../session/session.ts'
import { viewGroups, type View } from '../views.ts'
import { apiGet, type Query } from '../api/call.ts'
import type { ApiAlert, ApiCase, ApiPage, ApiConnection, ApiPlaybook, ApiSkill } from '../api/types.ts'
import { namedFromTheStart } from '../parts/dialog.tsx'
import { showInvisible } from '../parts/outside-text.ts'

const [store, spotlight] = createSpotlight()

const name = 'Search or jump to'

interface PaletteProps {
  readonly opened: boolean
  /** Text typed before the field has the focus. */
  readonly typedAhead: string
  readonly onClose: () => void
  readonly onHelp: () => void
}

/** Searches views, ids and texts, and runs commands. */
export default function Palette({ opened, typedAhead, onClose, onHelp }: PaletteProps) {
  useEffect(() => (opened ? spotlight.open() : spotlight.close()), [opened])
  const [query, setQuery] = useState(typedAhead)
  const [taken, take] = useState(typedAhead)
  if (typedAhead !== taken) {
    take(typedAhead)
    if (typedAhead.startsWith(taken)) setQuery(query + typedAhead.slice(taken.length))
    else if (typedAhead !== '') setQuery(query.slice(0, -1))
  }
  const [, navigate] = useLocation()
  const session = useSession()
  const wanted = query.trim().toLowerCase()
  const commands = useCommands(onHelp).filter(({ label }) => label.toLowerCase().includes(wanted))
  const fits = ({ needs, title }: View): boolean =>
    has(session, needs) && title.toLowerCase().includes(wanted)
  const views: TargetGroup = {
    label: 'Views',
    targets: viewGroups
      .flatMap((group) => group.views)
      .filter(fits)
      .map(({ path, title }) => ({ label: title, to: `/${path}` })),
  }
  const groups = withoutRepeats([views, { label: 'Go to', targets: targetsOf(query) }, ...useFound(query)])
  return (
    <Spotlight.Root
      title={name}
      attributes={namedFromTheStart(name)}
      query={query}
      onQueryChange={setQuery}
      store={store}
      onSpotlightClose={onClose}
      // The frame has the shortcuts: it loads this component.
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="View, id, or words of an alert"
        aria-label={name}
        leftSection={<SearchIcon />}
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
          <Spotlight.ActionsGroup label="Actions">
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

interface Command {
  readonly label: string
  readonly onClick: () => void
}

/** Commands that are always available. */
function useCommands(onHelp: () => void): readonly Command[] {
  const [, navigate] = useLocation()
  const { setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const mayConnect = useMay('connections:write')
  const mayMakeKeys = useMay('keys:write')
  const mayDraft = useMay('playbooks:test')
  return [
    ...(mayConnect ? [{ label: 'New connection', onClick: () => navigate('/connections/new') }] : []),
    ...(mayDraft ? [{ label: 'New playbook', onClick: () => navigate('/playbooks/new') }] : []),
    ...(mayMakeKeys ? [{ label: 'New key', onClick: () => navigate('/keys?new=yes') }] : []),
    { label: 'Keyboard shortcuts', onClick: onHelp },
    { label: 'Light theme', onClick: () => setColorScheme('light') },
    { label: 'Dark theme', onClick: () => setColorScheme('dark') },
    { label: 'Sign out', onClick: signOut },
  ]
}

/** Results per kind. */
const shown = 5

/** Search results of the API, after a pause in typing. */
function useFound(query: string): readonly TargetGroup[] {
  const [words] = useDebouncedValue(query.trim().slice(0, 200), 200)
  const cases = useSome<ApiCase>('/cases', words, { q: words })
  const alerts = useSome<ApiAlert>('/alerts', words, { q: words })
  const playbooks = useSome<ApiPlaybook>('/playbooks', words, { q: words })
  const skills = useSome<ApiSkill>('/skills', words, { q: words })
  // The API does not search connections; there are few.
  const connections = useSome<ApiConnection>('/connections', words, { limit: 200 })
  const wanted = words.toLowerCase()
  return [
    {
      label: 'Alerts',
      targets: alerts.map(({ alert_id: id, alert_type: type }) => ({
        label: `${id.toUpperCase()} ${showInvisible(type ?? '')}`,
        to: `/alerts/${id}`,
      })),
    },
    {
      label: 'Cases',
      targets: cases.map(({ case_id: id, title }) => ({
        label: `${id.toUpperCase()} ${showInvisible(title)}`,
        to: `/cases/${id}`,
      })),
    },
    {
      label: 'Playbooks',
      targets: playbooks.flatMap(({ name }) => [
        { label: name, to: `/playbooks/${name}` },
        { label: `Runs of ${name}`, to: `/runs?${new URLSearchParams({ playbook: name }).toString()}` },
      ]),
    },
    {
      label: 'Skills',
      targets: skills.map(({ name, title, plugin_title: vendor }) => ({
        label: `${title} (${vendor})`,
        to: `/catalogue/skills/${name}`,
      })),
    },
    {
      label: 'Connections',
      targets: connections
        .filter(({ name, plugin }) => `${name} ${plugin}`.toLowerCase().includes(wanted))
        .slice(0, shown)
        .map(({ connection_uuid: id, name }) => ({ label: name, to: `/connections/${id}` })),
    },
  ]
}

function useSome<Row>(path: string, words: string, query: Query): readonly Row[] {
  const found = useQuery({
    queryKey: ['found', path, query],
    queryFn: ({ signal }) => apiGet<ApiPage<Row>>(path, { limit: shown, ...query }, signal),
    enabled: words.length > 1,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  return words.length > 1 ? (found.data?.data ?? []) : []
}

interface PaletteTarget {
  readonly label: string
  /** URL in the page. */
  readonly to: string
}

interface TargetGroup {
  readonly label: string
  readonly targets: readonly PaletteTarget[]
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const caseId = /^\w{1,32}-\d+$/
const alertId = /^\w{1,32}-\w{1,32}-\d+$/

/** Targets for typed text: ids by their form, and a search for anything else. */
function targetsOf(query: string): readonly PaletteTarget[] {
  const text = query.trim()
  if (text === '') return []
  const found: PaletteTarget[] = []
  if (alertId.test(text)) found.push({ label: `Alert ${text.toUpperCase()}`, to: `/alerts/${text}` })
  if (caseId.test(text)) found.push({ label: `Case ${text.toUpperCase()}`, to: `/cases/${text}` })
  if (uuid.test(text)) {
    found.push(
      { label: `Run ${text}`, to: `/runs/${text}` },
      { label: `Alert ${text}`, to: `/alerts/${text}` },
    )
  }
  const search = new URLSearchParams({ q: text }).toString()
  return [...found, { label: `Search alerts for “${text}”`, to: `/alerts?${search}` }]
}

/** Removes duplicate targets. */
function withoutRepeats(groups: readonly TargetGroup[]): readonly TargetGroup[] {
  const seen = new Set<string>()
  return groups
    .map(({ label, targets }) => ({
      label,
      targets: targets.filter(({ to }) => !seen.has(to.toLowerCase()) && seen.add(to.toLowerCase())),
    }))
    .filter(({ targets }) => targets.length > 0)
}
