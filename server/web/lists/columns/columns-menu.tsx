import { Button, Popover } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { Columns2Icon } from 'lucide-react'
import { lazy, useMemo } from 'react'
import { WhenNeeded } from '../../parts/layout.tsx'
import { readColumns, shownColumns } from './chosen-columns.ts'
import type { Column } from '../data-row.tsx'

const ColumnChoice = lazy(() => import('./column-choice.tsx'))

/** The columns of a list, which the user can choose and order. The choice stays in this browser. */
export function useColumns<Row>(view: string, columns: readonly Column<Row>[]) {
  const [chosen, choose] = useLocalStorage<readonly string[] | null>({
    key: `tocsin.columns.${view}`,
    defaultValue: null,
    getInitialValueInEffect: false,
    serialize: (titles) => JSON.stringify(titles),
    deserialize: readColumns,
  })
  const shown = useMemo(() => shownColumns(columns, chosen), [columns, chosen])
  const titlesOf = (some: readonly Column<Row>[]): readonly string[] =>
    some.slice(1).flatMap(({ title }) => (title === '' ? [] : [title]))
  return {
    shown,
    menu: <ColumnsMenu all={titlesOf(columns)} shown={titlesOf(shown)} onChange={choose} />,
  }
}

export interface ColumnChoiceProps {
  /** Titles of all columns but the first, in the order of the list. */
  readonly all: readonly string[]
  /** Titles of the shown ones. */
  readonly shown: readonly string[]
  /** Null: the default. */
  readonly onChange: (titles: readonly string[] | null) => void
}

function ColumnsMenu(props: ColumnChoiceProps) {
  const [opened, { toggle, close }] = useDisclosure()
  return (
    <Popover opened={opened} onChange={(is) => !is && close()} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<Columns2Icon />} onClick={toggle}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <WhenNeeded isNeeded={opened}>
          <ColumnChoice {...props} />
        </WhenNeeded>
      </Popover.Dropdown>
    </Popover>
  )
}
