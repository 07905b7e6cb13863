import { Group } from '@mantine/core'
import { BoxIcon } from 'lucide-react'
import { useLocation } from 'wouter'
import type { ObservableKind } from '../../../core/plugin/index.ts'
import type { ApiSkill } from '../api/types.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { ChoiceFilter, FilterChips, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { TextLink } from '../parts/layout.tsx'
import { ViewTabs } from '../parts/view-tabs.tsx'
import { EffectBadge } from './catalogue-parts.tsx'

const columns: readonly Column<ApiSkill>[] = [
  {
    title: 'SKILL',
    width: 'minmax(150px, 1.4fr)',
    cell: ({ name, title }) => <RowLink href={`/catalogue/skills/${name}`} text={title} isMain />,
  },
  {
    title: 'PLUGIN',
    width: 'minmax(110px, 1fr)',
    cell: ({ plugin, plugin_title: title }) =>
      plugin === 'interface' ? title : <TextLink href={`/catalogue/plugins/${plugin}`}>{title}</TextLink>,
  },
  { title: 'EFFECT', width: '110px', cell: (skill) => <EffectBadge skill={skill} /> },
  {
    title: 'LOOKS UP',
    width: 'minmax(90px, 0.8fr)',
    isExtra: true,
    cell: ({ enriches }) => enriches.join(', '),
  },
  {
    title: 'DESCRIPTION',
    width: 'minmax(160px, 2.4fr)',
    isExtra: true,
    cell: ({ description }) => description,
  },
]

const kindTexts: Readonly<Record<ObservableKind, string>> = {
  ip: 'IP address',
  domain: 'Domain',
  url: 'URL',
  hash: 'Hash',
  email: 'Email address',
  host: 'Host',
  user: 'User',
  vulnerability: 'Vulnerability',
  company: 'Company',
}
const kinds = Object.entries(kindTexts).map(([value, label]) => ({ value, label }))

const idOf = ({ name }: ApiSkill): string => name
const names = ['q', 'effect', 'enriches', 'plugin'] as const

/** The skills of all plugins. */
export default function SkillsView() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  const plugin = of('plugin')
  return (
    <ListView
      title="Skills"
      path="/skills"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={({ name }) => navigate(`/catalogue/skills/${name}`)}
      actions={<ViewTabs of="catalogue" current="/catalogue" />}
      filters={
        <Group gap="xs">
          <TextFilter label="Search skills" placeholder="Search skills and vendors" {...of('q')} />
          <ChoiceFilter label="Effect" data={['read', 'write']} {...of('effect')} />
          <ChoiceFilter label="Looks up" data={kinds} {...of('enriches')} />
          <FilterChips
            filters={[{ label: 'Plugin', value: plugin.value, onClear: () => plugin.onChange(null) }]}
          />
        </Group>
      }
      icon={BoxIcon}
      empty="No matching skills"
    />
  )
}
