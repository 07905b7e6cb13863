import { SegmentedControl } from '@mantine/core'
import { useLocation } from 'wouter'

/** Views that belong together: titles by path. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  people: { '/people': 'People', '/people/roles': 'Roles' },
  catalogue: { '/catalogue': 'Skills', '/catalogue/plugins': 'Plugins' },
}

/** Switches to another view of the group of the current one. */
export function ViewTabs({ of, current }: { readonly of: keyof typeof groups; readonly current: string }) {
  const [, navigate] = useLocation()
  const data = Object.entries(groups[of] ?? {}).map(([value, label]) => ({ value, label }))
  return <SegmentedControl size="xs" aria-label="Show" data={data} value={current} onChange={navigate} />
}
