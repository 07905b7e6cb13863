import { BoxIcon } from 'lucide-react'
import { useLocation } from 'wouter'
import type { ApiPlugin } from '../api/types.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { languageText } from './catalogue-parts.tsx'
import { ViewTabs } from '../parts/view-tabs.tsx'

const columns: readonly Column<ApiPlugin>[] = [
  {
    title: 'PLUGIN',
    width: 'minmax(140px, 1.2fr)',
    cell: ({ name, title }) => <RowLink href={`/catalogue/plugins/${name}`} text={title} isMain />,
  },
  { title: 'SKILLS', width: '80px', isNumber: true, cell: ({ skills }) => skills.length },
  { title: 'WRITTEN IN', width: '120px', cell: ({ kind }) => languageText(kind) },
  {
    title: 'SOURCE',
    width: 'minmax(120px, 1fr)',
    isExtra: true,
    cell: ({ source }) => source,
  },
  {
    title: 'DESCRIPTION',
    width: 'minmax(160px, 2.6fr)',
    isExtra: true,
    cell: ({ description }) => description,
  },
]

const idOf = ({ name }: ApiPlugin): string => name
const names = ['q'] as const

/** The installed plugins. */
export default function PluginsView() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  return (
    <ListView
      title="Plugins"
      path="/plugins"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={({ name }) => navigate(`/catalogue/plugins/${name}`)}
      actions={<ViewTabs of="catalogue" current="/catalogue/plugins" />}
      filters={<TextFilter label="Search plugins" placeholder="Search plugins and skills" {...of('q')} />}
      icon={BoxIcon}
      empty="No matching plugins"
    />
  )
}
