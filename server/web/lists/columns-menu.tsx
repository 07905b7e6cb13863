import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { ViewVerticalIcon } from '@radix-ui/react-icons'
import { useMemo } from 'react'
import { readColumns, shownColumns } from './chosen-columns.ts'
import type { Column } from './data-row.tsx'

/** The columns of a list, which the user can choose. The choice stays in this browser. */
export function useColumns<Row>(view: string, columns: readonly Column<Row>[]) {
  const [chosen, choose] = useLocalStorage<readonly string[] | null>({
    key: `tocsin.columns.${view}`,
    defaultValue: null,
    getInitialValueInEffect: false,
    serialize: (titles) => JSON.stringify(titles),
    deserialize: readColumns,
  })
  const shown = useMemo(() => shownColumns(columns, chosen), [columns, chosen])
  return { shown, menu: <ColumnsMenu columns={columns} shown={shown} onChange={choose} /> }
}

interface ColumnsMenuProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly shown: readonly Column<Row>[]
  /** Null: the default. */
  readonly onChange: (titles: readonly string[] | null) => void
}

function ColumnsMenu<Row>({ columns, shown, onChange }: ColumnsMenuProps<Row>) {
  const [opened, { toggle, close }] = useDisclosure()
  const titles = shown.map(({ title }) => title)
  return (
    <Popover opened={opened} onChange={(is) => !is && close()} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<ViewVerticalIcon />} onClick={toggle}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap={6}>
          {columns.slice(1).map(({ title }) => (
            <Checkbox
              key={title}
              size="xs"
              label={title}
              checked={titles.includes(title)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...titles, title] : titles.filter((each) => each !== title))
              }
            />
          ))}
          <Button size="compact-xs" variant="default" onClick={() => onChange(null)}>
            Default columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
