import { Button, Popover } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { BookmarkIcon } from 'lucide-react'
import { lazy } from 'react'
import type { SharedView } from '../../../../core/ports/access/shared-filter-store.ts'
import { WhenNeeded } from '../../parts/layout.tsx'

import { readSaved, type SavedFilter } from './saved-filters.ts'

const nothing: readonly SavedFilter[] = []
const SavedChoice = lazy(() => import('./saved-choice.tsx'))

/** A menu of filters saved in this browser, and shared ones. */
export function SavedMenu({ view }: { readonly view: SharedView }) {
  const [opened, { toggle, close }] = useDisclosure()
  // Changes in other tabs arrive here too. Kept here, because the menu is gone when it closes.
  const [saved, keep] = useLocalStorage<readonly SavedFilter[]>({
    key: `tocsin.filters.${view}`,
    defaultValue: nothing,
    getInitialValueInEffect: false,
    serialize: (filters) => JSON.stringify(filters),
    deserialize: (text) => readSaved(text ?? null),
  })
  return (
    <Popover opened={opened} onChange={(is) => !is && close()} position="bottom-start" width={300} trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<BookmarkIcon />} onClick={toggle}>
          Saved
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Saved filters">
        <WhenNeeded isNeeded={opened}>
          <SavedChoice view={view} saved={saved} onChange={keep} onClose={close} />
        </WhenNeeded>
      </Popover.Dropdown>
    </Popover>
  )
}
